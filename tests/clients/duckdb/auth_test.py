"""A server that answers to its principals alone."""

import duckdb
import pytest
import requests
from clientkit.program import add_principal, serving
from conftest import open_duckdb, rows_of


@pytest.fixture(scope="module")
def guarded(program):
    """(URI, secret of a principal that may write, secret of one that may not)."""
    with serving(program, "--auth") as (server, lake):
        yield (server.uri, add_principal(program, lake, "writer"),
               add_principal(program, lake, "reader", "--read-only"))


def attach(connection, uri, secret):
    """Attaches the catalog with the options of a DuckDB secret."""
    connection.execute(f"CREATE OR REPLACE SECRET lake (TYPE ICEBERG, {secret})")
    connection.execute(f"ATTACH '' AS ice (TYPE ICEBERG, SECRET lake, ENDPOINT '{uri}')")


def of_client(uri, name, secret):
    return (f"CLIENT_ID '{name}', CLIENT_SECRET '{secret}', "
            f"OAUTH2_SERVER_URI '{uri}/v1/oauth/tokens'")


def token(uri, secret):
    answer = requests.post(f"{uri}/v1/oauth/tokens", timeout=30, data={
        "grant_type": "client_credentials", "client_secret": secret})
    return answer.json()["access_token"]


@pytest.mark.parametrize("how", ["client", "token"])
def test_a_principal_writes_and_reads(bare, guarded, how, unique):
    uri, writer, _ = guarded
    attach(bare, uri, of_client(uri, "writer", writer) if how == "client"
           else f"TOKEN '{token(uri, writer)}'")
    bare.execute(f"CREATE SCHEMA ice.{unique}")
    bare.execute(f"CREATE TABLE ice.{unique}.t (id BIGINT)")
    bare.execute(f"INSERT INTO ice.{unique}.t VALUES (1), (2)")
    assert rows_of(bare, f"SELECT id FROM ice.{unique}.t ORDER BY id") == [(1,), (2,)]


def test_a_reader_reads_and_changes_nothing(bare, guarded, unique, tmp_path):
    uri, writer, reader = guarded
    attach(bare, uri, of_client(uri, "writer", writer))
    bare.execute(f"CREATE SCHEMA ice.{unique}")
    bare.execute(f"CREATE TABLE ice.{unique}.t AS SELECT 1::BIGINT AS id")
    connection = open_duckdb(tmp_path)
    attach(connection, uri, of_client(uri, "reader", reader))
    assert rows_of(connection, f"SELECT id FROM ice.{unique}.t") == [(1,)]
    with pytest.raises(duckdb.Error):
        connection.execute(f"INSERT INTO ice.{unique}.t VALUES (2)")
    with pytest.raises(duckdb.Error):
        connection.execute(f"CREATE SCHEMA ice.{unique}2")
    assert rows_of(connection, f"SELECT id FROM ice.{unique}.t") == [(1,)]
    connection.close()


def test_others_do_not_get_in(bare, guarded):
    uri, _, _ = guarded
    for secret in (of_client(uri, "writer", "x"), "TOKEN 'x'"):
        with pytest.raises(duckdb.Error, match="(?i)401|unauthorized|invalid_client|authoriz"):
            attach(bare, uri, secret)
            bare.execute("SHOW ALL TABLES")
