"""Tables come to be, are replaced and renamed."""

import pytest
from pyspark.errors import AnalysisException

from conftest import Refused, columns_of, transforms_of


def test_table_is_what_was_asked_for(sql, stored, namespace):
    sql(f"CREATE TABLE {namespace}.t (id BIGINT NOT NULL COMMENT 'the key', at TIMESTAMP, "
        "local TIMESTAMP_NTZ, price DECIMAL(10, 2), day DATE, raw BINARY, text STRING) "
        "USING iceberg PARTITIONED BY (days(at), bucket(4, id), truncate(2, text)) "
        "COMMENT 'all of it' TBLPROPERTIES ('k' = 'v', 'format-version' = '2')")
    metadata = stored.table(f"{namespace}.t")
    assert columns_of(metadata) == [
        ("id", "long", True), ("at", "timestamptz", False), ("local", "timestamp", False),
        ("price", "decimal(10, 2)", False), ("day", "date", False), ("raw", "binary", False),
        ("text", "string", False)]
    assert metadata["schemas"][0]["fields"][0]["doc"] == "the key"
    assert transforms_of(metadata) == [("at_day", "day"), ("id_bucket", "bucket[4]"),
                                       ("text_trunc", "truncate[2]")]
    assert metadata["format-version"] == 2
    assert (metadata["properties"]["k"], metadata["properties"]["comment"]) == ("v", "all of it")
    assert sql(f"SELECT * FROM {namespace}.t") == []


@pytest.mark.parametrize("version", [1, 2, 3])
def test_each_format_version_keeps_rows(sql, stored, namespace, version):
    sql(f"CREATE TABLE {namespace}.t USING iceberg "
        f"TBLPROPERTIES ('format-version' = '{version}') AS SELECT 1 AS a")
    sql(f"INSERT INTO {namespace}.t VALUES (2)")
    assert stored.table(f"{namespace}.t")["format-version"] == version
    assert sql(f"SELECT a FROM {namespace}.t ORDER BY a") == [(1,), (2,)]


def test_nested_types_are_kept(sql, stored, namespace):
    query = ("SELECT named_struct('x', 1, 'y', array('a', 'b')) AS pair, "
             "map('k', named_struct('z', 2.5D)) AS m, array(array(1), array()) AS l")
    sql(f"CREATE TABLE {namespace}.t USING iceberg AS {query}")
    assert sql(f"SELECT * FROM {namespace}.t") == sql(query)
    assert [column[0] for column in columns_of(stored.table(f"{namespace}.t"))] == [
        "pair", "m", "l"]


def test_table_is_made_from_a_query(sql, stored, namespace):
    sql(f"CREATE TABLE {namespace}.t USING iceberg PARTITIONED BY (part) "
        "TBLPROPERTIES ('k' = 'v') AS SELECT id, id % 2 AS part FROM range(10)")
    metadata = stored.table(f"{namespace}.t")
    assert transforms_of(metadata) == [("part", "identity")]
    assert metadata["properties"]["k"] == "v"
    assert [snapshot["summary"]["operation"] for snapshot in metadata["snapshots"]] == ["append"]
    assert sql(f"SELECT part, count(*), sum(id) FROM {namespace}.t GROUP BY part "
               "ORDER BY part") == [(0, 5, 20), (1, 5, 25)]


def test_table_is_not_made_twice(sql, table):
    for statement in (f"CREATE TABLE {table} (a INT) USING iceberg",
                      f"CREATE TABLE {table} USING iceberg AS SELECT 1 AS a"):
        with pytest.raises(Refused, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
            sql(statement)
    sql(f"CREATE TABLE IF NOT EXISTS {table} USING iceberg AS SELECT 1 AS a")
    assert sql(f"SELECT count(*) FROM {table}") == [(3,)]


def test_query_that_fails_makes_no_table(sql, namespace):
    with pytest.raises(Refused, match="no rows today"):
        sql(f"CREATE TABLE {namespace}.t USING iceberg AS "
            "SELECT CAST(raise_error('no rows today') AS INT) AS a")
    assert sql(f"SHOW TABLES IN {namespace}") == []


def test_create_or_replace_makes_a_table(sql, stored, namespace):
    sql(f"CREATE OR REPLACE TABLE {namespace}.t USING iceberg AS SELECT 1 AS a")
    assert sql(f"SELECT * FROM {namespace}.t") == [(1,)]
    assert len(stored.table(f"{namespace}.t")["snapshots"]) == 1


def test_create_or_replace_replaces_a_table(sql, stored, table):
    before = stored.table(table)
    sql(f"CREATE OR REPLACE TABLE {table} USING iceberg PARTITIONED BY (bucket(2, a)) "
        "TBLPROPERTIES ('k' = 'v') AS SELECT 7 AS a, 'seven' AS b")
    after = stored.table(table)
    assert after["table-uuid"] == before["table-uuid"]
    assert after["location"] == before["location"]
    assert [column[:2] for column in columns_of(after)] == [("a", "int"), ("b", "string")]
    assert transforms_of(after) == [("a_bucket", "bucket[2]")]
    assert after["properties"]["k"] == "v"
    assert sql(f"SELECT * FROM {table}") == [(7, "seven")]
    old = before["current-snapshot-id"]
    assert sql(f"SELECT id, part FROM {table} VERSION AS OF {old} ORDER BY id") == [
        (1, "a"), (2, "a"), (3, "b")]


def test_query_that_fails_replaces_no_table(sql, stored, table):
    before = stored.metadata_file(table)
    with pytest.raises(Refused, match="no rows today"):
        sql(f"CREATE OR REPLACE TABLE {table} USING iceberg AS "
            "SELECT CAST(raise_error('no rows today') AS INT) AS a")
    assert stored.metadata_file(table) == before
    assert sql(f"SELECT count(*) FROM {table}") == [(3,)]


def test_replaced_table_may_be_empty(sql, stored, table):
    sql(f"REPLACE TABLE {table} (a INT) USING iceberg")
    assert sql(f"SELECT * FROM {table}") == []
    assert stored.table(table).get("current-snapshot-id", -1) == -1
    with pytest.raises(Refused, match="TABLE_OR_VIEW_NOT_FOUND"):
        sql(f"REPLACE TABLE {table}_missing (a INT) USING iceberg")


def test_data_frame_makes_and_replaces_a_table(spark, sql, stored, namespace):
    frame = spark.range(3)
    frame.writeTo(f"{namespace}.t").using("iceberg").tableProperty("k", "v").create()
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        frame.writeTo(f"{namespace}.t").using("iceberg").create()
    spark.range(5).writeTo(f"{namespace}.t").using("iceberg").createOrReplace()
    assert sql(f"SELECT count(*) FROM {namespace}.t") == [(5,)]
    assert len(stored.table(f"{namespace}.t")["snapshots"]) == 2


def test_table_is_renamed(sql, stored, namespace, table):
    before = stored.table(table)
    sql(f"ALTER TABLE {table} RENAME TO {namespace}.other")
    assert sql(f"SHOW TABLES IN {namespace}") == [(namespace, "other", False)]
    assert sql(f"SELECT count(*) FROM {namespace}.other") == [(3,)]
    assert stored.table(f"{namespace}.other") == before
    with pytest.raises(Refused, match="TABLE_OR_VIEW_NOT_FOUND"):
        sql(f"SELECT * FROM {table}")


def test_table_moves_to_another_namespace(sql, namespace, table):
    sql(f"CREATE NAMESPACE {namespace}.inner")
    sql(f"ALTER TABLE {table} RENAME TO {namespace}.inner.moved")
    sql(f"INSERT INTO {namespace}.inner.moved VALUES (4, 'c', 'four')")
    assert sql(f"SELECT count(*) FROM {namespace}.inner.moved") == [(4,)]
    assert sql(f"SHOW TABLES IN {namespace}") == []


def test_table_takes_no_name_that_is_taken(sql, namespace, table):
    sql(f"CREATE TABLE {namespace}.u USING iceberg AS SELECT 1 AS a")
    with pytest.raises(Refused, match="(?i)already exists"):
        sql(f"ALTER TABLE {table} RENAME TO {namespace}.u")
    assert sql(f"SELECT count(*) FROM {table}") == [(3,)]
    assert sql(f"SELECT * FROM {namespace}.u") == [(1,)]


def test_missing_table_is_named(sql, namespace):
    for statement in (f"SELECT * FROM {namespace}.gone", f"DROP TABLE {namespace}.gone",
                      f"INSERT INTO {namespace}.gone VALUES (1)",
                      f"DESCRIBE TABLE {namespace}.gone"):
        with pytest.raises(Refused, match="(?s)TABLE_OR_VIEW_NOT_FOUND.*gone"):
            sql(statement)
    sql(f"DROP TABLE IF EXISTS {namespace}.gone")
    assert sql(f"SHOW TABLES IN {namespace}") == []
