"""Runs a folder of pytest tests in the environment that all Python suites share."""

import os
import pathlib
import subprocess
import sys

from clientkit import cache, suite

CLIENTS = pathlib.Path(__file__).resolve().parent.parent


def run(folder):
    """Takes the program from the command line; pytest's exit code is the suite's."""
    suite.main_guard(lambda: _run(pathlib.Path(folder), pathlib.Path(sys.argv[1]).absolute()))


def _run(folder, program):
    python = cache.venv("python", CLIENTS / "requirements.txt")
    environment = dict(os.environ, PYTHONPATH=str(CLIENTS), PYTHONDONTWRITEBYTECODE="1")
    command = [str(python), "-m", "pytest", "-q", "-p", "clientkit.plugin",
               "-p", "no:cacheprovider", "--rootdir", str(folder), "-o", "python_files=*_test.py",
               "--tb=short", "--program", str(program), *sys.argv[2:], str(folder)]
    sys.exit(subprocess.run(command, env=environment, check=False).returncode)
