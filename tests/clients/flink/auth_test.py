"""A server that answers to its principals alone."""

import pytest
from clientkit.program import add_principal, serving

from conftest import Refused


@pytest.fixture(scope="module")
def guarded(flink, program):
    """Makes a catalog on that server, with a credential, and returns its name."""
    with serving(program, "--auth") as (server, lake):
        secrets = {"writer": add_principal(program, lake, "writer"),
                   "reader": add_principal(program, lake, "reader", "--read-only"),
                   "stranger": "nothing"}

        def connect(principal):
            flink.ask(do="run", mode="batch", statement=(
                f"CREATE CATALOG IF NOT EXISTS {principal} WITH ('type' = 'iceberg', "
                f"'catalog-type' = 'rest', 'uri' = '{server.uri}', "
                f"'credential' = '{principal}:{secrets[principal]}')"))
            return principal

        yield connect


def test_principal_may_do_everything(sql, guarded, unique):
    name = f"{guarded('writer')}.{unique}.t"
    sql(f"CREATE DATABASE writer.{unique}")
    sql(f"CREATE TABLE {name} (a INT)")
    sql(f"INSERT INTO {name} VALUES (1), (2)")
    assert sorted(sql(f"SELECT a FROM {name}")) == [(1,), (2,)]


def test_reader_reads_and_changes_nothing(sql, guarded, unique):
    writer, reader = guarded("writer"), guarded("reader")
    sql(f"CREATE DATABASE {writer}.{unique}")
    sql(f"CREATE TABLE {writer}.{unique}.t (a INT)")
    sql(f"INSERT INTO {writer}.{unique}.t VALUES (1)")
    for change in (f"INSERT INTO {reader}.{unique}.t VALUES (2)", f"DROP TABLE {reader}.{unique}.t",
                   f"CREATE DATABASE {reader}.{unique}_other"):
        with pytest.raises(Refused, match="Forbidden"):
            sql(change)
    assert sql(f"SELECT a FROM {reader}.{unique}.t") == [(1,)]


def test_stranger_may_do_nothing(guarded):
    with pytest.raises(Refused, match="NotAuthorized"):
        guarded("stranger")
