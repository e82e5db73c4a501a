#!/usr/bin/env python3
"""A Trino server against the built program: run.py PROGRAM [pytest's arguments].

Started by hand: it needs Java 25, which Debian does not have, and fetches half a gigabyte.
"""

import os
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import cache, pytest_suite, suite  # noqa: E402

JAVA = 25
MODULES = ("jdk.compiler", "jdk.incubator.vector")


def find_java():
    """The first Java that Trino runs on, in JAVA_HOME, PATH and where packages put it."""
    home, in_path = os.environ.get("JAVA_HOME"), shutil.which("java")
    found = [pathlib.Path(home, "bin/java")] if home else []
    found += [pathlib.Path(in_path)] if in_path else []
    found += sorted(pathlib.Path("/usr/lib/jvm").glob("*/bin/java"), reverse=True)
    for java in filter(pathlib.Path.exists, found):
        modules = dict(re.findall(r"^(\S+)@(\d+)", suite.run_tool([java, "--list-modules"]), re.M))
        if all(int(modules.get(module, 0)) >= JAVA for module in MODULES):
            return java
    raise suite.Missing(f"expected a JDK {JAVA} or later in JAVA_HOME, PATH or /usr/lib/jvm, "
                        f"found {', '.join(map(str, found)) or 'none'}")


def prepare():
    java = find_java()
    return (cache.venv("python", HERE.parent / "requirements.txt"),
            ["--java", str(java),
             "--server-jars", str(cache.jars("trino-server", HERE / "server.xml")),
             "--plugin-jars", str(cache.jars("trino-plugin", HERE / "plugin.xml"))])


if __name__ == "__main__":
    pytest_suite.run(HERE, prepare)
