"""A server that answers to its principals alone."""

import functools

import pytest
from clientkit.program import add_principal, serving

from conftest import Refused


@pytest.fixture(scope="module")
def guarded(make_catalog, program):
    """Makes a catalog on that server, with a credential, and returns its name."""
    with serving(program, "--auth") as (server, lake):
        secrets = {"writer": add_principal(program, lake, "writer"),
                   "reader": add_principal(program, lake, "reader", "--read-only"),
                   "stranger": "nothing"}

        @functools.cache
        def connect(principal):
            return make_catalog(principal, {
                "iceberg.rest-catalog.uri": server.uri,
                "iceberg.rest-catalog.security": "OAUTH2",
                "iceberg.rest-catalog.oauth2.server-uri": f"{server.uri}/v1/oauth/tokens",
                "iceberg.rest-catalog.oauth2.credential": f"{principal}:{secrets[principal]}"})

        yield connect


def test_principal_may_do_everything(sql, guarded, unique):
    name = f"{guarded('writer')}.{unique}.t"
    sql(f"CREATE SCHEMA writer.{unique}")
    sql(f"CREATE TABLE {name} AS SELECT 1 AS a")
    sql(f"UPDATE {name} SET a = 2")
    assert sql(f"SELECT a FROM {name}") == [(2,)]


def test_reader_reads_and_changes_nothing(sql, guarded, unique):
    writer, reader = guarded("writer"), guarded("reader")
    sql(f"CREATE SCHEMA {writer}.{unique}")
    sql(f"CREATE TABLE {writer}.{unique}.t AS SELECT 1 AS a")
    for change in (f"INSERT INTO {reader}.{unique}.t VALUES 2", f"DROP TABLE {reader}.{unique}.t",
                   f"CREATE SCHEMA {reader}.{unique}_other"):
        with pytest.raises(Refused, match="Forbidden"):
            sql(change)
    assert sql(f"SELECT a FROM {reader}.{unique}.t") == [(1,)]


def test_stranger_may_do_nothing(guarded):
    with pytest.raises(Refused, match="NotAuthorized"):
        guarded("stranger")
