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
# Of a build with sanitizers.
COMPILER_FLAGS = [flag for option in sys.argv if option.startswith("-DCMAKE_CXX_FLAGS=")
                  for flag in option.partition("=")[2].split()]
SERVER_SOURCE = """
#include <berglite/server.h>
#include <iostream>
int main(int, char** argv) {
  const auto catalog = berglite::Catalog::Open(argv[1]);
  const auto server = berglite::Server::Start(**catalog, {.port = 0});
  std::cout << (*server)->uri();
}
"""


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


def use_pkg_config(work):
    """The same program by pkg-config alone; False where there is none."""
    if not shutil.which("pkg-config"):
        return False
    found = [str(path.parent) for path in (work / "prefix").rglob("berglite.pc")]
    environment = dict(os.environ, PKG_CONFIG_PATH=os.pathsep.join(found))
    for package, source in (("berglite", EXAMPLES / "embedded.cc"),
                            ("berglite-server", work / "server.cc")):
        flags = run("pkg-config", "--cflags", "--libs", package, env=environment).split()
        (work / "server.cc").write_text(SERVER_SOURCE)
        libraries = [f"-Wl,-rpath,{flag[2:]}" for flag in flags if flag.startswith("-L")]
        run(os.environ.get("CXX", "c++"), "-std=c++20", source, *COMPILER_FLAGS, *flags, *libraries,
            "-o", work / package)
    if '"orders"' not in run(work / "berglite", work / "again.db"):
        print("the example that was built by pkg-config does not list its table")
        suite.close(0, 1, 0)
    if not run(work / "berglite-server", work / "again.db").startswith("http://127.0.0.1:"):
        print("the server that was built by pkg-config does not tell its URI")
        suite.close(0, 1, 0)
    return True


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="berglite-embedded-"))
    try:
        use_package(work, pathlib.Path(sys.argv[1]).absolute(), sys.argv[2:])
        used = use_pkg_config(work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    suite.close(1 + used, 0, 1 - used)


if __name__ == "__main__":
    main()
