"""Namespaces, with one level and with several."""

import pytest

from conftest import Refused, path_of


def test_namespace_comes_and_goes(sql, unique):
    sql(f"CREATE NAMESPACE {unique}")
    assert (unique,) in sql("SHOW NAMESPACES")
    sql(f"DROP NAMESPACE {unique}")
    assert (unique,) not in sql("SHOW NAMESPACES")


def test_namespace_is_not_made_twice(sql, stored, unique):
    sql(f"CREATE NAMESPACE {unique} WITH DBPROPERTIES (k = 'first')")
    with pytest.raises(Refused, match="SCHEMA_ALREADY_EXISTS"):
        sql(f"CREATE NAMESPACE {unique} WITH DBPROPERTIES (k = 'second')")
    sql(f"CREATE NAMESPACE IF NOT EXISTS {unique} WITH DBPROPERTIES (k = 'third')")
    assert stored.namespace(unique)["k"] == "first"


def test_namespaces_nest(sql, unique):
    for name in (unique, f"{unique}.inner", f"{unique}.inner.most"):
        sql(f"CREATE NAMESPACE {name}")
    assert sql(f"SHOW NAMESPACES IN {unique}") == [(f"{unique}.inner",)]
    assert sql(f"SHOW NAMESPACES IN {unique}.inner") == [(f"{unique}.inner.most",)]
    assert (f"{unique}.inner",) not in sql("SHOW NAMESPACES")
    sql(f"CREATE TABLE {unique}.inner.most.t USING iceberg AS SELECT 1 AS a")
    assert sql(f"SHOW TABLES IN {unique}.inner.most") == [(f"{unique}.inner.most", "t", False)]
    assert sql(f"SHOW TABLES IN {unique}.inner") == []
    assert sql(f"SELECT * FROM {unique}.inner.most.t") == [(1,)]


def test_namespace_with_something_in_it_is_not_dropped(sql, unique):
    sql(f"CREATE NAMESPACE {unique}")
    for make, remove in [("TABLE {}.x (a INT) USING iceberg", "TABLE {}.x"),
                         ("VIEW {}.x AS SELECT 1 AS a", "VIEW {}.x"),
                         ("NAMESPACE {}.x", "NAMESPACE {}.x")]:
        sql("CREATE " + make.format(unique))
        with pytest.raises(Refused, match="is not empty"):
            sql(f"DROP NAMESPACE {unique}")
        sql("DROP " + remove.format(unique))
    sql(f"DROP NAMESPACE {unique}")


def test_properties_are_set_and_unset(sql, stored, unique):
    sql(f"CREATE NAMESPACE {unique} COMMENT 'first' WITH DBPROPERTIES (k = 'v', gone = 'x')")
    sql(f"ALTER NAMESPACE {unique} SET DBPROPERTIES (k = 'w', other = 'o')")
    sql(f"ALTER NAMESPACE {unique} UNSET DBPROPERTIES (gone)")
    sql(f"COMMENT ON NAMESPACE {unique} IS 'second'")
    properties = stored.namespace(unique)
    assert {key: properties.get(key) for key in ("k", "gone", "other", "comment")} == {
        "k": "w", "gone": None, "other": "o", "comment": "second"}
    described = dict(sql(f"DESCRIBE NAMESPACE EXTENDED {unique}"))
    assert described["Comment"] == "second"
    assert "(k,w)" in described["Properties"]


def test_tables_go_where_their_namespace_is(sql, stored, unique, namespace):
    home = stored.namespace(namespace)["location"]
    moved = path_of(f"{home}/elsewhere")
    sql(f"CREATE NAMESPACE {unique}_moved LOCATION '{home}/elsewhere'")
    assert path_of(stored.namespace(f"{unique}_moved")["location"]) == moved
    sql(f"CREATE TABLE {unique}_moved.t USING iceberg AS SELECT 1 AS a")
    assert moved in path_of(stored.table(f"{unique}_moved.t")["location"]).parents
    assert sql(f"SELECT * FROM {unique}_moved.t") == [(1,)]


@pytest.mark.parametrize("odd", ["with space", "with.dot", "with/slash", "with%41", "with+plus",
                                 "Upper", "\u00fcml\u00e4ut"])
def test_names_that_need_quotes(sql, unique, odd):
    name = f"`{unique} {odd}`"
    sql(f"CREATE NAMESPACE {name}")
    sql(f"CREATE TABLE {name}.`{odd}` USING iceberg AS SELECT 1 AS a")
    assert sql(f"SELECT a FROM {name}.`{odd}`") == [(1,)]
    assert [row[1] for row in sql(f"SHOW TABLES IN {name}")] == [odd]
    sql(f"DROP TABLE {name}.`{odd}`")
    sql(f"DROP NAMESPACE {name}")


def test_missing_namespace_is_named(sql, unique):
    for statement in (f"CREATE TABLE {unique}.t (a INT) USING iceberg",
                      f"CREATE VIEW {unique}.v AS SELECT 1 AS a", f"SHOW TABLES IN {unique}",
                      f"DROP NAMESPACE {unique}", f"DESCRIBE NAMESPACE {unique}"):
        with pytest.raises(Refused, match="SCHEMA_NOT_FOUND|Namespace does not exist"):
            sql(statement)
    sql(f"DROP NAMESPACE IF EXISTS {unique}")
    assert (unique,) not in sql("SHOW NAMESPACES")
