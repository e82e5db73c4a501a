"""A server that answers to its principals alone."""

import pytest
from clientkit.program import add_principal, serving

from conftest import CATALOG, Refused


@pytest.fixture(scope="module")
def guarded(spark, program):
    """Makes a catalog on that server, with a credential, and returns its name."""
    with serving(program, "--auth") as (server, lake):
        secrets = {"writer": add_principal(program, lake, "writer"),
                   "reader": add_principal(program, lake, "reader", "--read-only"),
                   "stranger": "nothing"}

        def connect(principal):
            catalog = f"guarded_{principal}"
            spark.conf.set(f"spark.sql.catalog.{catalog}", CATALOG)
            for key, value in {"type": "rest", "uri": server.uri, "cache-enabled": "false",
                               "credential": f"{principal}:{secrets[principal]}"}.items():
                spark.conf.set(f"spark.sql.catalog.{catalog}.{key}", value)
            return catalog

        yield connect


def test_principal_may_do_everything(sql, guarded, unique):
    table = f"{guarded('writer')}.{unique}.t"
    sql(f"CREATE NAMESPACE {guarded('writer')}.{unique}")
    sql(f"CREATE TABLE {table} USING iceberg AS SELECT 1 AS a")
    sql(f"INSERT INTO {table} VALUES (2)")
    assert sql(f"SELECT a FROM {table} ORDER BY a") == [(1,), (2,)]


def test_reader_reads_and_changes_nothing(sql, guarded, unique):
    writer, reader = guarded("writer"), guarded("reader")
    sql(f"CREATE NAMESPACE {writer}.{unique}")
    sql(f"CREATE TABLE {writer}.{unique}.t USING iceberg AS SELECT 1 AS a")
    for change in (f"INSERT INTO {reader}.{unique}.t VALUES (2)", f"DROP TABLE {reader}.{unique}.t",
                   f"CREATE NAMESPACE {reader}.{unique}_other"):
        with pytest.raises(Refused, match="Forbidden"):
            sql(change)
    assert sql(f"SELECT a FROM {reader}.{unique}.t") == [(1,)]


def test_stranger_may_do_nothing(sql, guarded):
    with pytest.raises(Refused, match="NotAuthorized"):
        sql(f"SHOW NAMESPACES IN {guarded('stranger')}")
