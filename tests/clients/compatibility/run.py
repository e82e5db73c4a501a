#!/usr/bin/env python3
"""The table of clients in docs/compatibility.md, made from the suites.

    run.py                  compares it with the suites: their versions, and what they test
    run.py --fix            writes it
    run.py --results DIR    compares it with what the suites did: each leaves its result there

What a suite in pytest tests are its modules; of the others a row says it. A suite without a result
has not run, which is told and is no failure, as a client that cannot be fetched is none.
"""

import argparse
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = HERE.parent
TABLE = HERE.parents[2] / "docs/compatibility.md"
sys.path.insert(0, str(CLIENTS))

from clientkit import suite  # noqa: E402

PYTHON = ("requirements.txt", r"pyiceberg\[.*\]==(.+)")
JAVA = ("rck/pom.xml", r"<iceberg>(.+)</iceberg>")
TRINO = ("trino/server.xml", r"<version>(\d\d+)</version>")
FLINK = [("flink/pom.xml", r"<flink>(.+)</flink>"), ("flink/pom.xml", r"<iceberg>(.+)</iceberg>")]
SPARK = [("spark/requirements.txt", r"pyspark==(.+)"), ("spark/pom.xml", r"<version>(\d+\..+)</")]

ONE_FILE = "both on one file: what each sees of the other, conflicts, concurrent commits"

# Client, where its versions are pinned, how it gets at the catalog, the suite, and what that tests
# where its modules do not say so.
ROWS = [
    ("PyIceberg", [PYTHON], "REST", "pyiceberg", None),
    ("PyIceberg", [PYTHON], "the file, `SqlCatalog`", "takeover",
     "an existing catalog, served by one command"),
    ("Spark, Iceberg", SPARK, "REST", "relocate", "a warehouse that was moved"),
    ("DuckDB", [("requirements.txt", r"duckdb==(.+)")], "REST", "duckdb", None),
    ("Spark, Iceberg", SPARK, "REST", "spark", None),
    ("Flink, Iceberg", FLINK, "REST", "flink", None),
    ("Trino", [TRINO], "REST", "trino", None),
    ("Iceberg for Java", [JAVA], "REST", "rck", "Compatibility Kit: namespaces, tables"),
    ("Iceberg for Java", [JAVA], "REST", "rck-views", "Compatibility Kit: views"),
    ("Iceberg for Java", [JAVA], "REST", "rck-auth", "Compatibility Kit, as a principal"),
    ("Iceberg for Java", [JAVA], "REST", "rck-lost-answers", "retries with idempotency keys"),
    ("Iceberg for Java", [JAVA], "the file, `JdbcCatalog`", "shared", "concurrent commits"),
    ("iceberg-go", [("sqlcatalogs/go/go.mod", r"iceberg-go v(.+)")], "the file, `catalog/sql`",
     "sqlcatalogs-go", ONE_FILE),
    ("iceberg-rust", [("sqlcatalogs/rust/Cargo.toml", r'iceberg-catalog-sql = "=(.+)"')],
     "the file, `iceberg-catalog-sql`", "sqlcatalogs-rust", ONE_FILE),
    ("iceberg-js", [("js/package.json", r'"iceberg-js": "(.+)"')], "REST", "js",
     "namespaces, tables"),
]

INTRODUCTION = """# Clients that were tested

Made from the suites in `tests/clients` by `tests/clients/compatibility/run.py --fix`; a test fails
where it is no longer what they say. Versions are the ones that the suites pin. `sqlcatalogs-rust`
and `trino` are not among the default tests.

| client | version | gets at | what is tested | suite |
| --- | --- | --- | --- | --- |
"""


def version_of(pins):
    found = []
    for file, pattern in pins:
        match = re.search(pattern, (CLIENTS / file).read_text(encoding="utf-8"))
        if not match:
            raise SystemExit(f"{file} has nothing like {pattern}")
        found.append(match[1])
    return ", ".join(found)


def modules_of(name):
    """The modules of a suite in pytest; its folder is named before the first hyphen."""
    return sorted(path.stem for path in (CLIENTS / name.split("-")[0]).glob("*_test.py"))


def tested_by(name, said):
    words = (module.removesuffix("_test").replace("_", " ") for module in modules_of(name))
    return said or ", ".join(words)


def make_table():
    lines = [f"| {client} | {version_of(pins)} | {way} | {tested_by(name, said)} | {name} |"
             for client, pins, way, name, said in ROWS]
    return INTRODUCTION + "\n".join(lines) + "\n"


def problem_of(name, result):
    """What a result has against the row of its suite, or None."""
    if not result["passed"] or result["failed"]:
        return f"{name}: {result['passed']} passed, {result['failed']} failed"
    idle = [module for module in modules_of(name) if not result.get("modules", {}).get(module)]
    return f"{name}: nothing of {', '.join(idle)} passed" if idle else None


def compare_results(directory):
    passed, failed, skipped = 0, 0, 0
    for _, _, _, name, _ in ROWS:
        file = directory / f"{name}.json"
        if not file.exists():
            print(f"{name} has not run")
            skipped += 1
            continue
        problem = problem_of(name, json.loads(file.read_text(encoding="utf-8")))
        if problem:
            print(problem)
        passed, failed = passed + (not problem), failed + bool(problem)
    if not passed and not failed:
        suite.cannot_run("no suite has run")
    suite.close(passed, failed, skipped)


def compare_table():
    wanted, found = make_table(), TABLE.read_text(encoding="utf-8")
    if wanted != found:
        here, there = wanted.splitlines(), found.splitlines()
        differing = [line for line in here if line not in there] or ["fewer lines"]
        print(f"{TABLE} is not what the suites say, such as:\n{differing[0]}\n"
              f"{HERE.name}/run.py --fix writes it")
    suite.close(int(wanted == found), int(wanted != found), 0)


def main():
    parser = argparse.ArgumentParser(description="The table of clients")
    parser.add_argument("--fix", action="store_true", help="write it")
    parser.add_argument("--results", type=pathlib.Path, help="what the suites have left")
    arguments = parser.parse_args()
    if arguments.fix:
        TABLE.write_text(make_table(), encoding="utf-8")
    elif arguments.results:
        compare_results(arguments.results)
    else:
        compare_table()


if __name__ == "__main__":
    main()
