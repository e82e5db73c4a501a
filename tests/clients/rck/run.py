#!/usr/bin/env python3
"""Iceberg's REST Compatibility Kit against the built program.

    run.py PROGRAM [--class NAME] [--auth]

NAME is a class of the package org.apache.iceberg.rest; the one for tables by default. Each class
expects a catalog that holds nothing, so each run has a server of its own. With --auth the server
answers to its principals alone, and the kit has the credential of one.
"""

import argparse
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import cache, suite  # noqa: E402
from clientkit.program import add_principal, serving  # noqa: E402

TIMEOUT_S = 900


def main():
    parser = argparse.ArgumentParser(description="Runs the REST Compatibility Kit")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--class", dest="name", default="RESTCompatibilityKitCatalogTests")
    parser.add_argument("--auth", action="store_true")
    arguments = parser.parse_args()
    suite.run_tool(["java", "-version"])
    jars = cache.jars("rck", HERE / "pom.xml")
    # The kit places tables at fixed locations below /tmp.
    options = ["--allow-location", "file:/tmp"] + (["--auth"] if arguments.auth else [])
    with serving(arguments.program, *options) as (server, lake):
        reports = lake.path / "reports"
        properties = {"uri": server.uri}
        if arguments.auth:
            properties["credential"] = "kit:" + add_principal(arguments.program, lake, "kit")
        run_kit(jars, properties, arguments.name, reports)
        outcome = read_reports(reports)
    suite.close(*outcome)


def run_kit(jars, connection, name, reports):
    """Runs one class of the kit; what fails is printed by the launcher and kept in `reports`."""
    properties = {
        **connection,
        "warehouse": "rck",
        "rck.local": "false",
        "rck.requires-namespace-create": "true",
        "rck.supports-names-with-dot": "true",
        "rck.supports-variant": "true",
        "org.slf4j.simpleLogger.defaultLogLevel": "error",
    }
    # The catalog runs in another process: little memory and a quick start matter here.
    java = ["java", "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    java += [f"-D{key}={value}" for key, value in properties.items()]
    java += ["-cp", f"{jars}/*", "org.junit.platform.console.ConsoleLauncher", "execute",
             "--select-class", f"org.apache.iceberg.rest.{name}", "--include-classname", ".*",
             "--disable-banner", "--disable-ansi-colors", "--details=summary",
             f"--reports-dir={reports}"]
    # Its exit code says no more than the reports do.
    subprocess.run(java, check=False, timeout=TIMEOUT_S)


def read_reports(reports):
    """Counts (passed, failed, skipped), naming what failed and what was skipped."""
    passed, failed, skipped = 0, 0, 0
    for report in sorted(reports.glob("TEST-*.xml")):
        for case in ElementTree.parse(report).iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                print(f"failed: {case.get('name')}")
                failed += 1
            elif case.find("skipped") is not None:
                print(f"skipped: {case.get('name')}")
                skipped += 1
            else:
                passed += 1
    return passed, failed, skipped


if __name__ == "__main__":
    suite.main_guard(main)
