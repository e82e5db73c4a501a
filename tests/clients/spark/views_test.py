"""Views: made, replaced, renamed, described, dropped."""

import pytest

from conftest import Refused


@pytest.fixture
def view(sql, namespace, table):
    """The rows of `table` with part a."""
    sql(f"CREATE VIEW {namespace}.v COMMENT 'of a' TBLPROPERTIES ('k' = 'v') AS "
        f"SELECT id, note FROM {table} WHERE part = 'a'")
    return f"{namespace}.v"


def query_of(metadata):
    version = next(version for version in metadata["versions"]
                   if version["version-id"] == metadata["current-version-id"])
    return version["representations"][0]["sql"]


def test_view_is_what_was_asked_for(sql, stored, namespace, view, table):
    assert sql(f"SELECT * FROM {view} ORDER BY id") == [(1, "one"), (2, "two")]
    metadata = stored.view(view)
    version = metadata["versions"][0]
    assert version["representations"] == [
        {"type": "sql", "sql": f"SELECT id, note FROM {table} WHERE part = 'a'",
         "dialect": "spark"}]
    # It was made outside of any namespace.
    assert version["default-namespace"] == []
    assert [field["name"] for field in metadata["schemas"][0]["fields"]] == ["id", "note"]
    assert (metadata["properties"]["k"], metadata["properties"]["comment"]) == ("v", "of a")
    assert "note" in [row[0] for row in sql(f"DESCRIBE {view}")]


def test_view_means_what_it_meant_where_it_was_made(sql, stored, namespace, table):
    sql(f"USE ice.{namespace}")
    try:
        sql(f"CREATE VIEW uncached.{namespace}.v AS SELECT id FROM t WHERE part = 'b'")
    finally:
        sql("USE ice")
    version = stored.view(f"{namespace}.v")["versions"][0]
    assert (version["default-catalog"], version["default-namespace"]) == ("ice", [namespace])
    assert sql(f"SELECT * FROM {namespace}.v") == [(3,)]


def test_view_follows_its_table(sql, view, table):
    sql(f"INSERT INTO {table} VALUES (4, 'a', 'four')")
    assert sql(f"SELECT count(*) FROM {view}") == [(3,)]


def test_view_names_its_columns(sql, namespace, table):
    sql(f"CREATE VIEW {namespace}.v (n COMMENT 'a number', twice) AS "
        f"SELECT id, id * 2 FROM {table}")
    assert sql(f"SELECT n, twice FROM {namespace}.v WHERE n = 3") == [(3, 6)]
    assert ("n", "bigint", "a number") in sql(f"DESCRIBE {namespace}.v")


def test_view_is_not_made_twice(sql, namespace, view, table):
    for name in (view, table):
        with pytest.raises(Refused, match="(?i)already.exists"):
            sql(f"CREATE VIEW {name} AS SELECT 1 AS a")
    sql(f"CREATE VIEW IF NOT EXISTS {view} AS SELECT 1 AS a")
    assert sql(f"SELECT count(*) FROM {view}") == [(2,)]
    with pytest.raises(Refused, match="(?i)already.exists"):
        sql(f"CREATE TABLE {view} (a INT) USING iceberg")
    assert sql(f"SHOW TABLES IN {namespace}") == [(namespace, "t", False)]


def test_view_is_replaced(sql, stored, view):
    before = stored.view(view)
    sql(f"CREATE OR REPLACE VIEW {view} AS SELECT 7 AS seven")
    after = stored.view(view)
    assert sql(f"SELECT * FROM {view}") == [(7,)]
    assert query_of(after) == "SELECT 7 AS seven"
    assert after["view-uuid"] == before["view-uuid"]
    assert len(after["versions"]) == 2
    assert after["current-version-id"] != before["current-version-id"]


def test_view_that_is_missing_is_made_by_create_or_replace(sql, stored, namespace):
    sql(f"CREATE OR REPLACE VIEW {namespace}.w AS SELECT 1 AS a")
    assert sql(f"SELECT * FROM {namespace}.w") == [(1,)]
    assert len(stored.view(f"{namespace}.w")["versions"]) == 1


def test_view_is_renamed(sql, stored, namespace, view):
    before = stored.view(view)
    sql(f"CREATE NAMESPACE {namespace}.inner")
    sql(f"ALTER VIEW {view} RENAME TO {namespace}.w")
    assert sql(f"SELECT count(*) FROM {namespace}.w") == [(2,)]
    assert stored.view(f"{namespace}.w") == before
    with pytest.raises(Refused, match="TABLE_OR_VIEW_NOT_FOUND"):
        sql(f"SELECT * FROM {view}")


def test_view_takes_no_name_that_is_taken(sql, namespace, view, table):
    sql(f"CREATE VIEW {namespace}.w AS SELECT 1 AS a")
    for name in (f"{namespace}.w", table):
        with pytest.raises(Refused, match="(?i)already.exists"):
            sql(f"ALTER VIEW {view} RENAME TO {name}")
    assert sql(f"SELECT count(*) FROM {view}") == [(2,)]


def test_properties_are_set_and_unset(sql, stored, view):
    sql(f"ALTER VIEW {view} SET TBLPROPERTIES ('k' = 'w', 'gone' = 'x')")
    sql(f"ALTER VIEW {view} UNSET TBLPROPERTIES ('gone')")
    properties = stored.view(view)["properties"]
    assert (properties["k"], properties["comment"]) == ("w", "of a")
    assert "gone" not in properties
    assert ("k", "w") in sql(f"SHOW TBLPROPERTIES {view}")
    assert len(stored.view(view)["versions"]) == 1


def test_views_and_tables_are_listed_apart(sql, namespace, view, table):
    sql(f"CREATE VIEW {namespace}.other AS SELECT 1 AS a")
    names = {row[1] for row in sql(f"SHOW VIEWS IN {namespace}")}
    assert names == {"v", "other"}
    assert {row[1] for row in sql(f"SHOW VIEWS IN {namespace} LIKE 'o*'")} == {"other"}
    assert sql(f"SHOW TABLES IN {namespace}") == [(namespace, "t", False)]


def test_view_tells_how_it_was_made(sql, view):
    text = sql(f"SHOW CREATE TABLE {view}")[0][0]
    assert text.startswith(f"CREATE VIEW ice.{view}")
    assert "WHERE part = 'a'" in text


def test_view_may_stand_on_a_view(sql, namespace, view):
    sql(f"CREATE VIEW {namespace}.top AS SELECT max(id) AS last FROM {view}")
    assert sql(f"SELECT * FROM {namespace}.top") == [(2,)]
    sql(f"DROP VIEW {view}")
    with pytest.raises(Refused, match="TABLE_OR_VIEW_NOT_FOUND"):
        sql(f"SELECT * FROM {namespace}.top")


def test_view_is_dropped(sql, namespace, view, table):
    sql(f"DROP VIEW {view}")
    assert sql(f"SHOW VIEWS IN {namespace}") == []
    with pytest.raises(Refused, match="VIEW_NOT_FOUND"):
        sql(f"DROP VIEW {view}")
    sql(f"DROP VIEW IF EXISTS {view}")
    assert sql(f"SELECT count(*) FROM {table}") == [(3,)]


def test_table_is_not_dropped_as_a_view(sql, view, table):
    with pytest.raises(Refused):
        sql(f"DROP VIEW {table}")
    with pytest.raises(Refused):
        sql(f"DROP TABLE {view}")
    assert sql(f"SELECT count(*) FROM {view}") == [(2,)]
