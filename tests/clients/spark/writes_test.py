"""Rows: inserted, overwritten, merged, updated, deleted."""

import threading

import pytest
from pyspark.sql.functions import col

from conftest import Refused

# How Spark changes rows: by new data files, by position deletes, or by deletion vectors.
MODES = [pytest.param("copy-on-write", 2, id="copy"), pytest.param("merge-on-read", 2, id="merge"),
         pytest.param("merge-on-read", 3, id="vectors")]


@pytest.fixture
def rows(sql, table):
    """The rows of `table`, as the one who asks last sees them."""
    return lambda: sql(f"SELECT id, part, note FROM {table} ORDER BY id")


@pytest.fixture
def operations(stored, table):
    return lambda: [snapshot["summary"]["operation"]
                    for snapshot in stored.table(table)["snapshots"]]


def changing_by(sql, table, mode, version):
    properties = ", ".join(f"'write.{what}.mode' = '{mode}'"
                           for what in ("merge", "update", "delete"))
    sql(f"ALTER TABLE {table} SET TBLPROPERTIES ({properties}, 'format-version' = '{version}')")


def deletes_of(sql, table):
    """The formats of the delete files that the table has now."""
    return {row[0] for row in sql(f"SELECT file_format FROM {table}.delete_files")}


EXPECTED_DELETES = {("copy-on-write", 2): set(), ("merge-on-read", 2): {"PARQUET"},
                    ("merge-on-read", 3): {"PUFFIN"}}


@pytest.mark.parametrize("mode, version", MODES)
def test_rows_are_merged(sql, table, rows, mode, version):
    changing_by(sql, table, mode, version)
    sql(f"MERGE INTO {table} t USING (SELECT * FROM VALUES (1, 'a', 'gone'), (3, 'b', 'new'), "
        "(4, 'c', 'four') AS v(id, part, note)) s ON t.id = s.id "
        "WHEN MATCHED AND s.note = 'gone' THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET note = s.note "
        "WHEN NOT MATCHED THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.id = 2 THEN UPDATE SET note = 'alone'")
    assert rows() == [(2, "a", "alone"), (3, "b", "new"), (4, "c", "four")]
    assert deletes_of(sql, table) == EXPECTED_DELETES[mode, version]


def test_merge_that_matches_twice_changes_nothing(sql, table, rows, operations):
    with pytest.raises(Refused, match="MERGE_CARDINALITY_VIOLATION"):
        sql(f"MERGE INTO {table} t USING "
            "(SELECT * FROM VALUES (1, 'x'), (1, 'y') AS v(id, note)) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET note = s.note")
    assert rows() == [(1, "a", "one"), (2, "a", "two"), (3, "b", "three")]
    assert operations() == ["append"]


@pytest.mark.parametrize("mode, version", MODES)
def test_rows_are_updated(sql, table, rows, mode, version):
    changing_by(sql, table, mode, version)
    sql(f"UPDATE {table} SET note = concat(note, '!'), part = 'z' WHERE id = 2")
    assert rows() == [(1, "a", "one"), (2, "z", "two!"), (3, "b", "three")]
    assert deletes_of(sql, table) == EXPECTED_DELETES[mode, version]


@pytest.mark.parametrize("mode, version", MODES)
def test_rows_are_deleted(sql, table, rows, operations, mode, version):
    changing_by(sql, table, mode, version)
    sql(f"DELETE FROM {table} WHERE id = 2")
    assert rows() == [(1, "a", "one"), (3, "b", "three")]
    assert deletes_of(sql, table) == EXPECTED_DELETES[mode, version]
    assert operations() == ["append", "overwrite" if mode == "copy-on-write" else "delete"]


def test_partition_is_deleted_by_metadata_alone(sql, stored, table, rows):
    sql(f"DELETE FROM {table} WHERE part = 'a'")
    assert rows() == [(3, "b", "three")]
    summary = stored.table(table)["snapshots"][-1]["summary"]
    assert (summary["operation"], summary["deleted-data-files"]) == ("delete", "1")
    assert "added-data-files" not in summary


def test_table_is_truncated(sql, table, rows, operations):
    sql(f"TRUNCATE TABLE {table}")
    assert rows() == []
    assert operations() == ["append", "delete"]


def test_static_overwrite_replaces_the_partition_it_names(sql, table, rows, operations):
    sql(f"INSERT OVERWRITE {table} PARTITION (part = 'a') VALUES (9, 'nine')")
    assert rows() == [(3, "b", "three"), (9, "a", "nine")]
    assert operations() == ["append", "overwrite"]


def test_static_overwrite_without_a_partition_replaces_all(sql, table, rows):
    sql(f"INSERT OVERWRITE {table} VALUES (9, 'c', 'nine')")
    assert rows() == [(9, "c", "nine")]


def test_dynamic_overwrite_replaces_the_partitions_it_writes(spark, sql, table, rows, operations):
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try:
        sql(f"INSERT OVERWRITE {table} VALUES (8, 'b', 'eight'), (9, 'c', 'nine')")
    finally:
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    assert rows() == [(1, "a", "one"), (2, "a", "two"), (8, "b", "eight"), (9, "c", "nine")]
    assert operations() == ["append", "overwrite"]


def test_data_frame_appends_and_overwrites(spark, table, rows):
    def frame(*values):
        return spark.createDataFrame(list(values), "id BIGINT, part STRING, note STRING")

    frame((4, "b", "four")).writeTo(table).append()
    assert rows()[3:] == [(4, "b", "four")]
    frame((5, "b", "five")).writeTo(table).overwritePartitions()
    assert rows()[2:] == [(5, "b", "five")]
    frame((6, "d", "six")).writeTo(table).overwrite(col("id") < 3)
    assert rows() == [(5, "b", "five"), (6, "d", "six")]


def test_write_may_add_columns(spark, sql, table):
    sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.spark.accept-any-schema' = 'true')")
    frame = spark.createDataFrame([(4, "a", "four", 4.5)],
                                  "id BIGINT, part STRING, note STRING, extra DOUBLE")
    frame.writeTo(table).option("mergeSchema", "true").append()
    assert sql(f"SELECT id, extra FROM {table} WHERE id > 2 ORDER BY id") == [(3, None), (4, 4.5)]


def test_writers_at_once_all_land(sql, table, operations):
    sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('commit.retry.num-retries' = '20', "
        "'commit.retry.min-wait-ms' = '10')")
    writers = [threading.Thread(target=sql, args=(
        f"INSERT INTO {table} VALUES ({number}, 'w', 'writer')",)) for number in range(10, 14)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sql(f"SELECT id FROM {table} WHERE part = 'w' ORDER BY id") == [
        (10,), (11,), (12,), (13,)]
    assert operations() == ["append"] * 5
