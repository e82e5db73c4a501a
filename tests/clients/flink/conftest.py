"""One Flink for all tests, with the catalog that README.md says how to make.

What is in the tables is asked of Flink, and of PyIceberg, which has what the server has.
"""

import json
import pathlib
import subprocess
import threading

import pytest
from clientkit import readme_example
from pyiceberg.catalog.rest import RestCatalog

HERE = pathlib.Path(__file__).resolve().parent
ANSWER_TIMEOUT_S = 120

# Flink's own scripts open these packages to it; more is for heavier work than these tests.
JAVA = ["java", "-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED"
          for package in ("java.lang", "java.nio", "java.util")),
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"]


def pytest_addoption(parser):
    parser.addoption("--jars", type=pathlib.Path, required=True,
                     help="the directory with Flink and Iceberg's runtime for it")


class Refused(Exception):
    """What Flink, Iceberg or the server had against a statement: an exception and its causes."""


class Flink:
    """The process of FlinkSql.java, which says what can be asked of it."""

    def __init__(self, jars, scratch):
        self._log = scratch / "flink.log"
        command = [*JAVA, f"-Djava.io.tmpdir={scratch}", "-cp", f"{jars}/*",
                   str(HERE / "FlinkSql.java")]
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=log,
                                             stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        """Returns the rows of the answer, as tuples. Raises Refused."""
        watch = threading.Timer(ANSWER_TIMEOUT_S, self._process.kill)
        watch.start()
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        finally:
            watch.cancel()
        if not line:
            tail = self._log.read_text(errors="replace")[-5000:]
            raise RuntimeError(f"no answer within {ANSWER_TIMEOUT_S} s to {request}; the end of "
                               f"its log:\n{tail}")
        answer = json.loads(line)
        if "error" in answer:
            raise Refused(answer["error"])
        return [tuple(row) for row in answer["rows"]]

    def end(self):
        self._process.stdin.close()
        try:
            self._process.wait(30)
        finally:
            self._process.kill()
            self._process.stdout.close()


@pytest.fixture(scope="session")
def example(server):
    """The statements of README.md, for the server under test."""
    text = readme_example.example("flink", "sql", server.uri)
    return [statement.strip() for statement in text.split(";") if statement.strip()]


@pytest.fixture(scope="session")
def flink(pytestconfig, example, tmp_path_factory):
    """Flink with the example's catalog, `lake`, in both of its modes."""
    started = Flink(pytestconfig.getoption("jars"), tmp_path_factory.mktemp("flink"))
    try:
        for mode in ("batch", "streaming"):
            started.ask(do="run", mode=mode, statement=example[0])
        yield started
    finally:
        started.end()


@pytest.fixture
def sql(flink):
    """Runs a statement to its end, in batch mode unless another is asked for."""
    return lambda statement, mode="batch": flink.ask(do="run", mode=mode, statement=statement)


@pytest.fixture
def catalog(server):
    return RestCatalog("suite", uri=server.uri)


@pytest.fixture
def database(sql, unique):
    """A new database, with the name of the catalog before its own."""
    sql(f"CREATE DATABASE lake.{unique}")
    return f"lake.{unique}"


def summaries_of(table):
    """What each of its snapshots says of itself, the first one first."""
    return [{"operation": snapshot.summary.operation.value,
             **snapshot.summary.additional_properties} for snapshot in table.snapshots()]
