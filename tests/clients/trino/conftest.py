"""One Trino server for all tests, with the catalog that README.md says how to make.

What is in the tables is asked of Trino, and of PyIceberg, which has what the berglite server has.
"""

import json
import pathlib
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request
import zipfile

import pytest
from clientkit import readme_example
from pyiceberg.catalog.rest import RestCatalog

HERE = pathlib.Path(__file__).resolve().parent
START_TIMEOUT_S = 180
ANSWER_TIMEOUT_S = 120

JAVA_OPTIONS = ["-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "--add-modules=jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow", "-Dconfig=etc/config.properties"]

# A server of one process. `catalog.management` lets tests make catalogs of their own.
CONFIG = """\
coordinator=true
node-scheduler.include-coordinator=true
node.environment=test
node.bind-ip=127.0.0.1
node.internal-address=127.0.0.1
http-server.http.port={port}
discovery.uri=http://127.0.0.1:{port}
catalog.management=dynamic
plugin.dir=plugin
"""


def pytest_addoption(parser):
    for name, what in (("--java", "a Java that Trino runs on"),
                       ("--server-jars", "the directory with Trino itself"),
                       ("--plugin-jars", "the directory with its Iceberg connector")):
        parser.addoption(name, type=pathlib.Path, required=True, help=what)


class Refused(Exception):
    """What Trino or the server had against a statement."""


def reasons_of(error):
    """What an error of Trino's says, and what its causes do."""
    yield error["message"]
    cause = error.get("failureInfo")
    while cause:
        yield f"{cause['type']}: {cause.get('message')}"
        cause = cause.get("cause")


class Trino:
    """A server in a directory of its own, laid out as its distribution is."""

    def __init__(self, option, directory, example):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self._uri = f"http://127.0.0.1:{port}/v1"
        self._log = directory / "trino.log"
        lay_out(directory, option("plugin_jars"), CONFIG.format(port=port), example)
        version = re.search(r"trino-main-(.+)\.jar", " ".join(
            path.name for path in option("server_jars").glob("trino-main-*.jar")))[1]
        command = [option("java"), *JAVA_OPTIONS, f"-Djava.io.tmpdir={directory}",
                   "-cp", f"{option('server_jars')}/*", HERE / "TrinoServer.java", version]
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL,
                                             stdout=log, stderr=log)

    def wait_for_start(self):
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self._has_started():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"not started within {START_TIMEOUT_S} s; the end of its log:\n"
                                   f"{self._log.read_text(errors='replace')[-5000:]}")
            time.sleep(0.1)

    def _has_started(self):
        try:
            return not self._call(f"{self._uri}/info")["starting"]
        except urllib.error.URLError:
            return False

    @staticmethod
    def _call(uri, data=None):
        request = urllib.request.Request(uri, data, {"X-Trino-User": "suite",
                                                     "X-Trino-Time-Zone": "UTC"})
        with urllib.request.urlopen(request, timeout=ANSWER_TIMEOUT_S) as answer:
            return json.load(answer)

    def run(self, statement):
        """Returns the rows of a statement, as tuples. Raises Refused."""
        answer = self._call(f"{self._uri}/statement", statement.encode())
        rows = answer.get("data", [])
        while "nextUri" in answer:
            answer = self._call(answer["nextUri"])
            rows += answer.get("data", [])
        if "error" in answer:
            raise Refused("\n".join(reasons_of(answer["error"])))
        return [tuple(row) for row in rows]

    def end(self):
        self._process.kill()
        self._process.wait()


def lay_out(directory, plugin_jars, config, example):
    (directory / "etc/catalog").mkdir(parents=True)
    (directory / "etc/config.properties").write_text(config, encoding="utf-8")
    (directory / "etc/catalog/lake.properties").write_text(example, encoding="utf-8")
    plugin = directory / "plugin/iceberg"
    plugin.mkdir(parents=True)
    for jar in plugin_jars.glob("*.jar"):
        (plugin / jar.name).symlink_to(jar)
    # The distribution has such a file beside the published ones.
    with zipfile.ZipFile(plugin / "services.jar", "w") as services:
        services.writestr("META-INF/services/io.trino.spi.Plugin",
                          "io.trino.plugin.iceberg.IcebergPlugin\n")


@pytest.fixture(scope="session")
def example(server):
    """The properties in README.md, for the server under test."""
    return readme_example.example("trino", "properties", server.uri)


@pytest.fixture(scope="session")
def trino(pytestconfig, example, tmp_path_factory):
    started = Trino(pytestconfig.getoption, tmp_path_factory.mktemp("trino"), example)
    try:
        started.wait_for_start()
        yield started
    finally:
        started.end()


@pytest.fixture
def sql(trino):
    return trino.run


@pytest.fixture(scope="module")
def make_catalog(trino, example):
    """Makes a catalog as the example has it, but for some properties, and returns its name."""
    made = []

    def make(name, properties):
        lines = (line.split("=", 1) for line in example.splitlines() if line)
        mine = {key: value for key, value in lines if key != "connector.name"}
        settings = ", ".join(f"\"{key}\" = '{value}'" for key, value in {**mine,
                                                                         **properties}.items())
        trino.run(f"CREATE CATALOG {name} USING iceberg WITH ({settings})")
        made.append(name)
        return name

    yield make
    for name in made:
        trino.run(f"DROP CATALOG {name}")


@pytest.fixture
def catalog(server):
    return RestCatalog("suite", uri=server.uri)


@pytest.fixture
def schema(sql, unique):
    """A new schema, with the name of the catalog before its own."""
    sql(f"CREATE SCHEMA lake.{unique}")
    return f"lake.{unique}"


@pytest.fixture
def table(sql, schema):
    """Three rows, in one file for each of two partitions."""
    name = f"{schema}.t"
    sql(f"CREATE TABLE {name} (id BIGINT, part VARCHAR, note VARCHAR) "
        "WITH (partitioning = ARRAY['part'])")
    sql(f"INSERT INTO {name} VALUES (1, 'a', 'one'), (2, 'a', 'two'), (3, 'b', 'three')")
    return name
