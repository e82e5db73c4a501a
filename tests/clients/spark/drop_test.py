"""What a dropped table leaves behind: everything, or with PURGE nothing.

Without further settings Spark deletes the files of a purge itself, after the server has dropped the
table. With rest-catalog-purge=true, as in the catalog `purging`, it leaves that to the server.
"""

import pathlib

import pytest

from conftest import Refused, path_of


@pytest.fixture
def files(sql, stored, table):
    """Where a table is that has data, deletes, several manifests and several metadata files."""
    sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    sql(f"DELETE FROM {table} WHERE id = 1")
    sql(f"INSERT INTO {table} VALUES (4, 'c', 'four')")
    location = path_of(stored.table(table)["location"])

    def find():
        return sorted(path.name for path in location.rglob("*") if path.is_file())

    assert {pathlib.PurePath(name).suffix for name in find()} >= {".parquet", ".avro", ".json"}
    return find


def gone(sql, table):
    with pytest.raises(Refused, match="TABLE_OR_VIEW_NOT_FOUND"):
        sql(f"SELECT * FROM {table}")
    return True


def test_plain_drop_keeps_the_files(sql, stored, table, files):
    metadata_file, before = stored.metadata_file(table), files()
    sql(f"DROP TABLE {table}")
    assert gone(sql, table)
    assert files() == before
    sql(f"CALL ice.system.register_table('{table}', '{metadata_file}')")
    assert sql(f"SELECT id FROM {table} ORDER BY id") == [(2,), (3,), (4,)]


def test_plain_drop_keeps_the_files_though_the_server_could_purge(sql, table, files):
    before = files()
    sql(f"DROP TABLE purging.{table}")
    assert gone(sql, f"uncached.{table}")
    assert files() == before


def test_spark_purges_by_itself(sql, table, files):
    sql(f"DROP TABLE {table} PURGE")
    assert gone(sql, table)
    assert files() == []


def test_server_purges(sql, table, files):
    sql(f"DROP TABLE purging.{table} PURGE")
    assert gone(sql, f"uncached.{table}")
    assert files() == []


@pytest.mark.parametrize("catalog", ["ice", "purging"])
def test_table_that_may_not_be_collected_is_not_purged(sql, table, files, catalog):
    sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('gc.enabled' = 'false')")
    before = files()
    with pytest.raises(Refused, match="(?i)GC is disabled"):
        sql(f"DROP TABLE {catalog}.{table} PURGE")
    assert files() == before
    assert sql(f"SELECT count(*) FROM {table}") == [(3,)]


def test_name_is_free_after_a_drop(sql, table):
    sql(f"DROP TABLE {table}")
    sql(f"CREATE TABLE {table} USING iceberg AS SELECT 1 AS a")
    assert sql(f"SELECT * FROM {table}") == [(1,)]


def test_missing_table_is_not_purged(sql, namespace):
    for catalog in ("ice", "purging"):
        with pytest.raises(Refused, match="TABLE_OR_VIEW_NOT_FOUND"):
            sql(f"DROP TABLE {catalog}.{namespace}.gone PURGE")
        sql(f"DROP TABLE IF EXISTS {catalog}.{namespace}.gone PURGE")
    assert sql(f"SHOW TABLES IN {namespace}") == []
