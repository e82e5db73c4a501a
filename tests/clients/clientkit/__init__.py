"""What the suites of tests/clients share: the built program, the cache of clients, the outcome.

Python's standard library only, so that it can run before anything is installed.
"""
