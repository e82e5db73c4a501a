"""Tables as entries of the catalog: create, load, rename, register, drop."""

import pathlib
import time
import urllib.parse

import pytest
from pyiceberg.exceptions import (NoSuchNamespaceError, NoSuchTableError, RESTError,
                                  TableAlreadyExistsError)
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import NullOrder, SortDirection, SortField, SortOrder
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform
from pyiceberg.types import (BinaryType, BooleanType, DateType, DecimalType, DoubleType, FixedType,
                             FloatType, IntegerType, ListType, LongType, MapType, NestedField,
                             StringType, StructType, TimestampType, TimestamptzType, TimeType,
                             UUIDType)

from conftest import connect, ids_of, rows, schema_of_rows


def path_of(location):
    """The local path of a file: URI."""
    return pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(location).path))


def test_table_has_the_schema_it_was_given(catalog, namespace):
    wanted = Schema(
        NestedField(1, "id", LongType(), required=True, doc="the key"),
        NestedField(2, "int", IntegerType()),
        NestedField(3, "flag", BooleanType()),
        NestedField(4, "float", FloatType()),
        NestedField(5, "double", DoubleType()),
        NestedField(6, "decimal", DecimalType(18, 3)),
        NestedField(7, "date", DateType()),
        NestedField(8, "time", TimeType()),
        NestedField(9, "ts", TimestampType()),
        NestedField(10, "tstz", TimestamptzType()),
        NestedField(11, "text", StringType()),
        NestedField(12, "uuid", UUIDType()),
        NestedField(13, "fixed", FixedType(16)),
        NestedField(14, "binary", BinaryType()),
        NestedField(15, "list", ListType(18, StringType(), element_required=False)),
        NestedField(16, "map", MapType(19, StringType(), 20, LongType(), value_required=True)),
        NestedField(17, "struct", StructType(NestedField(21, "inner", LongType()))),
        identifier_field_ids=[1])
    catalog.create_table((namespace, "t"), wanted)
    loaded = catalog.load_table((namespace, "t")).schema()
    assert loaded.as_struct() == wanted.as_struct()
    assert loaded.identifier_field_ids == [1]


def test_table_has_the_spec_order_location_and_properties_it_was_given(catalog, namespace):
    schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "ts", TimestampType()),
                    NestedField(3, "name", StringType()))
    spec = PartitionSpec(PartitionField(2, 1000, DayTransform(), "ts_day"),
                         PartitionField(1, 1001, BucketTransform(16), "id_bucket"))
    order = SortOrder(
        SortField(3, IdentityTransform(), SortDirection.DESC, NullOrder.NULLS_LAST),
        SortField(1, IdentityTransform(), SortDirection.ASC, NullOrder.NULLS_FIRST))
    location = catalog.create_table((namespace, "other"), schema).location() + "-elsewhere"
    catalog.create_table((namespace, "t"), schema, location=location, partition_spec=spec,
                         sort_order=order, properties={"a": "b", "write.x": "1"})
    loaded = catalog.load_table((namespace, "t"))
    assert loaded.spec().fields == spec.fields
    assert loaded.sort_order().fields == order.fields
    assert loaded.location() == location
    assert loaded.properties["a"] == "b"
    assert loaded.properties["write.x"] == "1"


def test_default_location_is_below_the_warehouse(table):
    assert table.location().startswith("file:///")
    assert path_of(table.metadata_location).is_relative_to(path_of(table.location()) / "metadata")
    assert path_of(table.metadata_location).exists()


@pytest.mark.parametrize("version", [1, 2, 3])
def test_table_has_the_format_version_it_asks_for(catalog, namespace, version):
    made = catalog.create_table((namespace, "t"), schema_of_rows(),
                                properties={"format-version": str(version)})
    assert made.format_version == version
    assert "format-version" not in made.properties
    if version < 3:  # PyIceberg writes no data of version 3
        made.append(rows(1, 2))
        assert ids_of(catalog.load_table((namespace, "t"))) == [1, 2]
    with made.update_schema() as update:
        update.add_column("more", LongType())
    assert catalog.load_table((namespace, "t")).schema().find_field("more").field_id == 3


def test_version_1_is_upgraded_with_its_data(catalog, namespace):
    made = catalog.create_table((namespace, "t"), schema_of_rows(),
                                properties={"format-version": "1"})
    made.append(rows(1))
    with made.transaction() as transaction:
        transaction.upgrade_table_version(2)
    made.append(rows(2))
    loaded = catalog.load_table((namespace, "t"))
    assert loaded.format_version == 2
    assert ids_of(loaded) == [1, 2]


def test_table_cannot_be_made_twice(catalog, table):
    with pytest.raises(TableAlreadyExistsError):
        catalog.create_table(table.name(), schema_of_rows())
    assert catalog.load_table(table.name()).metadata.table_uuid == table.metadata.table_uuid


def test_missing_table_is_told_as_such(catalog, namespace):
    assert not catalog.table_exists((namespace, "missing"))
    assert not catalog.table_exists(("missing", "missing"))
    with pytest.raises(NoSuchTableError):
        catalog.load_table((namespace, "missing"))
    with pytest.raises(NoSuchTableError):
        catalog.load_table(("missing", "missing"))
    with pytest.raises(NoSuchTableError):
        catalog.drop_table((namespace, "missing"))


def test_many_tables_are_all_listed(catalog, namespace):
    for i in range(30):
        catalog.create_table((namespace, f"t{i:02}"), schema_of_rows())
    assert catalog.list_tables(namespace) == [(namespace, f"t{i:02}") for i in range(30)]


def test_table_is_renamed_across_namespaces(catalog, table, namespace):
    table.append(rows(1))
    other = f"{namespace}_other"
    catalog.create_namespace(other)
    renamed = catalog.rename_table(table.name(), (other, "u"))
    assert renamed.metadata_location == table.metadata_location
    assert not catalog.table_exists(table.name())
    assert catalog.list_tables(other) == [(other, "u")]
    renamed.append(rows(2))
    assert ids_of(catalog.load_table((other, "u"))) == [1, 2]


def test_rename_is_refused_where_it_cannot_be(catalog, table, namespace):
    taken = catalog.create_table((namespace, "taken"), schema_of_rows())
    with pytest.raises(TableAlreadyExistsError):
        catalog.rename_table(table.name(), taken.name())
    with pytest.raises(NoSuchTableError):
        catalog.rename_table((namespace, "missing"), (namespace, "u"))
    with pytest.raises(NoSuchNamespaceError):
        catalog.rename_table(table.name(), ("missing", "u"))
    assert sorted(catalog.list_tables(namespace)) == [table.name(), taken.name()]


def test_name_is_free_after_a_rename(catalog, table, namespace):
    table.append(rows(1))
    catalog.rename_table(table.name(), (namespace, "old"))
    fresh = catalog.create_table(table.name(), schema_of_rows())
    fresh.append(rows(2))
    assert ids_of(catalog.load_table((namespace, "old"))) == [1]
    assert ids_of(catalog.load_table(table.name())) == [2]


def test_dropped_table_is_registered_again(catalog, table):
    table.append(rows(1, 2))
    catalog.drop_table(table.name())
    assert not catalog.table_exists(table.name())
    assert path_of(table.metadata_location).exists()
    registered = catalog.register_table(table.name(), table.metadata_location)
    assert registered.metadata_location == table.metadata_location
    assert registered.metadata.table_uuid == table.metadata.table_uuid
    registered.append(rows(3))
    assert ids_of(catalog.load_table(table.name())) == [1, 2, 3]


def test_register_is_refused_where_it_cannot_be(catalog, table, namespace):
    with pytest.raises(TableAlreadyExistsError):
        catalog.register_table(table.name(), table.metadata_location)
    with pytest.raises(RESTError, match="NoSuchNamespaceException"):  # PyIceberg has no own kind
        catalog.register_table(("missing", "t"), table.metadata_location)
    with pytest.raises(RESTError):
        catalog.register_table((namespace, "u"), table.metadata_location + ".none")
    assert catalog.list_tables(namespace) == [table.name()]


@pytest.mark.parametrize("purge", [False, True])
def test_table_is_dropped_with_either_purge_flag(catalog, table, purge):
    table.append(rows(1))
    catalog.drop_table(table.name(), purge_requested=purge)
    assert not catalog.table_exists(table.name())
    assert purge or path_of(table.metadata_location).exists()


def test_purged_table_is_gone_and_its_name_free(catalog, table):
    table.append(rows(1))
    catalog.purge_table(table.name())
    assert not catalog.table_exists(table.name())
    fresh = catalog.create_table(table.name(), schema_of_rows())
    assert ids_of(fresh) == []


def files_below(location):
    """Relative paths of all files at and below a location."""
    root = path_of(location)
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def wait_until_purged(location):
    """A drop answers at latest after a second; of a large table the rest goes in the background."""
    deadline = time.monotonic() + 60
    while path_of(location).exists() and time.monotonic() < deadline:
        time.sleep(0.05)


def test_purged_table_leaves_no_file(catalog, namespace):
    spec = PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "id"))
    table = catalog.create_table((namespace, "t"), schema_of_rows(), partition_spec=spec)
    neighbour = catalog.create_table((namespace, "neighbour"), schema_of_rows())
    neighbour.append(rows(1, 2))
    for first in range(0, 30, 3):
        table.append(rows(first, first + 1, first + 2))
    table.overwrite(rows(100), overwrite_filter="id < 10")
    table.delete("id = 100")
    assert len(files_below(table.location())) > 50
    before = files_below(neighbour.location())
    catalog.purge_table(table.name())
    wait_until_purged(table.location())
    assert not path_of(table.location()).exists(), files_below(table.location())
    assert files_below(neighbour.location()) == before
    assert ids_of(catalog.load_table(neighbour.name())) == [1, 2]


def test_dropped_table_keeps_its_files(catalog, table):
    table.append(rows(1, 2))
    before = files_below(table.location())
    catalog.drop_table(table.name())
    assert files_below(table.location()) == before


def test_second_client_sees_what_the_first_did(catalog, table, server):
    table.append(rows(7))
    assert ids_of(connect(server.uri).load_table(table.name())) == [7]
