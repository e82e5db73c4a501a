#!/usr/bin/env python3
"""iceberg-js against the built program: run.py PROGRAM."""

import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import cache, suite  # noqa: E402
from clientkit.program import serving  # noqa: E402

TIMEOUT_S = 120


def main():
    suite.run_tool(["node", "--version"])
    modules = cache.node_modules("js", HERE / "package.json") / "node_modules"
    with serving(sys.argv[1]) as (server, _):
        environment = dict(os.environ, NODE_PATH=str(modules), CATALOG_URI=server.uri)
        done = subprocess.run(["node", "--test", "--test-reporter=tap",
                               str(HERE / "catalog_test.cjs")], env=environment, check=False,
                              stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S)
    print(done.stdout)
    counts = dict(re.findall(r"^# (pass|fail|cancelled|skipped) (\d+)$", done.stdout, re.MULTILINE))
    suite.close(int(counts.get("pass", 0)), int(counts.get("fail", 1)) +
                int(counts.get("cancelled", 0)), int(counts.get("skipped", 0)))


if __name__ == "__main__":
    suite.main_guard(main)
