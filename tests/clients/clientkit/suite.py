"""How a suite ends: its closing line, its exit code, and what a missing runtime means."""

import json
import os
import pathlib
import subprocess
import sys

SKIPPED = 77  # what ctest takes for "skipped"


def close(passed, failed, skipped):
    """Prints the closing line and exits: 0 only where something passed and nothing failed."""
    record({"passed": passed, "failed": failed, "skipped": skipped})
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    sys.exit(0 if passed and not failed else 1)


def record(result):
    """Leaves the result where BERGLITE_CLIENT_RESULT says, for the table of what was tested."""
    path = os.environ.get("BERGLITE_CLIENT_RESULT")
    if path:
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(path).write_text(json.dumps(result), encoding="utf-8")


def cannot_run(reason):
    """Ends a suite that lacks a runtime or a package: a skip, but a failure under CI."""
    if os.environ.get("CI") == "true":
        print(f"cannot run: {reason}", flush=True)
        sys.exit(1)
    print(f"skipped: {reason}", flush=True)
    sys.exit(SKIPPED)


def main_guard(body):
    """Runs `body`, turning a failed tool of the preparation into `cannot_run`."""
    left = os.environ.get("BERGLITE_CLIENT_RESULT")
    if left:
        pathlib.Path(left).unlink(missing_ok=True)  # of an earlier run
    try:
        body()
    except Missing as missing:
        cannot_run(str(missing))


class Missing(Exception):
    """A runtime that is not installed, or a package that cannot be fetched."""


def run_tool(command, **options):
    """Runs a tool that prepares clients. Raises Missing where it is absent or fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, **options)
    except FileNotFoundError:
        raise Missing(f"{command[0]} is not installed") from None
    if done.returncode != 0:
        raise Missing(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout
