#!/usr/bin/env python3
"""/metrics of the built program, read by Prometheus' own client: run.py PROGRAM [arguments]."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import cache, pytest_suite  # noqa: E402


def environment():
    return cache.venv("metrics", HERE / "requirements.txt"), []


if __name__ == "__main__":
    pytest_suite.run(HERE, environment)
