"""DuckDB with its Iceberg extension, attached to the catalog under test as `ice`."""

import pytest
from pyiceberg.catalog.rest import RestCatalog

from clientkit.duckdb_client import open_duckdb


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
