"""DuckDB with its Iceberg extension, attached to the catalog under test as `ice`."""

import importlib.util
import pathlib

import duckdb
import pytest
from pyiceberg.catalog.rest import RestCatalog

# Iceberg loads the first two by itself; without a network it must find them loaded.
EXTENSIONS = ("httpfs", "avro", "iceberg")


def open_duckdb(extension_directory):
    """A connection that has the extensions, read from where pip put them."""
    # Nothing is to be kept in the user's home, nor fetched by DuckDB itself.
    connection = duckdb.connect(config={"extension_directory": str(extension_directory),
                                        "autoinstall_known_extensions": "false"})
    for name in EXTENSIONS:
        package = pathlib.Path(importlib.util.find_spec(f"duckdb_extension_{name}").origin).parent
        found = next(package.rglob(f"{name}.duckdb_extension"))
        connection.execute(f"LOAD '{found}'")
    return connection


@pytest.fixture
def bare(tmp_path):
    """A connection that is attached to nothing."""
    connection = open_duckdb(tmp_path)
    yield connection
    connection.close()


@pytest.fixture
def connect(tmp_path, server):
    """Makes connections to the catalog."""
    made = []

    def make():
        connection = open_duckdb(tmp_path)
        made.append(connection)
        connection.execute(f"ATTACH '' AS ice (TYPE ICEBERG, ENDPOINT '{server.uri}', "
                           "AUTHORIZATION_TYPE 'none')")
        return connection

    yield make
    for connection in made:
        connection.close()


@pytest.fixture
def duck(connect):
    return connect()


@pytest.fixture
def schema(duck, unique):
    """A new schema, named so that SQL can use it as it is."""
    duck.execute(f"CREATE SCHEMA ice.{unique}")
    return f"ice.{unique}"


@pytest.fixture
def pyiceberg(server):
    return RestCatalog("suite", uri=server.uri)


def rows_of(connection, query):
    return connection.execute(query).fetchall()
