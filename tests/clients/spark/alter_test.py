"""What ALTER TABLE changes: columns, partition fields, the order of writes, properties."""

import pytest

from conftest import Refused, columns_of, path_of, schema_of, transforms_of


@pytest.fixture
def columns(stored, table):
    """The names of the columns, in order."""
    return lambda: [name for name, *_ in columns_of(stored.table(table))]


def field_of(metadata, name):
    return next(field for field in schema_of(metadata)["fields"] if field["name"] == name)


def test_columns_are_added(sql, stored, table, columns):
    sql(f"ALTER TABLE {table} ADD COLUMNS (n INT COMMENT 'a number', "
        "pair STRUCT<x: INT, y: STRING>)")
    sql(f"ALTER TABLE {table} ADD COLUMN pair.z DOUBLE")
    sql(f"ALTER TABLE {table} ADD COLUMN early DATE FIRST")
    sql(f"ALTER TABLE {table} ADD COLUMN mid DATE AFTER id")
    assert columns() == ["early", "id", "mid", "part", "note", "n", "pair"]
    metadata = stored.table(table)
    assert field_of(metadata, "n")["doc"] == "a number"
    assert [field["name"] for field in field_of(metadata, "pair")["type"]["fields"]] == [
        "x", "y", "z"]
    assert sql(f"SELECT id, n, pair, early FROM {table} WHERE id = 3") == [(3, None, None, None)]


def test_column_is_renamed_and_keeps_its_rows(sql, stored, table, columns):
    before = field_of(stored.table(table), "note")["id"]
    sql(f"ALTER TABLE {table} RENAME COLUMN note TO label")
    assert columns() == ["id", "part", "label"]
    assert field_of(stored.table(table), "label")["id"] == before
    assert sql(f"SELECT label FROM {table} ORDER BY id") == [("one",), ("two",), ("three",)]


def test_dropped_column_does_not_come_back(sql, table, columns):
    sql(f"ALTER TABLE {table} DROP COLUMN note")
    assert columns() == ["id", "part"]
    sql(f"ALTER TABLE {table} ADD COLUMN note STRING")
    assert sql(f"SELECT id, note FROM {table} ORDER BY id") == [(1, None), (2, None), (3, None)]


def test_types_are_widened_only(sql, stored, namespace):
    name = f"{namespace}.types"
    sql(f"CREATE TABLE {name} USING iceberg AS SELECT 1 AS i, 0.5F AS f, "
        "CAST(1.25 AS DECIMAL(5, 2)) AS d, 2L AS l")
    for column, wider in [("i", "BIGINT"), ("f", "DOUBLE"), ("d", "DECIMAL(9, 2)")]:
        sql(f"ALTER TABLE {name} ALTER COLUMN {column} TYPE {wider}")
    for column, narrower in [("l", "INT"), ("d", "DECIMAL(4, 2)"), ("i", "STRING")]:
        with pytest.raises(Refused):
            sql(f"ALTER TABLE {name} ALTER COLUMN {column} TYPE {narrower}")
    assert [column[1] for column in columns_of(stored.table(name))] == [
        "long", "double", "decimal(9, 2)", "long"]
    sql(f"INSERT INTO {name} VALUES (5000000000, 0.1, 1234567.89, 3)")
    assert [row[0] for row in sql(f"SELECT i FROM {name} ORDER BY i")] == [1, 5000000000]


def test_columns_are_reordered(sql, table, columns):
    sql(f"ALTER TABLE {table} ALTER COLUMN note FIRST")
    sql(f"ALTER TABLE {table} ALTER COLUMN id AFTER part")
    assert columns() == ["note", "part", "id"]
    assert sql(f"SELECT * FROM {table} WHERE id = 1") == [("one", "a", 1)]


def test_columns_are_described(sql, stored, table):
    sql(f"ALTER TABLE {table} ALTER COLUMN note COMMENT 'what it says'")
    assert field_of(stored.table(table), "note")["doc"] == "what it says"
    assert ("note", "string", "what it says") in sql(f"DESCRIBE TABLE {table}")


def test_column_need_not_be_required(sql, stored, namespace):
    name = f"{namespace}.t"
    sql(f"CREATE TABLE {name} (a INT NOT NULL, b INT) USING iceberg")
    with pytest.raises(Refused, match="(?i)null"):
        sql(f"INSERT INTO {name} VALUES (NULL, 1)")
    sql(f"ALTER TABLE {name} ALTER COLUMN a DROP NOT NULL")
    assert field_of(stored.table(name), "a")["required"] is False
    sql(f"INSERT INTO {name} VALUES (NULL, 1)")
    assert sql(f"SELECT * FROM {name}") == [(None, 1)]


def test_identifier_fields_are_set_and_dropped(sql, stored, namespace):
    name = f"{namespace}.t"
    sql(f"CREATE TABLE {name} (a INT NOT NULL, b INT NOT NULL) USING iceberg")

    def identifiers():
        return schema_of(stored.table(name)).get("identifier-field-ids", [])

    sql(f"ALTER TABLE {name} SET IDENTIFIER FIELDS a, b")
    assert sorted(identifiers()) == [1, 2]
    sql(f"ALTER TABLE {name} DROP IDENTIFIER FIELDS a")
    assert identifiers() == [2]


def test_partition_fields_are_added_replaced_and_dropped(sql, stored, table):
    sql(f"ALTER TABLE {table} ADD PARTITION FIELD bucket(4, id) AS shard")
    assert transforms_of(stored.table(table)) == [("part", "identity"), ("shard", "bucket[4]")]
    sql(f"INSERT INTO {table} VALUES (4, 'c', 'four')")
    sql(f"ALTER TABLE {table} REPLACE PARTITION FIELD shard WITH truncate(10, id) AS tens")
    assert transforms_of(stored.table(table)) == [("part", "identity"), ("tens", "truncate[10]")]
    sql(f"INSERT INTO {table} VALUES (15, 'c', 'fifteen')")
    sql(f"ALTER TABLE {table} DROP PARTITION FIELD tens")
    assert transforms_of(stored.table(table)) == [("part", "identity")]
    assert len(stored.table(table)["partition-specs"]) == 3
    assert sql(f"SELECT id FROM {table} WHERE part = 'c' ORDER BY id") == [(4,), (15,)]
    assert sql(f"SELECT DISTINCT spec_id FROM {table}.files ORDER BY spec_id") == [(0,), (1,), (2,)]


def test_partition_field_that_is_not_there_is_refused(sql, stored, table):
    before = stored.metadata_file(table)
    with pytest.raises(Refused, match="(?i)cannot find partition field"):
        sql(f"ALTER TABLE {table} DROP PARTITION FIELD nothing")
    with pytest.raises(Refused, match="(?i)duplicate partition field|already"):
        sql(f"ALTER TABLE {table} ADD PARTITION FIELD part")
    assert stored.metadata_file(table) == before


def test_order_of_writes(sql, stored, table):
    def order():
        metadata = stored.table(table)
        found = next(order for order in metadata["sort-orders"]
                     if order["order-id"] == metadata["default-sort-order-id"])
        return [(field["source-id"], field["transform"], field["direction"], field["null-order"])
                for field in found["fields"]]

    def distribution():
        return stored.table(table)["properties"].get("write.distribution-mode")

    sql(f"ALTER TABLE {table} WRITE ORDERED BY note DESC NULLS LAST, bucket(4, id)")
    assert order() == [(3, "identity", "desc", "nulls-last"), (1, "bucket[4]", "asc",
                                                                "nulls-first")]
    assert distribution() == "range"
    sql(f"ALTER TABLE {table} WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY id")
    assert order() == [(1, "identity", "asc", "nulls-first")]
    assert distribution() == "hash"
    sql(f"INSERT INTO {table} VALUES (5, 'd', 'five'), (4, 'd', 'four')")
    assert sql(f"SELECT DISTINCT sort_order_id FROM {table}.files WHERE partition.part = 'd'") == [
        (2,)]
    sql(f"ALTER TABLE {table} WRITE UNORDERED")
    assert (order(), distribution()) == ([], "none")


def test_properties_are_set_and_unset(sql, stored, table):
    sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('k' = 'v', 'gone' = 'x', 'comment' = 'said')")
    sql(f"ALTER TABLE {table} UNSET TBLPROPERTIES ('gone')")
    sql(f"ALTER TABLE {table} UNSET TBLPROPERTIES IF EXISTS ('never')")
    properties = stored.table(table)["properties"]
    assert {key: properties.get(key) for key in ("k", "gone", "comment")} == {
        "k": "v", "gone": None, "comment": "said"}
    assert ("k", "v") in sql(f"SHOW TBLPROPERTIES {table}")


def test_format_version_goes_up_only(sql, stored, table):
    assert stored.table(table)["format-version"] == 2
    sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('format-version' = '3')")
    assert stored.table(table)["format-version"] == 3
    assert "format-version" not in stored.table(table)["properties"]
    with pytest.raises(Refused, match="(?i)downgrade"):
        sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('format-version' = '2')")
    sql(f"INSERT INTO {table} VALUES (4, 'c', 'four')")
    assert sql(f"SELECT id FROM {table} WHERE _row_id >= 0 ORDER BY id")[-1:] == [(4,)]


def test_location_is_where_the_next_files_go(sql, stored, table):
    moved = stored.table(table)["location"] + "_moved"
    sql(f"ALTER TABLE {table} SET LOCATION '{moved}'")
    sql(f"INSERT INTO {table} VALUES (4, 'c', 'four')")
    assert stored.table(table)["location"] == moved
    (added,), = sql(f"SELECT file_path FROM {table}.files WHERE partition.part = 'c'")
    assert path_of(moved) in path_of(added).parents
    assert sql(f"SELECT count(*) FROM {table}") == [(4,)]
