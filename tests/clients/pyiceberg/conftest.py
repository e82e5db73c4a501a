"""The catalog under test and small tables to put into it."""

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

ARROW_SCHEMA = pa.schema([pa.field("id", pa.int64(), nullable=False),
                          pa.field("name", pa.string())])


def connect(uri):
    """A client of its own: PyIceberg's sessions are not for several threads."""
    return RestCatalog("suite", uri=uri)


def rows(*ids, name="x"):
    """An Arrow table with one row for each id."""
    return pa.table({"id": list(ids), "name": [name] * len(ids)}, schema=ARROW_SCHEMA)


def ids_of(table, **scan):
    """The ids that a scan finds, in order."""
    return sorted(table.scan(**scan).to_arrow()["id"].to_pylist())


def schema_of_rows():
    return Schema(NestedField(1, "id", LongType(), required=True),
                  NestedField(2, "name", StringType()))


@pytest.fixture(scope="session")
def catalog(server):
    return connect(server.uri)


@pytest.fixture
def namespace(catalog, unique):
    """A new namespace with one level."""
    catalog.create_namespace(unique)
    return unique


@pytest.fixture
def table(catalog, namespace):
    """An empty table of `rows`."""
    return catalog.create_table((namespace, "t"), schema_of_rows())
