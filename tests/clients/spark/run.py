#!/usr/bin/env python3
"""Spark with Iceberg against the built program: run.py PROGRAM [pytest's arguments]."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import cache, pytest_suite, suite  # noqa: E402


def prepare():
    """Spark is large: an environment of its own spares the other Python suites from it."""
    suite.run_tool(["java", "-version"])
    jars = cache.jars("spark-jars", HERE / "pom.xml")
    # Spark logs each error at a length that hides the test's own words.
    return (cache.venv("spark", HERE / "requirements.txt"),
            ["--jars", str(jars), "--show-capture=no"])


if __name__ == "__main__":
    pytest_suite.run(HERE, prepare)
