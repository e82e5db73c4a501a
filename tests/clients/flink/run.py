#!/usr/bin/env python3
"""Flink with Iceberg against the built program: run.py PROGRAM [pytest's arguments]."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import cache, pytest_suite, suite  # noqa: E402


def prepare():
    suite.run_tool(["javac", "-version"])  # FlinkSql.java is compiled as it is started
    return (cache.venv("python", HERE.parent / "requirements.txt"),
            ["--jars", str(cache.jars("flink", HERE / "pom.xml"))])


if __name__ == "__main__":
    pytest_suite.run(HERE, prepare)
