"""One catalog file, used by PyIceberg's SqlCatalog and by berglite at the same time."""

import sqlite3

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import TableAlreadyExistsError

from clientkit.program import Server
from concurrency_test import PATIENT, run_together
from conftest import connect, ids_of, rows, schema_of_rows

NAME = "from_pyiceberg"


def open_file(lake):
    """PyIceberg's own catalog on the file of a lake."""
    return SqlCatalog(NAME, uri=f"sqlite:///{lake.file}", warehouse=f"file://{lake.warehouse}")


@pytest.fixture
def sql(lake):
    """A catalog file as PyIceberg makes it, with a namespace, a child of it and two tables."""
    made = open_file(lake)
    made.create_namespace("shop", {"owner": "me"})
    made.create_namespace(("shop", "eu"))
    made.create_table(("shop", "orders"), schema_of_rows(), properties=PATIENT).append(rows(1, 2))
    made.create_table(("shop", "eu", "visits"), schema_of_rows())
    yield made
    made.close()


@pytest.fixture
def rest(program, lake, sql):
    """berglite on that file."""
    running = Server(program, lake)
    yield connect(running.uri)
    running.stop()


def test_file_of_pyiceberg_is_served_as_it_stands(rest, sql):
    assert rest.list_namespaces() == [("shop",)]
    assert rest.list_namespaces("shop") == [("shop", "eu")]
    assert rest.load_namespace_properties("shop")["owner"] == "me"
    assert rest.list_tables("shop") == [("shop", "orders")]
    assert rest.list_tables(("shop", "eu")) == [("shop", "eu", "visits")]
    expected = sql.load_table(("shop", "orders"))
    found = rest.load_table(("shop", "orders"))
    assert found.metadata_location == expected.metadata_location
    assert found.metadata == expected.metadata
    assert ids_of(found) == [1, 2]


def test_name_in_the_file_is_kept(rest, sql, lake):
    rest.create_namespace("more")
    rest.create_table(("more", "t"), schema_of_rows())
    connection = sqlite3.connect(lake.file)
    for statement in ("SELECT DISTINCT catalog_name FROM iceberg_tables",
                      "SELECT DISTINCT catalog_name FROM iceberg_namespace_properties"):
        assert connection.execute(statement).fetchall() == [(NAME,)]
    connection.close()


def test_what_berglite_makes_is_seen_by_pyiceberg(rest, sql, lake):
    rest.create_namespace("more", {"a": "1"})
    rest.create_table(("more", "t"), schema_of_rows()).append(rows(5))
    fresh = open_file(lake)
    assert fresh.load_namespace_properties("more")["a"] == "1"
    assert fresh.list_tables("more") == [("more", "t")]
    assert ids_of(fresh.load_table(("more", "t"))) == [5]
    with pytest.raises(TableAlreadyExistsError):
        fresh.create_table(("more", "t"), schema_of_rows())
    fresh.close()


def test_both_append_to_one_table(rest, sql):
    here, there = rest.load_table(("shop", "orders")), sql.load_table(("shop", "orders"))
    for i in (10, 11, 12):
        here.append(rows(i))
        there.refresh()
        there.append(rows(i + 100))
        here.refresh()
    wanted = [1, 2, 10, 11, 12, 110, 111, 112]
    assert ids_of(rest.load_table(("shop", "orders"))) == wanted
    assert ids_of(sql.load_table(("shop", "orders"))) == wanted


def test_both_race_on_one_table_and_all_lands(rest, sql, lake):
    def append_each(catalog, ids):
        target = catalog.load_table(("shop", "orders"))
        for i in ids:
            target.append(rows(i))

    other = open_file(lake)
    run_together([lambda: append_each(rest, range(10, 15)),
                  lambda: append_each(other, range(20, 25))])
    other.close()
    wanted = [1, 2, *range(10, 15), *range(20, 25)]
    assert ids_of(rest.load_table(("shop", "orders"))) == wanted
    assert ids_of(sql.load_table(("shop", "orders"))) == wanted


def test_changes_of_names_are_seen_on_both_sides(rest, sql):
    rest.rename_table(("shop", "orders"), ("shop", "eu", "orders"))
    assert sorted(sql.list_tables(("shop", "eu"))) == [("shop", "eu", "orders"),
                                                       ("shop", "eu", "visits")]
    sql.drop_table(("shop", "eu", "visits"))
    assert rest.list_tables(("shop", "eu")) == [("shop", "eu", "orders")]
    sql.update_namespace_properties("shop", removals={"owner"}, updates={"place": "here"})
    found = rest.load_namespace_properties("shop")
    assert found["place"] == "here"
    assert "owner" not in found
    rest.drop_table(("shop", "eu", "orders"))
    rest.drop_namespace(("shop", "eu"))
    assert not sql.namespace_exists(("shop", "eu"))


def test_file_outlives_the_server(program, lake, sql):
    running = Server(program, lake)
    connect(running.uri).load_table(("shop", "orders")).append(rows(3))
    running.stop()
    assert ids_of(sql.load_table(("shop", "orders"))) == [1, 2, 3]
    assert sqlite3.connect(lake.file).execute("PRAGMA integrity_check").fetchone() == ("ok",)
