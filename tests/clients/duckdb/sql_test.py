"""What a user of DuckDB types: schemas, tables, rows and transactions."""

import duckdb
import pytest

from conftest import rows_of


@pytest.fixture
def table(duck, schema):
    """Three rows."""
    duck.execute(f"CREATE TABLE {schema}.t (a INTEGER, b VARCHAR)")
    duck.execute(f"INSERT INTO {schema}.t VALUES (1, 'x'), (2, 'y'), (3, 'z')")
    return f"{schema}.t"


def test_schemas_come_and_go(duck, connect, schema):
    name = schema.removeprefix("ice.")
    query = ("SELECT schema_name FROM information_schema.schemata "
             f"WHERE catalog_name = 'ice' AND schema_name = '{name}'")
    assert rows_of(connect(), query) == [(name,)]
    duck.execute(f"DROP SCHEMA {schema}")
    assert rows_of(connect(), query) == []


def test_schema_with_a_table_is_not_dropped(duck, connect, table):
    schema = table.removesuffix(".t")
    with pytest.raises(duckdb.Error, match="not empty"):
        duck.execute(f"DROP SCHEMA {schema}")
    assert rows_of(connect(), f"SELECT count(*) FROM {table}") == [(3,)]


def test_rows_are_inserted_and_read(duck, connect, table):
    duck.execute(f"INSERT INTO {table} SELECT i, 'n' || i FROM range(10, 20) r(i)")
    assert rows_of(connect(), f"SELECT count(*), sum(a) FROM {table}") == [(13, 151)]
    assert rows_of(connect(), f"SELECT b FROM {table} WHERE a = 15") == [("n15",)]


def test_rows_are_updated_and_deleted(duck, connect, table):
    duck.execute(f"UPDATE {table} SET b = 'new' WHERE a >= 2")
    duck.execute(f"DELETE FROM {table} WHERE a = 3")
    assert rows_of(connect(), f"SELECT * FROM {table} ORDER BY a") == [(1, "x"), (2, "new")]


def test_types_are_kept(duck, connect, schema):
    duck.execute(f"CREATE TABLE {schema}.types (i BIGINT, d DOUBLE, f FLOAT, n DECIMAL(12, 2), "
                 "t TIMESTAMP, tz TIMESTAMPTZ, day DATE, flag BOOLEAN, blob BLOB, id UUID, "
                 "list INTEGER[], pair STRUCT(x INTEGER, y VARCHAR))")
    values = ("9007199254740993, 0.1, 0.5, 12.34, '2024-02-29 12:34:56.789', "
              "'2024-02-29 12:34:56+00', '2024-02-29', true, '\\x00\\xff'::BLOB, "
              "'0188d3c4-0000-7000-8000-000000000001', [1, 2], {'x': 1, 'y': 'z'}")
    duck.execute(f"INSERT INTO {schema}.types VALUES ({values})")
    expected = rows_of(duck, "SELECT " + values.replace("12.34,", "12.34::DECIMAL(12, 2),"))
    found = rows_of(connect(), f"SELECT i, d, f, n, day::VARCHAR, flag, blob, id::VARCHAR, list, "
                               f"pair, t::VARCHAR FROM {schema}.types")
    row = expected[0]
    assert found == [(row[0], 0.1, 0.5, row[3], row[6], row[7], row[8], row[9], row[10], row[11],
                      row[4])]


def test_table_is_altered(duck, connect, table):
    duck.execute(f"ALTER TABLE {table} ADD COLUMN c BIGINT")
    duck.execute(f"ALTER TABLE {table} RENAME COLUMN b TO label")
    duck.execute(f"INSERT INTO {table} VALUES (4, 'w', 44)")
    duck.execute(f"ALTER TABLE {table} DROP COLUMN label")
    assert rows_of(connect(), f"SELECT a, c FROM {table} ORDER BY a") == [
        (1, None), (2, None), (3, None), (4, 44)]


def test_table_is_renamed(duck, connect, table):
    duck.execute(f"ALTER TABLE {table} RENAME TO other")
    schema = table.removesuffix(".t")
    assert rows_of(connect(), f"SELECT count(*) FROM {schema}.other") == [(3,)]
    with pytest.raises(duckdb.CatalogException):
        connect().execute(f"SELECT * FROM {table}")


def test_table_is_made_from_a_query(duck, connect, schema):
    duck.execute(f"CREATE TABLE {schema}.made AS SELECT i AS n FROM range(100) r(i)")
    assert rows_of(connect(), f"SELECT count(*), max(n) FROM {schema}.made") == [(100, 99)]


def test_table_is_dropped(duck, connect, table):
    duck.execute(f"DROP TABLE {table}")
    with pytest.raises(duckdb.CatalogException):
        connect().execute(f"SELECT * FROM {table}")


def test_table_is_not_made_twice(connect, table):
    with pytest.raises(duckdb.Error, match="already exists"):
        connect().execute(f"CREATE TABLE {table} (a INTEGER)")
    connect().execute(f"CREATE TABLE IF NOT EXISTS {table} (a INTEGER)")


def test_transaction_over_two_tables_lands_whole(duck, connect, table, schema):
    duck.execute(f"CREATE TABLE {schema}.u (a INTEGER)")
    duck.execute("BEGIN")
    duck.execute(f"INSERT INTO {table} VALUES (4, 'w')")
    duck.execute(f"INSERT INTO {schema}.u VALUES (4)")
    query = f"SELECT (SELECT count(*) FROM {table}), (SELECT count(*) FROM {schema}.u)"
    assert rows_of(connect(), query) == [(3, 0)]
    duck.execute("COMMIT")
    assert rows_of(connect(), query) == [(4, 1)]


def test_transaction_is_rolled_back(duck, connect, table):
    duck.execute("BEGIN")
    duck.execute(f"INSERT INTO {table} VALUES (4, 'w')")
    duck.execute(f"DELETE FROM {table} WHERE a = 1")
    duck.execute("ROLLBACK")
    assert rows_of(connect(), f"SELECT count(*) FROM {table}") == [(3,)]


def test_transaction_that_lost_a_race_changes_neither_table(duck, connect, table, schema):
    duck.execute(f"CREATE TABLE {schema}.u (a INTEGER)")
    duck.execute("BEGIN")
    duck.execute(f"INSERT INTO {schema}.u VALUES (1)")
    duck.execute(f"DELETE FROM {table} WHERE a = 1")
    connect().execute(f"DELETE FROM {table} WHERE a = 2")
    with pytest.raises(duckdb.Error):
        duck.execute("COMMIT")
    assert rows_of(connect(), f"SELECT a FROM {table} ORDER BY a") == [(1,), (3,)]
    assert rows_of(connect(), f"SELECT count(*) FROM {schema}.u") == [(0,)]


def test_earlier_snapshot_is_read(duck, connect, table):
    duck.execute(f"DELETE FROM {table} WHERE a = 1")
    snapshots = rows_of(connect(), "SELECT snapshot_id, operation "
                                   f"FROM iceberg_snapshots({table}) ORDER BY sequence_number")
    assert [operation for _, operation in snapshots] == ["append", "delete"]
    query = f"SELECT count(*) FROM {table} AT (VERSION => {snapshots[0][0]})"
    assert rows_of(connect(), query) == [(3,)]
    assert rows_of(connect(), f"SELECT count(*) FROM {table}") == [(2,)]


def test_names_that_need_quotes(duck, connect, unique):
    for schema in (f"{unique} a", f"{unique}/b", f"{unique}%c", f"{unique}.d"):
        duck.execute(f'CREATE SCHEMA ice."{schema}"')
        duck.execute(f'CREATE TABLE ice."{schema}"."t t" (a INTEGER)')
        duck.execute(f'INSERT INTO ice."{schema}"."t t" VALUES (1)')
        assert rows_of(connect(), f'SELECT a FROM ice."{schema}"."t t"') == [(1,)]


def test_client_with_a_secret_is_let_in(bare, server, schema, duck):
    duck.execute(f"CREATE TABLE {schema}.t (a INTEGER)")
    duck.execute(f"INSERT INTO {schema}.t VALUES (1)")
    bare.execute("CREATE SECRET who (TYPE ICEBERG, CLIENT_ID 'admin', CLIENT_SECRET 'password', "
                 f"OAUTH2_SERVER_URI '{server.uri}/v1/oauth/tokens')")
    bare.execute(f"ATTACH 'any' AS ice (TYPE ICEBERG, ENDPOINT '{server.uri}', SECRET who)")
    assert rows_of(bare, f"SELECT a FROM {schema}.t") == [(1,)]


def test_client_id_in_the_attach_is_let_in(bare, server, schema):
    bare.execute(f"ATTACH 'any' AS ice (TYPE ICEBERG, ENDPOINT '{server.uri}', "
                 "CLIENT_ID 'admin', CLIENT_SECRET 'password')")
    bare.execute(f"CREATE TABLE {schema}.t (a INTEGER)")
    bare.execute(f"INSERT INTO {schema}.t VALUES (2)")
    assert rows_of(bare, f"SELECT a FROM {schema}.t") == [(2,)]
