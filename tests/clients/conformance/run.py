#!/usr/bin/env python3
"""The built program against the specification's OpenAPI file: run.py PROGRAM.

Every operation that the program serves is brought to every status which the file lists for it, and
each answer is compared with the file: status, headers, and the body with its schema. The file is
the one that BERGLITE_OPENAPI_YAML names, or else the one beside the source directory; without it
the suite is skipped.
"""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = HERE.parent
sys.path.insert(0, str(CLIENTS))

from clientkit import cache, suite  # noqa: E402

BESIDE = CLIENTS.parents[2] / "shared/spec/rest-catalog-open-api.yaml"


def find_openapi():
    named = os.environ.get("BERGLITE_OPENAPI_YAML")
    if named:
        return pathlib.Path(named).absolute()
    return BESIDE if BESIDE.exists() else None


def main():
    openapi = find_openapi()
    if openapi is None:
        print("skipped: BERGLITE_OPENAPI_YAML names no specification", flush=True)
        sys.exit(suite.SKIPPED)
    python = cache.venv("conformance", HERE / "requirements.txt")
    environment = dict(os.environ, PYTHONPATH=str(CLIENTS), PYTHONDONTWRITEBYTECODE="1")
    command = [str(python), str(HERE / "walk.py"), str(pathlib.Path(sys.argv[1]).absolute()),
               str(openapi)]
    sys.exit(subprocess.run(command, env=environment, check=False).returncode)


if __name__ == "__main__":
    suite.main_guard(main)
