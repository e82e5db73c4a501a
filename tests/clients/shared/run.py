#!/usr/bin/env python3
"""Four kinds of writers on one catalog file at the same time.

    run.py PROGRAM EMBEDDED-WRITER [--seconds S]

A server of berglite, berglite inside another process, PyIceberg's SqlCatalog and Iceberg's own
JdbcCatalog each make a table, then all commit to all four. A commit that was acknowledged is one
entry of the table's metadata log, and each writer's last one is to be seen.
"""

import argparse
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import cache, suite  # noqa: E402
from clientkit.program import serving  # noqa: E402

# The name under which all four know the catalog.
CATALOG = "default"
# How long a writer may take beyond its time, its runtime's start included.
PATIENCE_S = 240


def main():
    parser = argparse.ArgumentParser(description="Runs four kinds of writers on one file")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("embedded_writer", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=8)
    arguments = parser.parse_args()
    suite.run_tool(["javac", "-version"])
    jars = cache.jars("rck", HERE.parent / "rck/pom.xml")
    python = cache.venv("python", HERE.parent / "requirements.txt")
    with serving(arguments.program) as (server, lake):
        sql = [str(lake.file), CATALOG, f"file://{lake.warehouse}"]
        writers = {
            "pyiceberg": [python, HERE / "pyiceberg_writer.py", *sql],
            "jdbc": ["java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                     "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                     "-cp", f"{jars}/*", HERE / "JdbcWriter.java", *sql],
            "embedded": [arguments.embedded_writer, lake.file],
            "rest": [sys.executable, HERE / "rest_writer.py", server.uri],
        }
        for name, command in writers.items():
            finish(start(command, name, "create", f"of_{name}"))
        tables = [f"of_{name}" for name in writers]
        running = {name: start(command, name, "write", arguments.seconds, *tables)
                   for name, command in writers.items()}
        done = {name: json.loads(finish(started)) for name, started in running.items()}
        failed = check(lake, tables, done)
    print("commits:", {name: sum(counts.values()) for name, counts in done.items()})
    suite.close(len(tables) - failed, failed, 0)


def start(command, *words):
    # What it complains of goes into a file: nobody reads a pipe while it runs.
    complaints = tempfile.TemporaryFile("w+")
    process = subprocess.Popen([str(word) for word in (*command, *words)], stdout=subprocess.PIPE,
                               stderr=complaints, text=True)
    return process, complaints


def finish(started):
    """What the writer printed; a writer that ends otherwise than it should ends the suite."""
    process, complaints = started
    with complaints:
        out, _ = process.communicate(timeout=PATIENCE_S)
        if process.returncode != 0:
            complaints.seek(0)
            print(f"{process.args[0]} ended with {process.returncode}:\n{complaints.read()}")
            suite.close(0, 1, 0)
    return out


def check(lake, tables, done):
    """How many of the tables are not what their writers were told."""
    connection = sqlite3.connect(lake.file)
    located = dict(connection.execute("SELECT table_name, metadata_location FROM iceberg_tables"))
    sound = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    failed = int(sound != ("ok",) or sorted(located) != sorted(tables))
    for table in tables:
        wanted = {name: counts[table] for name, counts in done.items() if table in counts}
        metadata = read(located[table])
        found = {name: int(metadata["properties"].get(name, 0)) for name in wanted}
        log = [entry["metadata-file"] for entry in metadata.get("metadata-log", [])]
        missing = [file for file in log if not path_of(file).exists()]
        if found != wanted or len(set(log)) != sum(wanted.values()) or missing:
            print(f"{table}: {wanted} were acknowledged; found {found}, {len(set(log))} older "
                  f"versions, missing files {missing}")
            failed += 1
    return failed


def path_of(location):
    return pathlib.Path(urllib.parse.urlsplit(location).path)


def read(location):
    return json.loads(path_of(location).read_text(encoding="utf-8"))


if __name__ == "__main__":
    suite.main_guard(main)
