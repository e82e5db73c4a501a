"""What PyIceberg writes into tables, and how tables change shape."""

import pyarrow as pa
import pytest
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.expressions import EqualTo, GreaterThan
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.transforms import BucketTransform, IdentityTransform, TruncateTransform
from pyiceberg.types import IntegerType, LongType, StringType

from conftest import ids_of, rows, schema_of_rows


def names_by_id(table):
    found = table.scan().to_arrow().to_pylist()
    return {row["id"]: row["name"] for row in found}


def test_appends_add_up(catalog, table):
    for i in range(5):
        table.append(rows(i))
    loaded = catalog.load_table(table.name())
    assert ids_of(loaded) == [0, 1, 2, 3, 4]
    assert [entry.snapshot_id for entry in loaded.history()] == [
        snapshot.snapshot_id for snapshot in loaded.snapshots()]
    assert [snapshot.sequence_number for snapshot in loaded.snapshots()] == [1, 2, 3, 4, 5]
    assert len(loaded.metadata.metadata_log) == 5


def test_overwrite_replaces_all_or_what_matches(catalog, table):
    table.append(rows(1, 2, 3))
    table.overwrite(rows(4, 5))
    assert ids_of(catalog.load_table(table.name())) == [4, 5]
    table.overwrite(rows(6), overwrite_filter=EqualTo("id", 5))
    assert ids_of(catalog.load_table(table.name())) == [4, 6]


def test_delete_removes_what_matches(catalog, table):
    table.append(rows(1, 2, 3, 4))
    table.delete(GreaterThan("id", 2))
    assert ids_of(catalog.load_table(table.name())) == [1, 2]
    table.delete("id >= 0")
    assert ids_of(catalog.load_table(table.name())) == []


def test_upsert_updates_and_inserts(catalog, table):
    table.append(rows(1, 2, name="old"))
    result = table.upsert(rows(2, 3, name="new"), join_cols=["id"])
    assert (result.rows_updated, result.rows_inserted) == (1, 1)
    assert names_by_id(catalog.load_table(table.name())) == {1: "old", 2: "new", 3: "new"}


def test_dynamic_overwrite_replaces_the_partitions_it_writes(catalog, namespace):
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "name"))
    made = catalog.create_table((namespace, "t"), schema_of_rows(), partition_spec=spec)
    made.append(pa.concat_tables([rows(1, 2, name="a"), rows(3, name="b")]))
    made.dynamic_partition_overwrite(rows(9, name="a"))
    assert names_by_id(catalog.load_table((namespace, "t"))) == {9: "a", 3: "b"}


def test_added_files_are_read(catalog, table, tmp_path):
    import pyarrow.parquet as parquet

    file = tmp_path / "given.parquet"
    parquet.write_table(rows(11, 12), file)
    table.add_files([f"file://{file}"])
    assert ids_of(catalog.load_table(table.name())) == [11, 12]


def test_schema_evolves(catalog, table):
    table.append(rows(1))
    with table.update_schema() as update:
        update.add_column("extra", IntegerType(), doc="new")
        update.rename_column("name", "label")
    with table.update_schema() as update:
        update.update_column("extra", LongType())
        update.move_first("extra")
    with table.update_schema(allow_incompatible_changes=True) as update:
        update.make_column_optional("id")
        update.delete_column("label")
    loaded = catalog.load_table(table.name())
    assert [(field.field_id, field.name) for field in loaded.schema().fields] == [
        (3, "extra"), (1, "id")]
    assert isinstance(loaded.schema().find_field("extra").field_type, LongType)
    assert not loaded.schema().find_field("id").required
    assert len(loaded.schemas()) == 4
    assert loaded.scan().to_arrow().to_pylist() == [{"extra": None, "id": 1}]


def test_schema_takes_over_new_columns_of_the_data(catalog, table):
    wider = pa.table({"id": [1], "name": ["x"], "score": [0.5]})
    with table.update_schema() as update:
        update.union_by_name(wider.schema)
    table.append(wider.cast(table.schema().as_arrow()))
    found = catalog.load_table(table.name()).scan().to_arrow().to_pylist()
    assert found == [{"id": 1, "name": "x", "score": 0.5}]


def test_stale_schema_change_is_refused(catalog, table):
    stale = catalog.load_table(table.name())
    with table.update_schema() as update:
        update.add_column("first", StringType())
    with pytest.raises(CommitFailedException):
        with stale.update_schema() as update:
            update.add_column("second", StringType())
    names = [field.name for field in catalog.load_table(table.name()).schema().fields]
    assert names == ["id", "name", "first"]


def test_partition_spec_evolves(catalog, table):
    table.append(rows(1, name="abc"))
    with table.update_spec() as update:
        update.add_field("id", BucketTransform(4), "id_bucket")
        update.add_field("name", TruncateTransform(2), "name_trunc")
    table.append(rows(2, name="abd"))
    with table.update_spec() as update:
        update.remove_field("id_bucket")
        update.rename_field("name_trunc", "prefix")
    table.append(rows(3, name="xyz"))
    loaded = catalog.load_table(table.name())
    assert [field.name for field in loaded.spec().fields] == ["prefix"]
    assert loaded.last_partition_id() == 1001
    assert sorted(loaded.specs()) == [0, 1, 2]
    assert ids_of(loaded) == [1, 2, 3]
    assert ids_of(loaded, row_filter="name = 'abd'") == [2]


def test_sort_order_evolves(catalog, table):
    with table.update_sort_order() as update:
        update.asc("id", IdentityTransform())
    with table.update_sort_order() as update:
        update.desc("name", IdentityTransform())
    loaded = catalog.load_table(table.name())
    assert sorted(loaded.sort_orders()) == [0, 1, 2]
    assert loaded.sort_order().fields[0].source_id == 2


def test_properties_are_set_and_removed(catalog, table):
    with table.transaction() as transaction:
        transaction.set_properties({"a": "1", "b": "2"})
    with table.transaction() as transaction:
        transaction.remove_properties("a")
        transaction.set_properties({"b": "3"})
    loaded = catalog.load_table(table.name())
    assert "a" not in loaded.properties
    assert loaded.properties["b"] == "3"
