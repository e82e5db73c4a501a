"""import and export, as a user moves a lake: by pointers, with the data where it is."""

import contextlib
import hashlib
import json
import os
import socket
import subprocess
import time
import urllib.request

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField
from pyiceberg.view.metadata import SQLViewRepresentation, ViewRepresentation, ViewVersion

from clientkit.program import Lake, Server

SCHEMA = Schema(NestedField(1, "id", LongType()))
START_TIMEOUT_S = 60


def rows(*ids):
    return pa.table({"id": list(ids)})


def ids_of(table):
    return sorted(table.scan().to_arrow()["id"].to_pylist())


def berglite(program, *words, code=0):
    """Runs a command and returns what it printed as JSON."""
    command = [str(program), *map(str, words), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          check=False)
    assert done.returncode == code, (done.stdout, done.stderr)
    return json.loads(done.stdout)


def outcomes(answer):
    return {(each["kind"], ".".join(each["name"])): each["outcome"] for each in answer["outcomes"]}


@contextlib.contextmanager
def reference_server(directory):
    """Iceberg's own REST server over its JdbcCatalog; yields its URI."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = dict(os.environ, CATALOG_URI=f"jdbc:sqlite:{directory}/reference.db",
                       CATALOG_WAREHOUSE=f"file://{directory}/reference",
                       CATALOG_REST_PORT=str(port), CATALOG_JDBC_SCHEMA__VERSION="V1")
    jars = os.environ["REFERENCE_JARS"]
    process = subprocess.Popen(
        ["java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
         "-Dorg.slf4j.simpleLogger.defaultLogLevel=off", "-cp", f"{jars}/*",
         "org.apache.iceberg.rest.RESTCatalogServer"],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        uri = f"http://127.0.0.1:{port}"
        await_answer(uri + "/v1/config", process)
        yield uri
    finally:
        process.kill()
        process.wait()


def await_answer(url, process):
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                assert answer.status == 200
                return
        except OSError:
            assert process.poll() is None and time.monotonic() < deadline, "it does not start"
            time.sleep(0.2)


@pytest.fixture
def other():
    """A second directory, for the catalog that things move to."""
    made = Lake()
    yield made
    made.remove()


def test_file_of_pyiceberg_is_imported_and_stays_as_it_is(program, lake, other):
    source = SqlCatalog("theirs", uri=f"sqlite:///{lake.file}",
                        warehouse=f"file://{lake.warehouse}")
    source.create_namespace("shop", {"owner": "me"})
    source.create_namespace(("shop", "eu"))
    source.create_table(("shop", "orders"), SCHEMA).append(rows(1, 2))
    source.create_table(("shop", "eu", "visits"), SCHEMA)
    source.close()
    before = hashlib.sha256(lake.file.read_bytes()).digest()
    command = ["import", "--from", lake.file, "--file", other.file, "--warehouse", other.warehouse,
               "--allow-location", lake.warehouse]

    planned = berglite(program, *command, "--dry-run")
    assert set(outcomes(planned).values()) == {"would move"}
    moved = berglite(program, *command)
    assert outcomes(moved) == {("namespace", "shop"): "moved", ("table", "shop.orders"): "moved",
                               ("namespace", "shop.eu"): "moved",
                               ("table", "shop.eu.visits"): "moved"}
    assert moved["outcomes"][1]["source-snapshots"] == moved["outcomes"][1]["target-snapshots"] == 1
    assert set(outcomes(berglite(program, *command)).values()) == {"present"}
    assert hashlib.sha256(lake.file.read_bytes()).digest() == before

    server = Server(program, other, ["--allow-location", str(lake.warehouse)])
    served = RestCatalog("suite", uri=server.uri)
    assert served.load_namespace_properties("shop")["owner"] == "me"
    served.load_table(("shop", "orders")).append(rows(3))
    assert ids_of(served.load_table(("shop", "orders"))) == [1, 2, 3]
    server.stop()


def test_catalog_moves_to_the_reference_server_and_back(program, lake, other):
    server = Server(program, lake)
    ours = RestCatalog("suite", uri=server.uri)
    ours.create_namespace("sales", {"owner": "me"})
    table = ours.create_table(("sales", "orders"), SCHEMA)
    for i in range(3):
        table.append(rows(i))
    query = ViewRepresentation(SQLViewRepresentation(type="sql", sql="SELECT 1", dialect="spark"))
    ours.create_view(("sales", "v"), SCHEMA,
                     ViewVersion(schema_id=0, default_namespace=("sales",),
                                 summary={"engine": "suite"}, representations=[query]))

    with reference_server(other.path) as uri:
        # The server goes on while its file is exported.
        exported = berglite(program, "export", "--to", uri, "--file", lake.file, "--warehouse",
                            lake.warehouse)
        assert outcomes(exported) == {("namespace", "sales"): "moved",
                                      ("table", "sales.orders"): "moved",
                                      ("view", "sales.v"): "moved"}
        theirs = RestCatalog("suite", uri=uri)
        there = theirs.load_table(("sales", "orders"))
        assert there.metadata_location == ours.load_table(("sales", "orders")).metadata_location
        assert there.metadata == ours.load_table(("sales", "orders")).metadata
        there.append(rows(3))

        back = ["import", "--from", uri, "--file", other.file, "--warehouse", other.warehouse,
                "--allow-location", lake.warehouse, "--allow-location", other.path]
        imported = berglite(program, *back)
        assert set(outcomes(imported).values()) == {"moved"}
        # Where it came from has not seen the last commit, and is not made to without being told.
        again = ["import", "--from", uri, "--file", lake.file, "--warehouse", lake.warehouse,
                 "--allow-location", other.path]
        kept = berglite(program, *again, code=1)
        assert outcomes(kept)[("table", "sales.orders")] == "skipped"
        taken = berglite(program, *again, "--overwrite")
        assert outcomes(taken)[("table", "sales.orders")] == "moved"
    assert ids_of(ours.load_table(("sales", "orders"))) == [0, 1, 2, 3]
    server.stop()

    server = Server(program, other, ["--allow-location", str(lake.warehouse)])
    moved = RestCatalog("suite", uri=server.uri)
    assert ids_of(moved.load_table(("sales", "orders"))) == [0, 1, 2, 3]
    assert moved.list_views("sales") == [("sales", "v")]
    server.stop()


def test_what_cannot_be_moved_is_told(program, lake):
    words = ["import", "--from", "http://127.0.0.1:1", "--file", str(lake.file), "--json"]
    done = subprocess.run([str(program), *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert "No answer from http://127.0.0.1:1/v1/config" in done.stderr
    words[2] = str(lake.path / "none.db")
    done = subprocess.run([str(program), *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert "none.db" in done.stderr
