"""Several catalogs and sessions on one server."""

import pytest

from conftest import Refused, run


@pytest.fixture
def other(spark):
    """A second session: catalogs of its own, with what they keep."""
    session = spark.newSession()
    return lambda statement: [tuple(row) for row in run(session, statement)]


def test_sessions_see_each_others_tables(sql, other, namespace, table):
    other("USE ice")
    assert other(f"SELECT count(*) FROM {table}") == [(3,)]
    other(f"CREATE TABLE ice.{namespace}.u USING iceberg AS SELECT 1 AS a")
    assert sql(f"SELECT * FROM {namespace}.u") == [(1,)]
    other(f"DROP TABLE ice.{namespace}.u")
    assert sql(f"SHOW TABLES IN {namespace}") == [(namespace, "t", False)]


def test_kept_table_is_as_old_as_the_last_refresh(sql, other, table):
    assert sql(f"SELECT count(*) FROM {table}") == [(3,)]
    other(f"INSERT INTO ice.{table} VALUES (4, 'c', 'four')")
    assert sql(f"SELECT count(*) FROM {table}") == [(3,)]
    assert sql(f"SELECT count(*) FROM uncached.{table}") == [(4,)]
    sql(f"REFRESH TABLE {table}")
    assert sql(f"SELECT count(*) FROM {table}") == [(4,)]


def test_table_that_is_not_kept_is_always_new(sql, other, table):
    for number in range(4, 7):
        other(f"INSERT INTO uncached.{table} VALUES ({number}, 'c', 'more')")
        assert sql(f"SELECT max(id) FROM uncached.{table}") == [(number,)]


def test_write_over_an_old_state_lands_on_the_new_one(sql, other, stored, table):
    assert sql(f"SELECT count(*) FROM {table}") == [(3,)]
    other(f"INSERT INTO ice.{table} VALUES (4, 'c', 'four')")
    sql(f"INSERT INTO {table} VALUES (5, 'c', 'five')")
    assert sql(f"SELECT id FROM uncached.{table} ORDER BY id") == [(1,), (2,), (3,), (4,), (5,)]
    assert len(stored.table(table)["snapshots"]) == 3


def test_delete_of_what_another_one_changed_is_refused(sql, other, table):
    assert sql(f"SELECT count(*) FROM {table}") == [(3,)]
    other(f"UPDATE ice.{table} SET note = 'new' WHERE id = 1")
    with pytest.raises(Refused):
        sql(f"UPDATE {table} SET note = 'newer' WHERE id = 1")
    assert sql(f"SELECT note FROM uncached.{table} WHERE id = 1") == [("new",)]


def test_change_of_columns_over_an_old_state_is_made_once(sql, other, stored, table):
    assert sql(f"SELECT count(*) FROM {table}") == [(3,)]
    other(f"ALTER TABLE ice.{table} ADD COLUMN n INT")
    with pytest.raises(Refused):
        sql(f"ALTER TABLE {table} ADD COLUMN n STRING")
    fields = stored.table(table)["schemas"][-1]["fields"]
    assert [(field["name"], field["type"]) for field in fields][3:] == [("n", "int")]


def test_catalog_may_name_a_warehouse(sql, table):
    sql(f"INSERT INTO housed.{table} VALUES (4, 'c', 'four')")
    assert sql(f"SELECT count(*) FROM housed.{table}") == [(4,)]
    assert sql(f"SELECT count(*) FROM uncached.{table}") == [(4,)]
