"""Branches, tags and time travel."""

import pytest

from conftest import Refused

DAY_MS = 24 * 60 * 60 * 1000


@pytest.fixture
def refs(stored, table):
    return lambda: stored.table(table)["refs"]


@pytest.fixture
def count(sql, table):
    """Counts the rows of the table, or of one of its states."""
    return lambda state="": sql(f"SELECT count(*) FROM {table} {state}")[0][0]


def current(stored, table):
    return stored.table(table)["current-snapshot-id"]


def test_branch_is_written_and_read_apart(sql, stored, table, refs, count):
    main = current(stored, table)
    sql(f"ALTER TABLE {table} CREATE BRANCH dev")
    assert refs()["dev"] == {"snapshot-id": main, "type": "branch"}
    sql(f"INSERT INTO {table}.branch_dev VALUES (4, 'c', 'four')")
    sql(f"DELETE FROM {table}.branch_dev WHERE id = 1")
    assert count() == 3
    assert sql(f"SELECT id FROM {table} VERSION AS OF 'dev' ORDER BY id") == [(2,), (3,), (4,)]
    assert sql(f"SELECT id FROM {table}.branch_dev ORDER BY id") == [(2,), (3,), (4,)]
    assert current(stored, table) == main
    assert refs()["dev"]["snapshot-id"] != main
    sql(f"ALTER TABLE {table} DROP BRANCH dev")
    assert list(refs()) == ["main"]
    with pytest.raises(Refused, match="dev"):
        count("VERSION AS OF 'dev'")


def test_branch_is_made_once_unless_replaced(sql, stored, table, refs):
    first = current(stored, table)
    sql(f"ALTER TABLE {table} CREATE BRANCH dev")
    sql(f"INSERT INTO {table} VALUES (4, 'c', 'four')")
    with pytest.raises(Refused, match="already exists"):
        sql(f"ALTER TABLE {table} CREATE BRANCH dev")
    sql(f"ALTER TABLE {table} CREATE BRANCH IF NOT EXISTS dev")
    assert refs()["dev"]["snapshot-id"] == first
    sql(f"ALTER TABLE {table} CREATE OR REPLACE BRANCH dev")
    assert refs()["dev"]["snapshot-id"] == current(stored, table) != first


def test_branch_is_kept_as_long_as_asked(sql, stored, table, refs):
    first = current(stored, table)
    sql(f"INSERT INTO {table} VALUES (4, 'c', 'four')")
    sql(f"ALTER TABLE {table} CREATE BRANCH dev AS OF VERSION {first} RETAIN 7 DAYS "
        "WITH SNAPSHOT RETENTION 2 SNAPSHOTS 3 DAYS")
    assert refs()["dev"] == {
        "snapshot-id": first, "type": "branch", "max-ref-age-ms": 7 * DAY_MS,
        "min-snapshots-to-keep": 2, "max-snapshot-age-ms": 3 * DAY_MS}


def test_tag_names_a_snapshot(sql, stored, table, refs, count):
    first = current(stored, table)
    sql(f"ALTER TABLE {table} CREATE TAG start RETAIN 5 DAYS")
    sql(f"INSERT INTO {table} VALUES (4, 'c', 'four')")
    assert refs()["start"] == {"snapshot-id": first, "type": "tag", "max-ref-age-ms": 5 * DAY_MS}
    assert (count("VERSION AS OF 'start'"), count()) == (3, 4)
    assert sql(f"SELECT count(*) FROM {table}.tag_start") == [(3,)]
    with pytest.raises(Refused, match="Cannot write to table"):
        sql(f"INSERT INTO {table}.tag_start VALUES (5, 'c', 'five')")
    sql(f"ALTER TABLE {table} REPLACE TAG start")
    assert count("VERSION AS OF 'start'") == 4
    sql(f"ALTER TABLE {table} DROP TAG start")
    sql(f"ALTER TABLE {table} DROP TAG IF EXISTS start")
    assert list(refs()) == ["main"]


def test_main_is_fast_forwarded(sql, stored, table, refs, count):
    before = current(stored, table)
    sql(f"ALTER TABLE {table} CREATE BRANCH audit")
    sql(f"INSERT INTO {table}.branch_audit VALUES (4, 'c', 'four')")
    after = refs()["audit"]["snapshot-id"]
    assert sql(f"CALL ice.system.fast_forward('{table}', 'main', 'audit')") == [
        ("main", before, after)]
    assert count() == 4
    assert current(stored, table) == after


def test_branch_that_went_its_own_way_is_not_fast_forwarded(sql, table, count):
    sql(f"ALTER TABLE {table} CREATE BRANCH audit")
    sql(f"INSERT INTO {table}.branch_audit VALUES (4, 'c', 'four')")
    sql(f"INSERT INTO {table} VALUES (5, 'c', 'five'), (6, 'c', 'six')")
    with pytest.raises(Refused, match="not an ancestor"):
        sql(f"CALL ice.system.fast_forward('{table}', 'main', 'audit')")
    assert (count(), count("VERSION AS OF 'audit'")) == (5, 4)


def test_writes_go_to_the_branch_of_the_session(spark, sql, table, count):
    sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.wap.enabled' = 'true')")
    spark.conf.set("spark.wap.branch", "audit")
    try:
        sql(f"INSERT INTO {table} VALUES (4, 'c', 'four')")
        assert count() == 4
    finally:
        spark.conf.unset("spark.wap.branch")
    assert (count(), count("VERSION AS OF 'audit'")) == (3, 4)


def test_earlier_states_are_read(spark, sql, table, count):
    sql(f"DELETE FROM {table} WHERE part = 'a'")
    sql(f"INSERT INTO {table} VALUES (4, 'c', 'four'), (5, 'c', 'five')")
    states = sql(f"SELECT snapshot_id, CAST(committed_at AS STRING) FROM {table}.snapshots "
                 "ORDER BY committed_at")
    assert [count(f"VERSION AS OF {snapshot}") for snapshot, _ in states] == [3, 1, 3]
    assert [count(f"TIMESTAMP AS OF '{at}'") for _, at in states] == [3, 1, 3]
    assert spark.read.option("versionAsOf", states[1][0]).table(table).count() == 1
    with pytest.raises(Refused, match="Cannot find snapshot"):
        count("VERSION AS OF 1")


def test_earlier_state_has_the_columns_it_had(sql, stored, table):
    before = current(stored, table)
    sql(f"ALTER TABLE {table} DROP COLUMN note")
    sql(f"ALTER TABLE {table} ADD COLUMN size INT")
    assert sql(f"SELECT * FROM {table} VERSION AS OF {before} WHERE id = 1") == [(1, "a", "one")]
    assert sql(f"SELECT * FROM {table} WHERE id = 1") == [(1, "a", None)]


def test_what_came_in_between_is_read(spark, sql, stored, table):
    first = current(stored, table)
    sql(f"INSERT INTO {table} VALUES (4, 'c', 'four')")
    second = current(stored, table)
    sql(f"INSERT INTO {table} VALUES (5, 'c', 'five')")
    frame = spark.read.format("iceberg").option("start-snapshot-id", first).option(
        "end-snapshot-id", second).load(f"ice.{table}")
    assert [row.id for row in frame.collect()] == [4]
