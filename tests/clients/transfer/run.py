#!/usr/bin/env python3
"""Catalogs moved in and out, with PyIceberg on both sides: run.py PROGRAM [pytest's arguments].

The other sides are PyIceberg's SqlCatalog and the REST server that Iceberg itself tests with.
"""

import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import cache, pytest_suite, suite  # noqa: E402


def main():
    suite.run_tool(["java", "-version"])
    os.environ["REFERENCE_JARS"] = str(cache.jars("rck", HERE.parent / "rck/pom.xml"))
    pytest_suite.run(HERE)


if __name__ == "__main__":
    suite.main_guard(main)
