"""What one side does to the file, the other one sees; what both want, only one gets."""

import json
import pathlib
import sqlite3
import subprocess
import sys
import urllib.parse

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog as PyIcebergSqlCatalog
from pyiceberg.exceptions import (CommitFailedException, NamespaceAlreadyExistsError,
                                  NamespaceNotEmptyError, TableAlreadyExistsError)
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType
from pyiceberg.view.metadata import SQLViewRepresentation, ViewVersion

from conftest import CATALOG, Refused

SCHEMA = Schema(NestedField(1, "id", LongType()))
SHARED = pathlib.Path(__file__).resolve().parent.parent / "shared"
KEEP_ALL = {"write.metadata.previous-versions-max": "1000000"}


def rows(*ids):
    return pa.table({"id": pa.array(ids, pa.int64())})


def ids_of(table):
    return sorted(table.scan().to_arrow()["id"].to_pylist())


def query(lake, statement):
    connection = sqlite3.connect(lake.file)
    with connection:
        found = connection.execute(statement).fetchall()
    connection.close()
    return found


def refusal(theirs, *request, **more):
    with pytest.raises(Refused) as caught:
        theirs.do(*request, **more)
    return caught.value.kind


def test_their_file_is_served_as_it_stands(theirs, serve):
    theirs.do("create namespace", ["shop"], properties={"owner": "me"})
    theirs.do("create namespace", ["shop", "eu"])
    theirs.do("create table", ["shop", "orders"], properties={"a": "1"})
    theirs.do("append", ["shop", "orders"], ids=[1, 2])
    theirs.do("create table", ["shop", "eu", "visits"])
    ours = serve()
    assert ours.list_namespaces() == [("shop",)]
    assert ours.list_namespaces("shop") == [("shop", "eu")]
    found = ours.load_namespace_properties("shop")
    assert (found["owner"], "exists" in found) == ("me", False)
    assert ours.list_tables("shop") == [("shop", "orders")]
    assert ours.list_tables(("shop", "eu")) == [("shop", "eu", "visits")]
    table = ours.load_table(("shop", "orders"))
    wanted = theirs.do("load table", ["shop", "orders"])
    assert table.metadata_location == wanted["location"]
    assert str(table.metadata.table_uuid) == wanted["uuid"]
    assert table.properties["a"] == "1"
    assert ids_of(table) == [1, 2]


def test_ours_is_understood_by_them(theirs, ours):
    ours.create_namespace(("deep", "er"), {"a": "1"})
    ours.create_table(("deep", "er", "t"), SCHEMA, properties={"b": "2"}).append(rows(5, 6))
    # Go lists all levels at the top, Rust only the first.
    assert ["deep"] in theirs.do("list namespaces")
    assert ["deep", "er"] in theirs.do("list namespaces", ["deep"])
    assert theirs.do("load namespace", ["deep", "er"])["a"] == "1"
    assert theirs.do("list tables", ["deep", "er"]) == [["deep", "er", "t"]]
    assert theirs.do("load table", ["deep", "er", "t"])["properties"]["b"] == "2"
    assert sorted(theirs.do("ids", ["deep", "er", "t"])) == [5, 6]


def test_namespaces_without_rows_of_their_parents(theirs, ours):
    theirs.do("create namespace", ["a", "b", "c"])
    theirs.do("create table", ["a", "b", "c", "t"])
    assert ours.list_namespaces() == [("a",)]
    assert ours.list_namespaces("a") == [("a", "b")]
    assert ours.list_namespaces(("a", "b")) == [("a", "b", "c")]
    with pytest.raises(NamespaceNotEmptyError):
        ours.drop_namespace(("a", "b"))
    ours.create_table(("a", "b", "u"), SCHEMA)  # in one that only follows from its child
    assert theirs.do("list tables", ["a", "b"]) == [["a", "b", "u"]]
    ours.drop_table(("a", "b", "u"))
    ours.drop_table(("a", "b", "c", "t"))
    ours.drop_namespace(("a", "b", "c"))
    assert refusal(theirs, "load namespace", ["a", "b", "c"]) == "no such namespace"


def test_rows_without_a_type_are_tables(theirs, serve, lake):
    theirs.do("create namespace", ["n"])
    theirs.do("create table", ["n", "t"])
    query(lake, "UPDATE iceberg_tables SET iceberg_type = NULL")
    ours = serve()
    assert ours.list_tables("n") == [("n", "t")]
    ours.load_table(("n", "t")).append(rows(1))
    assert query(lake, "SELECT iceberg_type FROM iceberg_tables") == [("TABLE",)]
    theirs.do("append", ["n", "t"], ids=[2])
    assert ids_of(ours.load_table(("n", "t"))) == [1, 2]


def make_v0_file(lake):
    """A file as it was before there were views: no column says what a row is."""
    old = PyIcebergSqlCatalog(CATALOG, uri=f"sqlite:///{lake.file}", schema_version="v0",
                              warehouse=f"file://{lake.warehouse}")
    old.create_namespace("n")
    old.create_table(("n", "t"), SCHEMA).append(rows(1))
    old.close()
    connection = sqlite3.connect(lake.file)
    columns = {row[1] for row in connection.execute("PRAGMA table_info(iceberg_tables)")}
    if "iceberg_type" in columns:
        connection.execute("ALTER TABLE iceberg_tables DROP COLUMN iceberg_type")
        connection.commit()
    connection.close()


def test_file_of_the_first_layout_becomes_one_of_the_second(lake, serve, open_file):
    make_v0_file(lake)
    ours = serve()
    theirs = open_file()
    assert sorted(theirs.do("ids", ["n", "t"])) == [1]
    theirs.do("append", ["n", "t"], ids=[2])
    theirs.do("create table", ["n", "u"])
    ours.load_table(("n", "t")).append(rows(3))
    assert ids_of(ours.load_table(("n", "t"))) == [1, 2, 3]
    assert sorted(ours.list_tables("n")) == [("n", "t"), ("n", "u")]


def test_one_that_knows_the_first_layout_only_goes_on(lake, serve, open_file, language):
    if language == "rust":
        pytest.skip("iceberg-rust 0.10 does not read the first layout")
    make_v0_file(lake)
    theirs = open_file()
    theirs.do("append", ["n", "t"], ids=[2])
    ours = serve()  # adds the column, which the other side does not know of
    theirs.do("append", ["n", "t"], ids=[3])
    theirs.do("create table", ["n", "u"])
    assert sorted(ours.list_tables("n")) == [("n", "t"), ("n", "u")]
    ours.load_table(("n", "t")).append(rows(4))
    assert sorted(theirs.do("ids", ["n", "t"])) == [1, 2, 3, 4]


def test_both_commit_in_turn(theirs, ours):
    theirs.do("create namespace", ["n"])
    theirs.do("create table", ["n", "t"])
    here = ours.load_table(("n", "t"))
    for i in range(4):
        here.append(rows(i))
        theirs.do("append", ["n", "t"], ids=[i + 100])
        here.refresh()
    wanted = [0, 1, 2, 3, 100, 101, 102, 103]
    assert ids_of(here) == wanted
    assert sorted(theirs.do("ids", ["n", "t"])) == wanted
    assert len(here.metadata.snapshots) == 8


def test_our_commit_that_is_out_of_date_is_a_conflict(theirs, ours):
    theirs.do("create namespace", ["n"])
    theirs.do("create table", ["n", "t"], properties={"commit.retry.num-retries": "0"})
    stale = ours.load_table(("n", "t"))
    theirs.do("append", ["n", "t"], ids=[1])
    with pytest.raises(CommitFailedException):
        stale.append(rows(2))
    assert ids_of(ours.load_table(("n", "t"))) == [1]


def test_their_commit_that_is_out_of_date_loses_nothing(theirs, ours, language):
    ours.create_namespace("n")
    ours.create_table(("n", "t"), SCHEMA, properties={"commit.retry.num-retries": "0"})
    theirs.do("hold", ["n", "t"], ids=[1])
    ours.load_table(("n", "t")).append(rows(2))
    if language == "go":
        assert refusal(theirs, "release") == "conflict"
        wanted = [2]
    else:
        theirs.do("release")  # Rust reads the table again before each commit
        wanted = [1, 2]
    assert ids_of(ours.load_table(("n", "t"))) == wanted
    assert sorted(theirs.do("ids", ["n", "t"])) == wanted


def test_names_are_taken_on_both_sides(theirs, ours):
    theirs.do("create namespace", ["n"])
    theirs.do("create table", ["n", "t"])
    with pytest.raises(NamespaceAlreadyExistsError):
        ours.create_namespace("n")
    with pytest.raises(TableAlreadyExistsError):
        ours.create_table(("n", "t"), SCHEMA)
    ours.create_namespace("m")
    ours.create_table(("m", "u"), SCHEMA)
    assert refusal(theirs, "create namespace", ["m"]) == "namespace exists"
    assert refusal(theirs, "create table", ["m", "u"]) == "table exists"
    assert refusal(theirs, "create table", ["o", "u"]) == "no such namespace"
    ours.rename_table(("m", "u"), ("n", "u"))
    theirs.do("rename table", ["n", "t"], to=["m", "t"])
    assert ours.list_tables("n") == [("n", "u")]
    assert theirs.do("list tables", ["m"]) == [["m", "t"]]
    theirs.do("drop table", ["n", "u"])
    theirs.do("drop namespace", ["n"])
    assert ours.list_namespaces() == [("m",)]


def test_views_of_ours_are_no_tables_of_theirs(theirs, ours):
    ours.create_namespace("n")
    version = ViewVersion(version_id=1, schema_id=0, timestamp_ms=1, summary={},
                          default_namespace=["n"],
                          representations=[SQLViewRepresentation(
                              type="sql", sql="SELECT 1", dialect="spark")])
    ours.create_view(("n", "v"), Schema(NestedField(1, "c", StringType())), version)
    assert theirs.do("list tables", ["n"]) == []
    assert refusal(theirs, "load table", ["n", "v"]) == "no such table"
    with pytest.raises(Refused):
        theirs.do("create table", ["n", "v"])
    assert ours.list_views("n") == [("n", "v")]


def test_levels_with_dots_of_theirs_do_not_disturb(theirs, ours, language):
    if language == "rust":
        pytest.skip("iceberg-rust stores a level with a dot as two levels")
    theirs.do("create namespace", ["a.b", "c"])
    theirs.do("create namespace", ["plain"])
    assert ("plain",) in ours.list_namespaces()
    ours.create_table(("plain", "t"), SCHEMA)
    assert theirs.do("load namespace", ["a.b", "c"]) == {}


def test_writers_at_once_lose_nothing(command, lake, theirs, serve, language):
    """The other language, berglite over REST and PyIceberg's SqlCatalog, each on three tables."""
    theirs.do("create namespace", ["shared"])
    ours = serve()
    theirs.do("create table", ["shared", "of_theirs"], properties=KEEP_ALL)
    ours.create_table(("shared", "of_rest"), SCHEMA, properties=KEEP_ALL)
    ours.create_table(("shared", "more"), SCHEMA, properties=KEEP_ALL)
    tables = ["of_theirs", "of_rest", "more"]
    file = [lake.file, CATALOG, f"file://{lake.warehouse}"]
    writers = {language: [command, *file],
               "pyiceberg": [sys.executable, SHARED / "pyiceberg_writer.py", *file],
               "rest": [sys.executable, SHARED / "rest_writer.py", ours.uri]}
    running = {name: subprocess.Popen([str(word) for word in
                                       (*start, name, "write", 5, *tables)],
                                      stdout=subprocess.PIPE, text=True)
               for name, start in writers.items()}
    done = {name: json.loads(process.communicate(timeout=120)[0])
            for name, process in running.items()}
    assert [process.returncode for process in running.values()] == [0, 0, 0]
    located = dict(query(lake, "SELECT table_name, metadata_location FROM iceberg_tables"))
    for table in tables:
        metadata = json.loads(path_of(located[table]).read_text())
        wanted = {name: counts.get(table, 0) for name, counts in done.items()}
        assert {name: int(metadata["properties"].get(name, 0)) for name in wanted} == wanted
        log = [entry["metadata-file"] for entry in metadata["metadata-log"]]
        assert len(set(log)) == sum(wanted.values())
        assert all(path_of(file).exists() for file in log)
    assert all(sum(counts.values()) > 0 for counts in done.values())
    assert query(lake, "PRAGMA integrity_check") == [("ok",)]
    print("commits:", {name: sum(counts.values()) for name, counts in done.items()})


def path_of(location):
    return pathlib.Path(urllib.parse.urlsplit(location).path)
