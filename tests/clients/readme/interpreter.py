"""Carries out the blocks of a page, in one process, as a reader would who follows the page.

Each line of stdin is a JSON object with `language` and `text`; the answer is a line of JSON, null
or what went wrong. Statements in SQL are DuckDB's, with a new connection for each block.
"""

import json
import pathlib
import sys
import traceback

import duckdb

from clientkit.duckdb_client import EXTENSIONS, extension_file


def put_extensions(home):
    """To where INSTALL would put them, and where it finds that it has nothing to do."""
    connection = duckdb.connect()
    version = connection.execute("SELECT library_version FROM pragma_version()").fetchone()[0]
    platform = connection.execute("PRAGMA platform").fetchone()[0]
    directory = pathlib.Path(home, ".duckdb/extensions", version, platform)
    directory.mkdir(parents=True, exist_ok=True)
    for name in EXTENSIONS:
        (directory / f"{name}.duckdb_extension").symlink_to(extension_file(name))


def run_sql(text, home):
    connection = duckdb.connect(config={"home_directory": home})
    if "LOAD iceberg" not in text:
        connection.execute("LOAD iceberg")  # an earlier block has said so
    connection.execute(text)
    connection.close()


def main():
    home = sys.argv[1]
    put_extensions(home)
    answers, sys.stdout = sys.stdout, sys.stderr  # what a block prints is not an answer
    known = {"__name__": "__main__"}
    for line in sys.stdin:
        block = json.loads(line)
        problem = None
        try:
            if block["language"] == "python":
                exec(block["text"], known)
            else:
                run_sql(block["text"], home)
        except Exception:
            problem = traceback.format_exc(limit=-3)
        print(json.dumps(problem), file=answers, flush=True)


if __name__ == "__main__":
    main()
