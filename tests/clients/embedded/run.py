#!/usr/bin/env python3
"""An application outside the tree: installs berglite, builds examples/ against it and runs it.

    run.py BUILD [CMAKE-OPTION...]

BUILD is a complete build of berglite; the options are handed to the build of the examples.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import suite  # noqa: E402

EXAMPLES = HERE.parents[2] / "examples"


def run(*command, **options):
    """Runs a step and returns what it printed; a step that fails ends the suite."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        print(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
        suite.close(0, 1, 0)
    return done.stdout


def use_package(work, build, options):
    prefix = work / "prefix"
    run("cmake", "--install", build, "--prefix", prefix)
    run("cmake", "-S", EXAMPLES, "-B", work / "build", f"-DCMAKE_PREFIX_PATH={prefix}", *options)
    run("cmake", "--build", work / "build")
    # Where the libraries are shared, the program finds them by this alone.
    environment = dict(os.environ, LD_LIBRARY_PATH=os.pathsep.join(
        str(path) for path in prefix.glob("lib*") if path.is_dir()))
    # The second run finds what the first one left.
    for _ in range(2):
        printed = run(work / "build/embedded", work / "lake.db", env=environment)
        if '"orders"' not in printed or not (work / "lake.db").exists():
            print(f"expected the table orders, found:\n{printed}")
            suite.close(0, 1, 0)
    if "serve" not in run(prefix / "bin/berglite", "--help", env=environment):
        print("the installed program does not explain itself")
        suite.close(0, 1, 0)


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="berglite-embedded-"))
    try:
        use_package(work, pathlib.Path(sys.argv[1]).absolute(), sys.argv[2:])
    finally:
        shutil.rmtree(work, ignore_errors=True)
    suite.close(1, 0, 0)


if __name__ == "__main__":
    main()
