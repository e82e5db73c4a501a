"""Schemas, tables and views: what makes, shows, changes and drops them."""

import pyarrow as pa
import pytest
from clientkit.stored import columns_of, files_below, rows_of, stored, wait_until
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

from conftest import Refused


def test_table_of_the_readme_is_read_and_written(sql, catalog):
    catalog.create_namespace("demo")
    people = pa.table({"id": [1, 2], "name": ["Ada", "Grace"]})
    catalog.create_table("demo.people", schema=people.schema).append(people)
    sql("INSERT INTO lake.demo.people VALUES (3, 'Joan')")
    wanted = [(1, "Ada"), (2, "Grace"), (3, "Joan")]
    assert sorted(sql("SELECT * FROM lake.demo.people")) == wanted
    assert rows_of(catalog.load_table("demo.people")) == wanted


def test_schema_is_made_shown_and_dropped(sql, catalog, schema, unique):
    assert (unique,) in sql("SHOW SCHEMAS FROM lake")
    location = catalog.load_namespace_properties(unique)["location"]
    assert location in sql(f"SHOW CREATE SCHEMA {schema}")[0][0]
    with pytest.raises(Refused, match="already exists"):
        sql(f"CREATE SCHEMA {schema}")
    sql(f"CREATE TABLE {schema}.t (a INTEGER)")
    with pytest.raises(Refused, match="non-empty"):
        sql(f"DROP SCHEMA {schema}")
    sql(f"DROP SCHEMA {schema} CASCADE")
    with pytest.raises(NoSuchNamespaceError):
        catalog.load_namespace_properties(unique)


def test_schema_has_the_location_that_it_is_given(sql, catalog, unique):
    catalog.create_namespace(f"{unique}_other")
    place = catalog.load_namespace_properties(f"{unique}_other")["location"] + "/inside"
    sql(f"CREATE SCHEMA lake.{unique} WITH (location = '{place}')")
    sql(f"CREATE TABLE lake.{unique}.t AS SELECT 1 AS a")
    assert stored(catalog, f"lake.{unique}.t").location().startswith(place)
    assert rows_of(stored(catalog, f"lake.{unique}.t")) == [(1,)]


def test_schemas_are_nested(sql, catalog, make_catalog, unique):
    deep = make_catalog("deep", {"iceberg.rest-catalog.nested-namespace-enabled": "true"})
    catalog.create_namespace(unique)
    sql(f'CREATE SCHEMA {deep}."{unique}.inner"')
    sql(f'CREATE TABLE {deep}."{unique}.inner".t AS SELECT 1 AS a')
    assert (f"{unique}.inner",) in sql(f"SHOW SCHEMAS FROM {deep}")
    assert rows_of(catalog.load_table((unique, "inner", "t"))) == [(1,)]


def test_table_is_created_as_it_is_said(sql, catalog, schema):
    name = f"{schema}.t"
    sql(f"CREATE TABLE {name} (a INTEGER NOT NULL, b DECIMAL(9, 2), "
        "c TIMESTAMP(6) WITH TIME ZONE COMMENT 'when', d ROW(x INTEGER, y ARRAY(VARCHAR))) "
        "COMMENT 'said' WITH (format = 'ORC', format_version = 2, "
        "partitioning = ARRAY['bucket(a, 4)', 'month(c)'], sorted_by = ARRAY['b DESC'])")
    made = stored(catalog, name)
    assert columns_of(made) == [
        ("a", "int", True), ("b", "decimal(9, 2)", False), ("c", "timestamptz", False),
        ("d", "struct<5: x: optional int, 6: y: optional list<string>>", False)]
    assert made.schema().find_field("c").doc == "when"
    assert [str(field.transform) for field in made.spec().fields] == ["bucket[4]", "month"]
    assert [(field.source_id, field.direction.value) for field in made.sort_order().fields] == [
        (2, "desc")]
    assert made.properties["write.format.default"] == "ORC"
    with pytest.raises(Refused, match="already exists"):
        sql(f"CREATE TABLE {name} (other INTEGER)")
    assert stored(catalog, name).metadata_location == made.metadata_location


def test_names_are_found_whatever_their_case(sql, catalog, make_catalog, unique):
    made = make_catalog("caseless",
                        {"iceberg.rest-catalog.case-insensitive-name-matching": "true"})
    catalog.create_namespace(f"{unique}_Mixed")
    rows = pa.table({"Id": [1]})
    catalog.create_table((f"{unique}_Mixed", "Rows"), schema=rows.schema).append(rows)
    sql(f"INSERT INTO {made}.{unique}_mixed.rows VALUES 2")
    assert rows_of(catalog.load_table((f"{unique}_Mixed", "Rows"))) == [(1,), (2,)]


def test_table_is_created_and_replaced_by_a_query(sql, catalog, table, schema):
    sql(f"CREATE TABLE {schema}.u AS SELECT id, note FROM {table} WHERE part = 'a'")
    first = stored(catalog, f"{schema}.u")
    assert rows_of(first) == [(1, "one"), (2, "two")]
    sql(f"CREATE OR REPLACE TABLE {schema}.u AS SELECT 'x' AS other")
    second = stored(catalog, f"{schema}.u")
    assert rows_of(second) == [("x",)]
    assert second.metadata.table_uuid == first.metadata.table_uuid


def test_tables_are_listed_renamed_and_dropped(sql, catalog, schema, table):
    location = stored(catalog, table).location()
    sql(f"ALTER TABLE {table} RENAME TO {schema}.moved")
    assert sql(f"SHOW TABLES FROM {schema}") == [("moved",)]
    assert stored(catalog, f"{schema}.moved").location() == location
    assert sql(f"SELECT note FROM {schema}.moved WHERE id = 3") == [("three",)]
    sql(f"DROP TABLE {schema}.moved")
    with pytest.raises(NoSuchTableError):
        stored(catalog, f"{schema}.moved")
    with pytest.raises(Refused, match="does not exist"):
        sql(f"SELECT * FROM {schema}.moved")


def test_drop_leaves_no_files(sql, catalog, table):
    sql(f"DELETE FROM {table} WHERE id = 1")
    location = stored(catalog, table).location()
    assert files_below(location)
    sql(f"DROP TABLE {table}")
    wait_until(lambda: not files_below(location))


def test_columns_change_and_the_rows_stay(sql, catalog, table):
    sql(f"ALTER TABLE {table} ADD COLUMN n INTEGER")
    sql(f"INSERT INTO {table} VALUES (4, 'b', 'four', 4)")
    sql(f"ALTER TABLE {table} ALTER COLUMN n SET DATA TYPE BIGINT")
    sql(f"ALTER TABLE {table} RENAME COLUMN note TO label")
    sql(f"COMMENT ON COLUMN {table}.n IS 'a number'")
    changed = stored(catalog, table)
    assert columns_of(changed) == [("id", "long", False), ("part", "string", False),
                                   ("label", "string", False), ("n", "long", False)]
    assert changed.schema().find_field("n").doc == "a number"
    assert sorted(sql(f"SELECT label, n FROM {table} WHERE part = 'b'")) == [
        ("four", 4), ("three", None)]
    sql(f"ALTER TABLE {table} DROP COLUMN label")
    assert sql(f"SELECT * FROM {table} WHERE id = 4") == [(4, "b", 4)]


def test_properties_and_comments_change(sql, catalog, table):
    sql(f"ALTER TABLE {table} SET PROPERTIES format_version = 3, "
        "partitioning = ARRAY['bucket(id, 2)']")
    sql(f"COMMENT ON TABLE {table} IS 'said'")
    changed = stored(catalog, table)
    assert (changed.format_version, changed.properties["comment"]) == (3, "said")
    assert [str(field.transform) for field in changed.spec().fields] == ["bucket[2]"]
    sql(f"INSERT INTO {table} VALUES (4, 'c', 'four')")
    assert sorted(sql(f"SELECT id FROM {table}")) == [(1,), (2,), (3,), (4,)]


def test_view_is_made_replaced_renamed_and_dropped(sql, catalog, schema, table):
    name = f"{schema}.v"
    sql(f"CREATE VIEW {name} COMMENT 'first' AS SELECT id FROM {table} WHERE part = 'a'")
    assert sorted(sql(f"SELECT * FROM {name}")) == [(1,), (2,)]
    with pytest.raises(Refused, match="already exists"):
        sql(f"CREATE VIEW {name} AS SELECT 1 AS a")
    sql(f"CREATE OR REPLACE VIEW {name} AS SELECT note FROM {table} WHERE part = 'b'")
    view = catalog.load_view(tuple(name.split(".")[1:]))
    assert len(view.metadata.versions) == 2
    assert view.sql_for("trino").sql.split()[:2] == ["SELECT", "note"]
    sql(f"ALTER VIEW {name} RENAME TO {schema}.w")
    assert sql(f"SELECT * FROM {schema}.w") == [("three",)]
    assert sorted(sql(f"SHOW TABLES FROM {schema}")) == [("t",), ("w",)]
    sql(f"DROP VIEW {schema}.w")
    assert catalog.list_views((schema.split(".")[1],)) == []


def test_table_is_unregistered_and_registered_again(sql, catalog, make_catalog, unique, table):
    made = make_catalog("registering", {"iceberg.register-table-procedure.enabled": "true"})
    before = stored(catalog, table)
    sql(f"CALL {made}.system.unregister_table('{unique}', 't')")
    with pytest.raises(NoSuchTableError):
        stored(catalog, table)
    file = before.metadata_location.rsplit("/", 1)[1]
    sql(f"CALL {made}.system.register_table('{unique}', 't', '{before.location()}', '{file}')")
    assert stored(catalog, table).metadata.table_uuid == before.metadata.table_uuid
    assert sql(f"SELECT count(*) FROM {table}") == [(3,)]
