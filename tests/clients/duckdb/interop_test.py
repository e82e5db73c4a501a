"""Tables that PyIceberg writes and DuckDB reads, and the other way round."""

import pyarrow as pa
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

from conftest import rows_of

SCHEMA = Schema(NestedField(1, "a", LongType()), NestedField(2, "b", StringType()))


def arrow(*pairs):
    return pa.Table.from_pylist([{"a": a, "b": b} for a, b in pairs],
                                schema=pa.schema([("a", pa.int64()), ("b", pa.string())]))


def test_duckdb_reads_what_pyiceberg_writes(pyiceberg, duck, schema, unique):
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "b"))
    made = pyiceberg.create_table((unique, "t"), SCHEMA, partition_spec=spec)
    made.append(arrow((1, "x"), (2, "y")))
    made.append(arrow((3, "x")))
    made.delete("a = 1")
    made.overwrite(arrow((9, "y")), overwrite_filter="b = 'y'")
    assert rows_of(duck, f"SELECT a, b FROM {schema}.t ORDER BY a") == [(3, "x"), (9, "y")]
    assert rows_of(duck, f"SELECT count(*) FROM {schema}.t WHERE b = 'x'") == [(1,)]


def test_pyiceberg_reads_what_duckdb_writes(pyiceberg, duck, schema, unique):
    duck.execute(f"CREATE TABLE {schema}.t (a BIGINT, b VARCHAR)")
    duck.execute(f"INSERT INTO {schema}.t VALUES (1, 'x'), (2, 'y'), (3, 'z')")
    duck.execute(f"UPDATE {schema}.t SET b = 'new' WHERE a = 2")
    duck.execute(f"DELETE FROM {schema}.t WHERE a = 3")
    found = pyiceberg.load_table((unique, "t"))
    assert sorted(found.scan().to_arrow().to_pylist(), key=lambda row: row["a"]) == [
        {"a": 1, "b": "x"}, {"a": 2, "b": "new"}]


def test_both_write_one_table_in_turn(pyiceberg, connect, schema, unique):
    made = pyiceberg.create_table((unique, "t"), SCHEMA)
    for i in range(3):
        made.append(arrow((i, "py")))
        connect().execute(f"INSERT INTO {schema}.t VALUES ({i + 10}, 'duck')")
        made.refresh()
    wanted = [(0, "py"), (1, "py"), (2, "py"), (10, "duck"), (11, "duck"), (12, "duck")]
    assert rows_of(connect(), f"SELECT a, b FROM {schema}.t ORDER BY a") == wanted
    assert sorted(row["a"] for row in made.scan().to_arrow().to_pylist()) == [
        a for a, _ in wanted]
    assert len(pyiceberg.load_table((unique, "t")).snapshots()) == 6


def test_schema_changed_by_one_is_seen_by_the_other(pyiceberg, duck, connect, schema, unique):
    made = pyiceberg.create_table((unique, "t"), SCHEMA)
    made.append(arrow((1, "x")))
    duck.execute(f"ALTER TABLE {schema}.t ADD COLUMN c BIGINT")
    made.refresh()
    assert [field.name for field in made.schema().fields] == ["a", "b", "c"]
    with made.update_schema() as update:
        update.rename_column("b", "label")
    assert rows_of(connect(), f"SELECT a, label, c FROM {schema}.t") == [(1, "x", None)]
