"""Rows that jobs in batch mode write: every type, partitions, overwriting, rows with a key."""

import pyarrow as pa
import pytest
from clientkit.stored import rows_of, stored

from conftest import Refused, summaries_of


@pytest.fixture
def table(sql, database):
    """Three rows, in one file for each of two partitions."""
    name = f"{database}.t"
    sql(f"CREATE TABLE {name} (id BIGINT, part STRING, note STRING) PARTITIONED BY (part)")
    sql(f"INSERT INTO {name} VALUES (1, 'a', 'one'), (2, 'a', 'two'), (3, 'b', 'three')")
    return name


def test_insert_is_one_commit(sql, catalog, table):
    sql(f"INSERT INTO {table} SELECT id + 3, part, note FROM {table}")
    summaries = summaries_of(stored(catalog, table))
    assert [summary["operation"] for summary in summaries] == ["append", "append"]
    assert [summary["total-records"] for summary in summaries] == ["3", "6"]
    assert all(summary["engine-name"] == "flink" for summary in summaries)
    assert [row[0] for row in rows_of(stored(catalog, table))] == [1, 2, 3, 4, 5, 6]


def test_empty_table_has_no_rows(sql, database):
    sql(f"CREATE TABLE {database}.t (a INT)")
    assert sql(f"SELECT * FROM {database}.t") == []


def test_partition_is_read_alone(sql, catalog, table):
    assert sorted(sql(f"SHOW PARTITIONS {table}")) == [("part=a",), ("part=b",)]
    assert sorted(sql(f"SELECT id FROM {table} WHERE part = 'a'")) == [(1,), (2,)]
    assert len(list(stored(catalog, table).scan(row_filter="part = 'a'").plan_files())) == 1


def test_overwrite_replaces_the_partitions_that_it_writes(sql, catalog, table):
    sql(f"INSERT OVERWRITE {table} VALUES (9, 'b', 'nine')")
    assert rows_of(stored(catalog, table)) == [(1, "a", "one"), (2, "a", "two"), (9, "b", "nine")]
    sql(f"INSERT OVERWRITE {table} PARTITION (part = 'a') SELECT 8, 'eight'")
    assert rows_of(stored(catalog, table)) == [(8, "a", "eight"), (9, "b", "nine")]
    assert [summary["operation"] for summary in summaries_of(stored(catalog, table))] == [
        "append", "overwrite", "overwrite"]


def test_overwrite_replaces_a_table_without_partitions(sql, catalog, database):
    sql(f"CREATE TABLE {database}.t (a INT)")
    sql(f"INSERT INTO {database}.t VALUES (1), (2)")
    sql(f"INSERT OVERWRITE {database}.t VALUES (3)")
    assert sql(f"SELECT * FROM {database}.t") == [(3,)]
    assert rows_of(stored(catalog, f"{database}.t")) == [(3,)]


def test_every_type_goes_there_and_back(sql, catalog, database):
    name = f"{database}.t"
    sql(f"CREATE TABLE {name} (a BOOLEAN, b DECIMAL(10, 2), c DOUBLE, d FLOAT, e DATE, f TIME, "
        "g TIMESTAMP(6), h TIMESTAMP_LTZ(6), i BYTES, j ARRAY<INT>, k MAP<STRING, INT>, "
        "l ROW<x INT, y STRING>)")
    sql(f"INSERT INTO {name} VALUES (TRUE, 1.25, 0.5, CAST(0.25 AS FLOAT), DATE '2024-02-29', "
        "TIME '10:11:12', TIMESTAMP '2024-02-29 10:11:12.123456', "
        "CAST(TIMESTAMP '2024-02-29 10:11:12.123456' AS TIMESTAMP_LTZ(6)), x'00ff', ARRAY[1, 2], "
        "MAP['a', 1], ROW(1, 'z'))")
    row, = stored(catalog, name).scan().to_arrow().to_pylist()
    assert (row["a"], str(row["b"]), row["c"], row["d"]) == (True, "1.25", 0.5, 0.25)
    assert [str(row[key]) for key in "efg"] == [
        "2024-02-29", "10:11:12", "2024-02-29 10:11:12.123456"]
    assert row["h"].isoformat() == "2024-02-29T10:11:12.123456+00:00"
    assert (row["i"], row["j"], row["k"], row["l"]) == (
        b"\x00\xff", [1, 2], [("a", 1)], {"x": 1, "y": "z"})
    found, = sql(f"SELECT a, b, e, g, j[2], k['a'], l.y FROM {name}")
    assert found == (True, 1.25, "2024-02-29", "2024-02-29T10:11:12.123456", 2, 1, "z")


def test_rows_with_a_key_are_replaced(sql, catalog, database):
    name = f"{database}.t"
    sql(f"CREATE TABLE {name} (id INT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED) "
        "WITH ('format-version' = '2', 'write.upsert.enabled' = 'true')")
    sql(f"INSERT INTO {name} VALUES (1, 1), (2, 2)")
    sql(f"INSERT INTO {name} VALUES (1, 10), (3, 3)")
    assert sorted(sql(f"SELECT * FROM {name}")) == [(1, 10), (2, 2), (3, 3)]
    last = summaries_of(stored(catalog, name))[-1]
    assert (last["added-equality-deletes"], last["total-equality-deletes"]) == ("2", "4")


def test_flink_and_pyiceberg_write_one_table_in_turn(sql, catalog, table):
    stored(catalog, table).append(pa.table({"id": [4], "part": ["b"], "note": ["four"]}))
    sql(f"INSERT INTO {table} VALUES (5, 'c', 'five')")
    stored(catalog, table).delete("id = 1")
    assert sorted(sql(f"SELECT id FROM {table}")) == [(2,), (3,), (4,), (5,)]
    assert [row[0] for row in rows_of(stored(catalog, table))] == [2, 3, 4, 5]


def test_snapshots_are_read_as_of_then(sql, catalog, table):
    sql(f"INSERT INTO {table} VALUES (4, 'c', 'four')")
    first, second = stored(catalog, table).snapshots()
    assert sql(f"SELECT COUNT(*) FROM {table} /*+ OPTIONS('snapshot-id' = "
               f"'{first.snapshot_id}') */") == [(3,)]
    stored(catalog, table).manage_snapshots().create_tag(first.snapshot_id, "before").commit()
    assert sql(f"SELECT COUNT(*) FROM {table} /*+ OPTIONS('tag' = 'before') */") == [(3,)]
    *name, last = table.split(".")
    assert sql(f"SELECT snapshot_id, operation FROM {'.'.join(name)}.`{last}$snapshots`") == [
        (first.snapshot_id, "append"), (second.snapshot_id, "append")]


def test_branch_is_written_to(sql, catalog, table):
    start = stored(catalog, table).current_snapshot().snapshot_id
    stored(catalog, table).manage_snapshots().create_branch(start, "trial").commit()
    sql(f"INSERT INTO {table} /*+ OPTIONS('branch' = 'trial') */ VALUES (4, 'c', 'four')")
    assert sql(f"SELECT COUNT(*) FROM {table} /*+ OPTIONS('branch' = 'trial') */") == [(4,)]
    assert sql(f"SELECT COUNT(*) FROM {table}") == [(3,)]
    assert stored(catalog, table).current_snapshot().snapshot_id == start


def test_insert_that_does_not_fit_changes_nothing(sql, catalog, table):
    before = stored(catalog, table).metadata_location
    with pytest.raises(Refused, match="do not match"):
        sql(f"INSERT INTO {table} VALUES ('x')")
    assert stored(catalog, table).metadata_location == before
