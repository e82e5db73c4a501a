"""The procedures that keep a table in shape: CALL ice.system.<procedure>."""

import os

import pytest

from conftest import Refused, path_of, run


@pytest.fixture
def rows(sql, table):
    return lambda: sql(f"SELECT id, part, note FROM {table} ORDER BY id")


@pytest.fixture
def call(spark):
    """Calls a procedure; returns its only row as a dictionary."""
    def call_it(procedure, arguments):
        (row,) = run(spark, f"CALL ice.system.{procedure}({arguments})")
        return row.asDict()

    return call_it


def snapshots_of(stored, table):
    return [snapshot["snapshot-id"] for snapshot in stored.table(table)["snapshots"]]


def add_rows(sql, table):
    """Two more snapshots, each with one more file in part a."""
    for number in (4, 5):
        sql(f"INSERT INTO {table} VALUES ({number}, 'a', 'more')")


def test_small_data_files_become_one(sql, stored, table, rows, call):
    add_rows(sql, table)
    before = rows()
    done = call("rewrite_data_files", f"table => '{table}', where => 'part = \"a\"', "
                "options => map('min-input-files', '2')")
    assert (done["rewritten_data_files_count"], done["added_data_files_count"]) == (3, 1)
    assert sql(f"SELECT partition.part, record_count FROM {table}.files ORDER BY 1") == [
        ("a", 4), ("b", 1)]
    assert stored.table(table)["snapshots"][-1]["summary"]["operation"] == "replace"
    assert rows() == before


def test_data_files_are_sorted(sql, table, rows, call):
    add_rows(sql, table)
    call("rewrite_data_files", f"table => '{table}', strategy => 'sort', "
         "sort_order => 'id DESC', options => map('rewrite-all', 'true')")
    assert [row[0] for row in sql(f"SELECT id FROM {table} WHERE part = 'a'")] == [5, 4, 2, 1]
    assert len(rows()) == 5


def test_delete_files_are_rewritten(sql, table, rows, call):
    sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    sql(f"INSERT INTO {table} VALUES (4, 'a', 'four'), (5, 'a', 'five')")
    sql(f"DELETE FROM {table} WHERE id = 1")
    sql(f"DELETE FROM {table} WHERE id = 4")
    done = call("rewrite_position_delete_files",
                f"table => '{table}', options => map('rewrite-all', 'true')")
    assert done["rewritten_delete_files_count"] == 2
    assert rows() == [(2, "a", "two"), (3, "b", "three"), (5, "a", "five")]


def test_old_snapshots_expire_with_their_files(sql, stored, table, rows, call):
    first = stored.table(table)["snapshots"][0]
    sql(f"DELETE FROM {table} WHERE part = 'a'")
    gone = path_of(first["manifest-list"])
    assert gone.exists()
    done = call("expire_snapshots",
                f"table => '{table}', older_than => TIMESTAMP '2100-01-01', retain_last => 1")
    assert (done["deleted_data_files_count"], done["deleted_manifest_lists_count"]) == (1, 1)
    assert not gone.exists()
    assert first["snapshot-id"] not in snapshots_of(stored, table)
    assert len(snapshots_of(stored, table)) == 1
    assert rows() == [(3, "b", "three")]


def test_snapshot_is_expired_by_its_id_unless_a_ref_needs_it(sql, stored, table, call):
    add_rows(sql, table)
    first, second, third = snapshots_of(stored, table)
    sql(f"ALTER TABLE {table} CREATE TAG start AS OF VERSION {first}")
    call("expire_snapshots", f"table => '{table}', snapshot_ids => array({second})")
    assert snapshots_of(stored, table) == [first, third]
    with pytest.raises(Refused, match="Still referenced"):
        call("expire_snapshots", f"table => '{table}', snapshot_ids => array({first})")
    assert snapshots_of(stored, table) == [first, third]


def test_manifests_become_one(sql, stored, table, rows, call):
    add_rows(sql, table)
    done = call("rewrite_manifests", f"'{table}'")
    assert (done["rewritten_manifests_count"], done["added_manifests_count"]) == (3, 1)
    assert sql(f"SELECT existing_data_files_count FROM {table}.manifests") == [(4,)]
    assert stored.table(table)["snapshots"][-1]["summary"]["operation"] == "replace"
    assert len(rows()) == 5


def test_table_is_rolled_back(sql, stored, table, rows, call):
    first = stored.table(table)["current-snapshot-id"]
    add_rows(sql, table)
    current = stored.table(table)["current-snapshot-id"]
    assert call("rollback_to_snapshot", f"'{table}', {first}") == {
        "previous_snapshot_id": current, "current_snapshot_id": first}
    assert len(rows()) == 3
    assert len(snapshots_of(stored, table)) == 3
    with pytest.raises(Refused, match="not an ancestor"):
        call("rollback_to_snapshot", f"'{table}', {current}")
    call("set_current_snapshot", f"'{table}', {current}")
    assert len(rows()) == 5


def test_table_is_rolled_back_in_time(sql, stored, table, rows, call):
    at = stored.table(table)["snapshots"][0]["timestamp-ms"] + 1
    add_rows(sql, table)
    call("rollback_to_timestamp", f"table => '{table}', timestamp => timestamp_millis({at})")
    assert len(rows()) == 3


def test_change_of_a_branch_is_picked(sql, stored, table, rows, call):
    sql(f"ALTER TABLE {table} CREATE BRANCH dev")
    sql(f"INSERT INTO {table} VALUES (4, 'c', 'main')")
    sql(f"INSERT INTO {table}.branch_dev VALUES (5, 'c', 'dev')")
    picked = stored.table(table)["refs"]["dev"]["snapshot-id"]
    call("cherrypick_snapshot", f"'{table}', {picked}")
    assert rows()[3:] == [(4, "c", "main"), (5, "c", "dev")]
    assert stored.table(table)["snapshots"][-1]["summary"]["source-snapshot-id"] == str(picked)


def test_table_is_registered_from_its_metadata_file(sql, stored, namespace, table, rows, call):
    metadata_file, uuid = stored.metadata_file(table), stored.table(table)["table-uuid"]
    before = rows()
    sql(f"DROP TABLE {table}")
    done = call("register_table", f"table => '{namespace}.back', "
                                  f"metadata_file => '{metadata_file}'")
    assert (done["total_records_count"], done["total_data_files_count"]) == (3, 2)
    assert sql(f"SELECT id, part, note FROM {namespace}.back ORDER BY id") == before
    assert stored.table(f"{namespace}.back")["table-uuid"] == uuid
    assert stored.metadata_file(f"{namespace}.back") == metadata_file
    with pytest.raises(Refused, match="(?i)already exists"):
        call("register_table", f"table => '{namespace}.back', metadata_file => '{metadata_file}'")


def test_statistics_are_kept(stored, table, call):
    found = call("compute_table_stats", f"table => '{table}'")
    statistics = stored.table(table)["statistics"]
    assert [entry["statistics-path"] for entry in statistics] == [found["statistics_file"]]
    assert statistics[0]["snapshot-id"] == stored.table(table)["current-snapshot-id"]
    blobs = statistics[0]["blob-metadata"]
    assert sorted(blob["properties"]["ndv"] for blob in blobs) == ["2", "3", "3"]


def test_statistics_of_partitions_are_kept(stored, table, call):
    found = call("compute_partition_stats", f"table => '{table}'")
    assert [(entry["snapshot-id"], entry["statistics-path"])
            for entry in stored.table(table)["partition-statistics"]] == [
        (stored.table(table)["current-snapshot-id"], found["partition_statistics_file"])]


def test_orphan_files_are_found(sql, spark, stored, table, rows):
    location = path_of(stored.table(table)["location"])
    orphan = location / "data" / "orphan.parquet"
    orphan.write_bytes(b"nobody knows me")
    # Nothing younger than a day is looked at.
    os.utime(orphan, (0, 0))
    found = sql(f"CALL ice.system.remove_orphan_files(table => '{table}', dry_run => true, "
                "older_than => TIMESTAMP '2000-01-01')")
    assert [path_of(row[0]) for row in found] == [orphan]
    assert orphan.exists()
    assert len(rows()) == 3
