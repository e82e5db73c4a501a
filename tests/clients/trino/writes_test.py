"""Rows: every type, what changes them, older states of a table, and its maintenance."""

import concurrent.futures

import pyarrow as pa
import pytest
from clientkit.stored import rows_of, stored

from conftest import Refused


def operations_of(table):
    return [snapshot.summary.operation.value for snapshot in table.snapshots()]


# PyArrow cannot read all files of deletes that Trino writes, so that Trino reads them itself.
def test_insert_update_delete(sql, catalog, table):
    sql(f"INSERT INTO {table} SELECT id + 3, part, note FROM {table} WHERE part = 'a'")
    assert sql(f"UPDATE {table} SET note = 'new' WHERE id IN (1, 4)") == [(2,)]
    assert sql(f"DELETE FROM {table} WHERE id = 2") == [(1,)]
    assert sorted(sql(f"SELECT * FROM {table}")) == [
        (1, "a", "new"), (3, "b", "three"), (4, "a", "new"), (5, "a", "two")]
    assert operations_of(stored(catalog, table))[-3:] == ["append", "overwrite", "delete"]


def test_delete_of_a_partition_and_truncate(sql, catalog, table):
    sql(f"DELETE FROM {table} WHERE part = 'a'")
    assert rows_of(stored(catalog, table)) == [(3, "b", "three")]
    sql(f"TRUNCATE TABLE {table}")
    assert sql(f"SELECT count(*) FROM {table}") == [(0,)]
    assert rows_of(stored(catalog, table)) == []


def test_merge_is_one_commit(sql, catalog, table):
    before = len(stored(catalog, table).snapshots())
    sql(f"MERGE INTO {table} t USING (VALUES (1, 'x'), (2, 'gone'), (9, 'nine')) AS s (id, note) "
        "ON t.id = s.id "
        "WHEN MATCHED AND s.note = 'gone' THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET note = s.note "
        "WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'c', s.note)")
    assert sorted(sql(f"SELECT * FROM {table}")) == [
        (1, "a", "x"), (3, "b", "three"), (9, "c", "nine")]
    assert len(stored(catalog, table).snapshots()) == before + 1


def test_rows_of_version_3_are_deleted_by_vectors(sql, catalog, schema):
    sql(f"CREATE TABLE {schema}.t WITH (format_version = 3) AS SELECT 1 AS a UNION ALL SELECT 2")
    sql(f"DELETE FROM {schema}.t WHERE a = 1")
    assert sql(f"SELECT a FROM {schema}.t") == [(2,)]
    last = stored(catalog, f"{schema}.t").current_snapshot().summary
    assert last["added-dvs"] == "1"


def test_defaults_of_version_3_are_written_and_read(sql, catalog, schema):
    sql(f"CREATE TABLE {schema}.t (a INTEGER, b INTEGER DEFAULT 7) WITH (format_version = 3)")
    sql(f"INSERT INTO {schema}.t (a) VALUES 1")
    assert sql(f"SELECT * FROM {schema}.t") == [(1, 7)]
    assert stored(catalog, f"{schema}.t").schema().find_field("b").write_default == 7


def test_every_type_goes_there_and_back(sql, catalog, schema):
    sql(f"CREATE TABLE {schema}.t AS SELECT TRUE AS a, DECIMAL '1.25' AS b, 0.5e0 AS c, "
        "REAL '0.25' AS d, DATE '2024-02-29' AS e, TIME '10:11:12.000000' AS f, "
        "TIMESTAMP '2024-02-29 10:11:12.123456' AS g, "
        "TIMESTAMP '2024-02-29 10:11:12.123456 UTC' AS h, X'00ff' AS i, ARRAY[1, 2] AS j, "
        "MAP(ARRAY['a'], ARRAY[1]) AS k, CAST(ROW(1, 'z') AS ROW(x INTEGER, y VARCHAR)) AS l, "
        "UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59' AS m")
    row, = stored(catalog, f"{schema}.t").scan().to_arrow().to_pylist()
    assert (row["a"], str(row["b"]), row["c"], row["d"]) == (True, "1.25", 0.5, 0.25)
    assert [str(row[key]) for key in "efg"] == [
        "2024-02-29", "10:11:12", "2024-02-29 10:11:12.123456"]
    assert row["h"].isoformat() == "2024-02-29T10:11:12.123456+00:00"
    assert (row["i"], row["j"], row["k"], row["l"]) == (
        b"\x00\xff", [1, 2], [("a", 1)], {"x": 1, "y": "z"})
    found, = sql(f"SELECT a, b, c, e, j, l.y, m FROM {schema}.t")
    assert found == (True, "1.25", 0.5, "2024-02-29", [1, 2], "z",
                     "12151fd2-7586-11e9-8f9e-2a86e4085a59")


def test_insert_that_does_not_fit_changes_nothing(sql, catalog, schema):
    sql(f"CREATE TABLE {schema}.t (a INTEGER NOT NULL)")
    before = stored(catalog, f"{schema}.t").metadata_location
    for values in ("('x')", "(NULL)"):
        with pytest.raises(Refused, match="(?i)mismatch|null"):
            sql(f"INSERT INTO {schema}.t VALUES {values}")
    assert stored(catalog, f"{schema}.t").metadata_location == before


def test_trino_and_pyiceberg_write_one_table_in_turn(sql, catalog, table):
    stored(catalog, table).append(pa.table({"id": [4], "part": ["b"], "note": ["four"]}))
    sql(f"INSERT INTO {table} VALUES (5, 'c', 'five')")
    stored(catalog, table).delete("id = 1")
    assert sorted(sql(f"SELECT id FROM {table}")) == [(2,), (3,), (4,), (5,)]
    assert [row[0] for row in rows_of(stored(catalog, table))] == [2, 3, 4, 5]


def test_inserts_at_once_are_all_made(sql, catalog, table):
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda i: sql(f"INSERT INTO {table} VALUES ({i}, 'd', 'x')"),
                         range(10, 18)))
    assert sorted(sql(f"SELECT id FROM {table} WHERE part = 'd'")) == [(i,) for i in range(10, 18)]
    assert len(stored(catalog, table).snapshots()) == 9 + 1


def test_older_states_are_read_and_returned_to(sql, catalog, table):
    first = stored(catalog, table).current_snapshot().snapshot_id
    sql(f"INSERT INTO {table} VALUES (4, 'c', 'four')")
    assert sql(f"SELECT count(*) FROM {table} FOR VERSION AS OF {first}") == [(3,)]
    stored(catalog, table).manage_snapshots().create_tag(first, "before").commit()
    assert sql(f"SELECT count(*) FROM {table} FOR VERSION AS OF 'before'") == [(3,)]
    sql(f"ALTER TABLE {table} EXECUTE rollback_to_snapshot({first})")
    assert sql(f"SELECT count(*) FROM {table}") == [(3,)]
    assert stored(catalog, table).current_snapshot().snapshot_id == first


def test_tables_of_metadata(sql, catalog, schema, table):
    made = stored(catalog, table)
    assert sql(f'SELECT snapshot_id FROM {schema}."t$snapshots" ORDER BY committed_at') == [
        (snapshot.snapshot_id,) for snapshot in made.snapshots()]
    assert sorted(sql(f'SELECT partition.part, record_count FROM {schema}."t$partitions"')) == [
        ("a", 2), ("b", 1)]
    assert len(sql(f'SELECT file_path FROM {schema}."t$files"')) == 2
    assert sql(f'SELECT file FROM {schema}."t$metadata_log_entries"')[-1] == (
        made.metadata_location,)


def test_maintenance_keeps_the_rows(sql, catalog, make_catalog, unique, table):
    made = make_catalog("tidying", {"iceberg.expire-snapshots.min-retention": "0s",
                                    "iceberg.remove-orphan-files.min-retention": "0s"})
    for i in range(4, 7):
        sql(f"INSERT INTO {table} VALUES ({i}, 'b', 'x')")
    sql(f"DELETE FROM {table} WHERE id = 4")
    sql(f"ALTER TABLE {table} EXECUTE optimize")
    sql(f"ANALYZE {table}")
    tidied = f"{made}.{unique}.t"
    sql(f"ALTER TABLE {tidied} EXECUTE expire_snapshots(retention_threshold => '0s')")
    sql(f"ALTER TABLE {tidied} EXECUTE remove_orphan_files(retention_threshold => '0s')")
    after = stored(catalog, table)
    assert len(after.snapshots()) == 1
    assert len(after.metadata.statistics) == 1
    assert len(list(after.scan().plan_files())) == 2
    assert [row[0] for row in rows_of(after)] == [1, 2, 3, 5, 6]
    assert sorted(sql(f"SELECT id FROM {table}")) == [(1,), (2,), (3,), (5,), (6,)]
