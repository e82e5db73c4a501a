"""Where the clients are that run beside the tests."""

import pathlib


def pytest_addoption(parser):
    parser.addoption("--spark", type=pathlib.Path, required=True, help="the Python that has Spark")
    parser.addoption("--jars", type=pathlib.Path, required=True,
                     help="the directory with Iceberg's runtime for Spark")
