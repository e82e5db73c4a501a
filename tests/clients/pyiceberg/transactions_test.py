"""Several changes in one commit, and tables that exist only once their transaction ends."""

import pytest
from pyiceberg.exceptions import CommitFailedException, TableAlreadyExistsError
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType

from conftest import ids_of, rows, schema_of_rows


def test_transaction_is_one_commit(catalog, table):
    before = len(table.metadata.metadata_log)
    with table.transaction() as transaction:
        with transaction.update_schema() as update:
            update.add_column("extra", LongType())
        with transaction.update_spec() as update:
            update.add_field("name", IdentityTransform(), "by_name")
        transaction.set_properties({"a": "1"})
        transaction.append(rows(1, 2))
        transaction.append(rows(3))
        transaction.delete("id = 2")
    loaded = catalog.load_table(table.name())
    assert len(loaded.metadata.metadata_log) == before + 1
    assert loaded.schema().find_field("extra").field_id == 3
    assert [field.name for field in loaded.spec().fields] == ["by_name"]
    assert loaded.properties["a"] == "1"
    assert ids_of(loaded) == [1, 3]


def test_failed_transaction_changes_nothing(catalog, table):
    with pytest.raises(ZeroDivisionError):
        with table.transaction() as transaction:
            transaction.append(rows(1))
            transaction.set_properties({"a": "1"})
            raise ZeroDivisionError
    loaded = catalog.load_table(table.name())
    assert loaded.metadata_location == table.metadata_location
    assert ids_of(loaded) == []


def test_staged_table_appears_when_its_transaction_ends(catalog, namespace):
    with catalog.create_table_transaction((namespace, "t"), schema_of_rows(),
                                          properties={"a": "1"}) as transaction:
        with transaction.update_schema() as update:
            update.add_column("extra", LongType())
        transaction.append(rows(1, 2).append_column("extra", [[5, 6]]))
        assert not catalog.table_exists((namespace, "t"))
        assert catalog.list_tables(namespace) == []
    loaded = catalog.load_table((namespace, "t"))
    assert ids_of(loaded) == [1, 2]
    assert loaded.properties["a"] == "1"
    assert loaded.schema().find_field("extra").field_id == 3
    assert loaded.metadata.metadata_log == []


def test_staged_table_loses_against_one_made_meanwhile(catalog, namespace):
    transaction = catalog.create_table_transaction((namespace, "t"), schema_of_rows())
    made = catalog.create_table((namespace, "t"), schema_of_rows())
    with pytest.raises((CommitFailedException, TableAlreadyExistsError)):
        transaction.commit_transaction()
    assert catalog.load_table((namespace, "t")).metadata.table_uuid == made.metadata.table_uuid


def test_abandoned_staged_table_leaves_nothing(catalog, namespace):
    catalog.create_table_transaction((namespace, "t"), schema_of_rows())
    assert catalog.list_tables(namespace) == []
    catalog.drop_namespace(namespace)
