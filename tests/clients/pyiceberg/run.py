#!/usr/bin/env python3
"""PyIceberg against the built program: run.py PROGRAM [pytest's arguments]."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import pytest_suite  # noqa: E402

if __name__ == "__main__":
    pytest_suite.run(HERE)
