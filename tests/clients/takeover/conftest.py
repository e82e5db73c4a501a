"""Where the clients are that run beside the tests."""

from clientkit.spark_client import add_options


def pytest_addoption(parser):
    add_options(parser)
