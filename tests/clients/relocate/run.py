#!/usr/bin/env python3
"""A warehouse that has been moved to another directory: run.py PROGRAM [pytest's arguments]."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import pytest_suite, spark_client  # noqa: E402

if __name__ == "__main__":
    pytest_suite.run(HERE, spark_client.prepare)
