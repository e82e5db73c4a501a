"""The directory of a lake is moved, and `berglite relocate` makes the catalog agree with it."""

import json
import shutil
import subprocess

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog

from clientkit.duckdb_client import open_duckdb
from clientkit.program import Server
from clientkit.spark_client import in_spark

PEOPLE = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "name": ["Ada", "Grace", "Edith"]})

# Tables of every sort that name files in other files.
TABLES = [
    "CREATE NAMESPACE ice.ns",
    "CREATE TABLE ice.ns.plain (id BIGINT, day DATE) USING iceberg PARTITIONED BY (day)",
    "INSERT INTO ice.ns.plain VALUES (1, DATE '2026-01-01'), (2, DATE '2026-01-02')",
    "ALTER TABLE ice.ns.plain CREATE TAG first",
    "INSERT INTO ice.ns.plain VALUES (3, DATE '2026-01-03')",
    "DELETE FROM ice.ns.plain WHERE id = 1",
    "CALL ice.system.compute_table_stats('ns.plain')",
    "CREATE TABLE ice.ns.vectors (id BIGINT) USING iceberg TBLPROPERTIES ("
    "'format-version'='3', 'write.delete.mode'='merge-on-read')",
    "INSERT INTO ice.ns.vectors SELECT id FROM range(10)",
    "DELETE FROM ice.ns.vectors WHERE id < 3",
    "CREATE VIEW ice.ns.seen AS SELECT id FROM ice.ns.vectors WHERE id > 7",
]
POSITION_DELETES = [
    "CREATE TABLE ice.ns.positions (id BIGINT) USING iceberg TBLPROPERTIES ("
    "'format-version'='2', 'write.delete.mode'='merge-on-read')",
    "INSERT INTO ice.ns.positions SELECT id FROM range(10)",
    "DELETE FROM ice.ns.positions WHERE id = 4",
]
# What rewrites them away: the data without the deleted rows, and no snapshot that has the deletes.
WITHOUT_POSITION_DELETES = [
    "CALL ice.system.rewrite_data_files(table => 'ns.positions', options => "
    "map('rewrite-all', 'true', 'remove-dangling-deletes', 'true'))",
    "CALL ice.system.expire_snapshots(table => 'ns.positions', "
    "older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1)",
]
READS = ["SELECT id FROM ice.ns.plain ORDER BY id",
         "SELECT id FROM ice.ns.plain VERSION AS OF 'first' ORDER BY id",
         "SELECT id FROM ice.ns.vectors ORDER BY id", "SELECT id FROM ice.ns.seen ORDER BY id"]
ROWS = [[[2], [3]], [[1], [2]], [[id] for id in range(3, 10)], [[8], [9]]]


@pytest.fixture
def serve(program):
    """Starts `berglite serve` on a lake; a second call ends the first one's server."""
    running = []

    def stop():
        while running:
            running.pop().stop()

    def start(lake, *options):
        stop()
        running.append(Server(program, lake, options))
        return running[-1].uri

    start.stop = stop
    yield start
    stop()


class Moved:
    """A lake whose directory, with the catalog file in it, is at another place."""

    def __init__(self, lake, program):
        self._program = program
        self.lake = lake
        self.old = lake.path / "old"
        self.new = lake.path / "a new place"
        self.old.mkdir()
        lake.warehouse.rmdir()
        lake.file, lake.warehouse = self.old / "lake.db", self.old / "warehouse"

    def move(self):
        self.old.rename(self.new)
        self.lake.file, self.lake.warehouse = self.new / "lake.db", self.new / "warehouse"

    def run(self, *words, code=0):
        command = [self._program, *words, "--file", self.lake.file, "--json"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              check=False)
        assert done.returncode == code, done.stderr + done.stdout
        return json.loads(done.stdout) if done.stdout else None

    def relocate(self, *options, code=0):
        return self.run("relocate", self.old, self.new, *options, code=code)


@pytest.fixture
def moved(lake, program):
    return Moved(lake, program)


def obstacles(report):
    return {item["name"]: item.get("obstacle") for item in report["items"]}


def test_spark_reads_all_of_it_from_the_new_place(moved, serve, pytestconfig, tmp_path):
    uri = serve(moved.lake)
    rest = RestCatalog("rest", uri=uri)
    *_, first, second, third, fourth = in_spark(pytestconfig, uri, *TABLES, *READS)
    assert [first, second, third, fourth] == ROWS
    rest.create_table("ns.people", PEOPLE.schema).append(PEOPLE)
    rest.load_table("ns.people").delete("id = 2")
    serve.stop()
    moved.move()

    plan = moved.relocate()
    assert obstacles(plan) == {"plain": None, "vectors": None, "seen": None, "people": None}
    assert all(item["missing-files"] == 0 for item in plan["items"])
    assert plan["applied"] is False
    done = moved.relocate("--apply")
    assert done["items"] == plan["items"]
    assert moved.relocate()["items"] == []
    moved.run("check")

    uri = serve(moved.lake)
    rows = in_spark(
        pytestconfig, uri, *READS, "DELETE FROM ice.ns.vectors WHERE id = 9",
        "INSERT INTO ice.ns.plain VALUES (4, DATE '2026-01-03')", READS[0], READS[2],
        "SELECT count(*) FROM ice.ns.plain.all_data_files "
        "WHERE file_path NOT LIKE '%/a new place/%'",
        "SELECT count(*) FROM ice.ns.vectors.all_delete_files "
        "WHERE file_path NOT LIKE '%/a new place/%'")
    assert rows[:4] == ROWS
    assert rows[6:] == [[[2], [3], [4]], [[id] for id in range(3, 9)], [[0]], [[0]]]
    people = RestCatalog("rest", uri=uri).load_table("ns.people")
    assert people.scan().to_arrow().sort_by("id")["id"].to_pylist() == [1, 3]
    first_snapshot = people.history()[0].snapshot_id
    assert len(people.scan(snapshot_id=first_snapshot).to_arrow()) == 3
    # PyIceberg finds a deletion vector by the data file that its Puffin file names.
    vectors = RestCatalog("rest", uri=uri).load_table("ns.vectors").scan().to_arrow()
    assert sorted(vectors["id"].to_pylist()) == list(range(3, 9))
    connection = open_duckdb(tmp_path)
    connection.execute(f"ATTACH '' AS lake (TYPE ICEBERG, ENDPOINT '{uri}', "
                       "AUTHORIZATION_TYPE 'none')")
    assert connection.execute("SELECT count(*), sum(id) FROM lake.ns.plain").fetchall() == [(3, 9)]
    assert not moved.old.exists()

    # What was written anew left the old ones behind, which nothing needs.
    found = moved.run("gc", "--allow-recent", "--older-than", "0s", "--delete")
    assert found["found-files"] == found["removed-files"] > 0
    assert in_spark(pytestconfig, uri, *READS)[1:2] == ROWS[1:2]


def test_position_deletes_keep_a_table_where_it_was(moved, serve, pytestconfig):
    in_spark(pytestconfig, serve(moved.lake), "CREATE NAMESPACE ice.ns", *POSITION_DELETES,
             "CREATE TABLE ice.ns.other (id BIGINT) USING iceberg",
             "INSERT INTO ice.ns.other VALUES (1)")
    serve.stop()
    moved.move()
    found = obstacles(moved.relocate("--apply", code=1))
    assert found["other"] is None
    assert "position deletes" in found["positions"]
    # As the message says: with a link where the directory was.
    moved.old.symlink_to(moved.new)
    uri = serve(moved.lake, "--allow-location", moved.old)
    in_spark(pytestconfig, uri, *WITHOUT_POSITION_DELETES)
    serve.stop()
    moved.old.unlink()
    assert obstacles(moved.relocate("--apply")) == {"positions": None}
    *_, rows = in_spark(pytestconfig, serve(moved.lake), "SELECT count(*), sum(id) FROM "
                        "ice.ns.positions")
    assert rows == [[9, 41]]


def test_what_is_not_there_yet_is_told(moved, serve):
    rest = RestCatalog("rest", uri=serve(moved.lake))
    rest.create_namespace("ns")
    rest.create_table("ns.people", PEOPLE.schema).append(PEOPLE)
    serve.stop()
    moved.move()
    shutil.rmtree(moved.new / "warehouse/ns/people/data")
    (item,) = moved.relocate()["items"]
    assert item["missing-files"] == 1
    assert item["first-missing"].startswith(f"file://{moved.new}/warehouse/ns/people/data/")
