"""The tables that tell of a table: `namespace.table.snapshots` and so on."""

import pytest

from conftest import path_of


@pytest.fixture
def twice(sql, table):
    """A table with two snapshots: three rows, and one partition of them deleted."""
    sql(f"DELETE FROM {table} WHERE part = 'a'")
    return table


def test_snapshots(sql, stored, twice):
    found = sql(f"SELECT snapshot_id, parent_id, operation, manifest_list FROM {twice}.snapshots "
                "ORDER BY committed_at")
    assert found == [
        (snapshot["snapshot-id"], snapshot.get("parent-snapshot-id"),
         snapshot["summary"]["operation"], snapshot["manifest-list"])
        for snapshot in stored.table(twice)["snapshots"]]
    assert [row[2] for row in found] == ["append", "delete"]


def test_history(sql, stored, twice):
    first, second = [snapshot["snapshot-id"] for snapshot in stored.table(twice)["snapshots"]]
    sql(f"CALL ice.system.rollback_to_snapshot('{twice}', {first})")
    assert sql(f"SELECT snapshot_id, is_current_ancestor FROM {twice}.history "
               "ORDER BY made_current_at") == [(first, True), (second, False), (first, True)]


def test_files(sql, stored, twice):
    assert sql(f"SELECT partition.part, record_count, file_format, content "
               f"FROM {twice}.files") == [("b", 1, "PARQUET", 0)]
    data = path_of(stored.table(twice)["location"]) / "data"
    assert sorted(path_of(row[0]).relative_to(data).parent.name
                  for row in sql(f"SELECT DISTINCT file_path FROM {twice}.all_data_files")) == [
        "part=a", "part=b"]


def test_partitions(sql, table):
    assert sql(f"SELECT partition.part, record_count, file_count FROM {table}.partitions "
               "ORDER BY 1") == [("a", 2, 1), ("b", 1, 1)]


def test_refs(sql, stored, twice):
    first, second = [snapshot["snapshot-id"] for snapshot in stored.table(twice)["snapshots"]]
    sql(f"ALTER TABLE {twice} CREATE TAG start AS OF VERSION {first}")
    assert sql(f"SELECT name, type, snapshot_id FROM {twice}.refs ORDER BY name") == [
        ("main", "BRANCH", second), ("start", "TAG", first)]


def test_manifests(sql, twice):
    assert sql(f"SELECT added_data_files_count, existing_data_files_count, "
               f"deleted_data_files_count FROM {twice}.manifests") == [(0, 1, 1)]
    assert sql(f"SELECT count(*) FROM {twice}.all_manifests") == [(2,)]


def test_entries(sql, twice):
    assert sql(f"SELECT status, data_file.partition.part FROM {twice}.entries ORDER BY status") == [
        (0, "b"), (2, "a")]


def test_metadata_files(sql, stored, twice):
    log = [row[0] for row in sql(f"SELECT file FROM {twice}.metadata_log_entries "
                                 "ORDER BY timestamp")]
    assert len(log) == 3
    assert log[-1] == stored.metadata_file(twice)


def test_position_deletes(sql, table):
    sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    sql(f"DELETE FROM {table} WHERE id = 1")
    assert sql(f"SELECT pos, partition.part FROM {table}.position_deletes") == [(0, "a")]


def test_table_named_like_one_of_them(sql, namespace):
    sql(f"CREATE TABLE {namespace}.files USING iceberg AS SELECT 1 AS a")
    assert sql(f"SELECT * FROM {namespace}.files") == [(1,)]
    assert sql(f"SELECT record_count FROM {namespace}.files.files") == [(1,)]
