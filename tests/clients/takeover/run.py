#!/usr/bin/env python3
"""An existing catalog of PyIceberg, served by one command: run.py PROGRAM [pytest's arguments]."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
SPARK = HERE.parent / "spark"
sys.path.insert(0, str(HERE.parent))

from clientkit import cache, pytest_suite, suite  # noqa: E402


def prepare():
    """Spark runs beside, in its own environment: the test's has PyIceberg and DuckDB."""
    suite.run_tool(["java", "-version"])
    jars = cache.jars("spark-jars", SPARK / "pom.xml")
    spark = cache.venv("spark", SPARK / "requirements.txt")
    return (cache.venv("python", HERE.parent / "requirements.txt"),
            ["--spark", str(spark), "--jars", str(jars)])


if __name__ == "__main__":
    pytest_suite.run(HERE, prepare)
