"""Runs a folder of pytest tests, by default in the environment that all Python suites share."""

import os
import pathlib
import subprocess
import sys

from clientkit import cache, suite

CLIENTS = pathlib.Path(__file__).resolve().parent.parent


def run(folder, prepare=None):
    """Takes the program from the command line; pytest's exit code is the suite's.

    `prepare`, of a suite with an environment of its own, makes it and returns its Python and
    further arguments of pytest.
    """
    suite.main_guard(lambda: _run(pathlib.Path(folder), pathlib.Path(sys.argv[1]).absolute(),
                                  prepare or _shared_environment))


def _shared_environment():
    return cache.venv("python", CLIENTS / "requirements.txt"), []


def _run(folder, program, prepare):
    python, arguments = prepare()
    environment = dict(os.environ, PYTHONPATH=str(CLIENTS), PYTHONDONTWRITEBYTECODE="1")
    command = [str(python), "-m", "pytest", "-q", "-p", "clientkit.plugin",
               "-p", "no:cacheprovider", "--rootdir", str(folder), "-o", "python_files=*_test.py",
               "--tb=short", "--program", str(program), *arguments, *sys.argv[2:], str(folder)]
    sys.exit(subprocess.run(command, env=environment, check=False).returncode)
