#!/usr/bin/env python3
"""PyIceberg against the built program: run.py PROGRAM."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import cache, suite  # noqa: E402


def main():
    program = sys.argv[1]
    suite.run_pytest(cache.venv("pyiceberg", HERE / "requirements.txt"), HERE, program)


if __name__ == "__main__":
    suite.main_guard(main)
