"""Databases, tables, and what ALTER TABLE changes."""

import pyarrow as pa
import pytest
from clientkit.stored import columns_of, files_below, rows_of, stored, wait_until
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

from conftest import Refused


@pytest.fixture
def table(sql, database):
    name = f"{database}.t"
    sql(f"CREATE TABLE {name} (id BIGINT, part STRING, note STRING) PARTITIONED BY (part)")
    return name


def test_example_of_the_readme(sql, catalog, example):
    catalog.create_namespace("demo")
    people = pa.table({"id": [1, 2], "name": ["Ada", "Grace"]})
    catalog.create_table("demo.people", schema=people.schema).append(people)
    answers = [sql(statement) for statement in example[1:]]
    assert sorted(answers[-1]) == [(1, "Ada"), (2, "Grace"), (3, "Joan")]
    assert rows_of(catalog.load_table("demo.people")) == sorted(answers[-1])


def test_database_and_its_properties(sql, catalog, unique):
    sql(f"CREATE DATABASE lake.{unique} COMMENT 'about' WITH ('k' = 'v')")
    properties = catalog.load_namespace_properties(unique)
    assert (properties["k"], properties["comment"]) == ("v", "about")
    assert (unique,) in sql("SHOW DATABASES IN lake")
    sql(f"ALTER DATABASE lake.{unique} SET ('k' = 'w')")
    assert catalog.load_namespace_properties(unique)["k"] == "w"
    with pytest.raises(Refused, match="already exists"):
        sql(f"CREATE DATABASE lake.{unique}")
    sql(f"CREATE DATABASE IF NOT EXISTS lake.{unique}")


def test_database_with_tables_is_not_dropped(sql, catalog, database, table):
    namespace = database.split(".")[1]
    with pytest.raises(Refused, match="not empty"):
        sql(f"DROP DATABASE {database}")
    catalog.load_namespace_properties(namespace)
    sql(f"DROP TABLE {table}")
    sql(f"DROP DATABASE {database}")
    with pytest.raises(NoSuchNamespaceError):
        catalog.load_namespace_properties(namespace)


def test_table_is_created_as_it_is_said(sql, catalog, database):
    name = f"{database}.t"
    sql(f"CREATE TABLE {name} (a INT NOT NULL, b DECIMAL(9, 2), c TIMESTAMP_LTZ(6) COMMENT 'when', "
        "d ROW<x INT, y ARRAY<STRING>>, PRIMARY KEY (a) NOT ENFORCED) PARTITIONED BY (a) "
        "WITH ('k' = 'v', 'format-version' = '2')")
    made = stored(catalog, name)
    assert columns_of(made) == [
        ("a", "int", True), ("b", "decimal(9, 2)", False), ("c", "timestamptz", False),
        ("d", "struct<5: x: optional int, 6: y: optional list<string>>", False)]
    assert made.schema().identifier_field_ids == [1]
    assert made.schema().find_field("c").doc == "when"
    assert [(field.name, str(field.transform)) for field in made.spec().fields] == [
        ("a", "identity")]
    assert (made.format_version, made.properties["k"]) == (2, "v")
    with pytest.raises(Refused, match="already exists"):
        sql(f"CREATE TABLE {name} (other INT)")
    assert stored(catalog, name).metadata_location == made.metadata_location


def test_table_is_created_like_another(sql, catalog, database, table):
    sql(f"ALTER TABLE {table} SET ('k' = 'v')")
    sql(f"CREATE TABLE {database}.u LIKE {table}")
    made = stored(catalog, f"{database}.u")
    assert [name for name, *_ in columns_of(made)] == ["id", "part", "note"]
    assert made.properties["k"] == "v"
    assert made.metadata.table_uuid != stored(catalog, table).metadata.table_uuid


def test_table_is_created_and_replaced_by_a_query(sql, catalog, database, table):
    sql(f"INSERT INTO {table} VALUES (1, 'a', 'one')")
    sql(f"CREATE TABLE {database}.u AS SELECT id, note FROM {table}")
    assert rows_of(stored(catalog, f"{database}.u")) == [(1, "one")]
    sql(f"CREATE OR REPLACE TABLE {database}.u AS SELECT 'x' AS other")
    assert rows_of(stored(catalog, f"{database}.u")) == [("x",)]


def test_table_of_another_catalog_stands_for_one_here(sql, catalog, server, database, unique):
    sql(f"CREATE TEMPORARY TABLE {unique} (a INT) WITH ('connector' = 'iceberg', "
        f"'catalog-name' = 'other', 'catalog-type' = 'rest', 'uri' = '{server.uri}', "
        f"'catalog-database' = '{unique}', 'catalog-table' = 'made')")
    sql(f"INSERT INTO {unique} VALUES (1), (2)")
    assert rows_of(stored(catalog, f"{database}.made")) == [(1,), (2,)]
    assert sorted(sql(f"SELECT * FROM {unique}")) == [(1,), (2,)]


def test_tables_are_listed_renamed_and_dropped(sql, catalog, database, table):
    sql(f"INSERT INTO {table} VALUES (1, 'a', 'one')")
    sql(f"ALTER TABLE {table} RENAME TO moved")
    sql(f"CREATE TABLE {database}.other (a INT)")
    assert sorted(sql(f"SHOW TABLES FROM {database}")) == [("moved",), ("other",)]
    assert sql(f"SELECT * FROM {database}.moved") == [(1, "a", "one")]
    sql(f"DROP TABLE {database}.moved")
    with pytest.raises(NoSuchTableError):
        stored(catalog, f"{database}.moved")
    with pytest.raises(Refused, match="not found"):
        sql(f"SELECT * FROM {database}.moved")
    sql(f"DROP TABLE IF EXISTS {database}.moved")


def test_drop_leaves_no_files(sql, catalog, table):
    sql(f"INSERT INTO {table} VALUES (1, 'a', 'one')")
    location = stored(catalog, table).location()
    assert files_below(location)
    sql(f"DROP TABLE {table}")
    wait_until(lambda: not files_below(location))


def test_properties_are_set_and_reset(sql, catalog, table):
    sql(f"ALTER TABLE {table} SET ('k' = 'v', 'gone' = 'x')")
    sql(f"ALTER TABLE {table} RESET ('gone')")
    properties = stored(catalog, table).properties
    assert (properties.get("k"), properties.get("gone")) == ("v", None)


def test_columns_change_and_the_rows_stay(sql, catalog, table):
    sql(f"INSERT INTO {table} VALUES (1, 'a', 'one')")
    sql(f"ALTER TABLE {table} ADD (n INT COMMENT 'a number')")
    sql(f"INSERT INTO {table} VALUES (2, 'a', 'two', 2)")
    sql(f"ALTER TABLE {table} MODIFY n BIGINT COMMENT 'a number'")
    sql(f"ALTER TABLE {table} DROP note")
    changed = stored(catalog, table)
    assert columns_of(changed) == [
        ("id", "long", False), ("part", "string", False), ("n", "long", False)]
    assert changed.schema().find_field("n").doc == "a number"
    assert sorted(sql(f"SELECT id, n FROM {table}")) == [(1, None), (2, 2)]
    sql(f"INSERT INTO {table} VALUES (3, 'a', 5000000000)")
    assert sql(f"SELECT n FROM {table} WHERE id = 3") == [(5000000000,)]


def test_column_that_others_add_is_seen(sql, catalog, table):
    with stored(catalog, table).update_schema() as change:
        change.rename_column("note", "label")
    sql(f"INSERT INTO {table} (id, part, label) VALUES (1, 'a', 'one')")
    assert sql(f"SELECT label FROM {table}") == [("one",)]
