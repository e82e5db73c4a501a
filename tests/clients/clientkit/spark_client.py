"""Spark for suites whose own environment has other clients: it runs beside, in its own."""

import json
import os
import pathlib
import subprocess

from clientkit import cache, suite

HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = HERE.parent


def prepare():
    """The Python of the suite, with PyIceberg and DuckDB, and options that say where Spark is."""
    suite.run_tool(["java", "-version"])
    jars = cache.jars("spark-jars", CLIENTS / "spark/pom.xml")
    spark = cache.venv("spark", CLIENTS / "spark/requirements.txt")
    return (cache.venv("python", CLIENTS / "requirements.txt"),
            ["--spark", str(spark), "--jars", str(jars)])


def add_options(parser):
    parser.addoption("--spark", type=pathlib.Path, required=True, help="the Python that has Spark")
    parser.addoption("--jars", type=pathlib.Path, required=True,
                     help="the directory with Iceberg's runtime for Spark")


def in_spark(pytestconfig, uri, *statements):
    """The rows of each statement, with the catalog at the URI as `ice`."""
    command = [pytestconfig.getoption("spark"), HERE / "spark_statements.py", uri,
               pytestconfig.getoption("jars"), *statements]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=300, check=False,
                          env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
