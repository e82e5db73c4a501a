"""Jobs in streaming mode, each of whose checkpoints is a commit."""

import urllib.parse

import pytest
from clientkit.program import Server
from clientkit.stored import rows_of, stored, wait_until
from pyiceberg.catalog.rest import RestCatalog

from conftest import summaries_of


@pytest.fixture
def numbers(sql, unique):
    """Makes a source of the numbers from 1 on, so many of them and so many a second."""
    def make(count, a_second):
        sql(f"CREATE TEMPORARY TABLE {unique} (id INT) WITH ('connector' = 'datagen', "
            f"'rows-per-second' = '{a_second}', 'fields.id.kind' = 'sequence', "
            f"'fields.id.start' = '1', 'fields.id.end' = '{count}')", "streaming")
        return unique
    yield make
    sql(f"DROP TEMPORARY TABLE {unique}", "streaming")


@pytest.fixture
def start(flink):
    """Begins an INSERT in streaming mode and returns what asks something of its job."""
    def begin(statement):
        (job,), = flink.ask(do="start", mode="streaming", statement=statement)
        return lambda how: flink.ask(do=how, job=job)
    return begin


def wait_for_commit(catalog, name):
    seen = len(catalog.load_table(name).snapshots())
    wait_until(lambda: len(catalog.load_table(name).snapshots()) > seen)


def test_each_checkpoint_is_a_commit(sql, catalog, database, numbers, start):
    name = f"{database}.t"
    sql(f"CREATE TABLE {name} (id INT, twice INT)")
    job = start(f"INSERT INTO {name} SELECT id, id * 2 FROM {numbers(10000, 50)}")
    wait_until(lambda: len(stored(catalog, name).snapshots()) >= 3)
    job("stop")
    written = rows_of(stored(catalog, name))
    assert written == [(i + 1, 2 * i + 2) for i in range(len(written))]
    summaries = summaries_of(stored(catalog, name))
    checkpoints = [int(summary["flink.max-committed-checkpoint-id"]) for summary in summaries]
    assert checkpoints == sorted(set(checkpoints))
    assert len({summary["flink.job-id"] for summary in summaries}) == 1
    assert sum(int(summary["added-records"]) for summary in summaries) == len(written)


def test_stream_that_ends_commits_its_rest(sql, catalog, database, numbers):
    name = f"{database}.t"
    sql(f"CREATE TABLE {name} (id INT, part INT) PARTITIONED BY (part)")
    sql(f"INSERT INTO {name} SELECT id, MOD(id, 3) FROM {numbers(20, 100)}", "streaming")
    assert rows_of(stored(catalog, name)) == [(i, i % 3) for i in range(1, 21)]


def test_stream_of_changes_replaces_rows_by_their_key(sql, catalog, database, numbers):
    name = f"{database}.t"
    sql(f"CREATE TABLE {name} (id INT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED) "
        "WITH ('format-version' = '2', 'write.upsert.enabled' = 'true')")
    sql(f"INSERT INTO {name} SELECT id / 4, COUNT(*) FROM {numbers(19, 20)} GROUP BY id / 4",
        "streaming")
    assert sorted(sql(f"SELECT * FROM {name}")) == [(0, 3), (1, 4), (2, 4), (3, 4), (4, 4)]
    last = summaries_of(stored(catalog, name))[-1]
    assert int(last["total-equality-deletes"]) > 0
    assert int(last["total-records"]) > 5


def test_commits_of_others_are_read_as_a_stream(sql, catalog, database, start):
    source, copy = f"{database}.source", f"{database}.copy"
    sql(f"CREATE TABLE {source} (id INT)")
    sql(f"CREATE TABLE {copy} (id INT)")
    sql(f"INSERT INTO {source} VALUES (1), (2)")
    job = start(f"INSERT INTO {copy} SELECT id FROM {source} "
                "/*+ OPTIONS('streaming' = 'true', 'monitor-interval' = '100ms') */")
    wait_until(lambda: rows_of(stored(catalog, copy)) == [(1,), (2,)])
    stored(catalog, source).append(stored(catalog, source).scan(row_filter="id = 2").to_arrow())
    wait_until(lambda: rows_of(stored(catalog, copy)) == [(1,), (2,), (2,)])
    job("stop")


def test_rows_come_once_though_the_server_is_killed(sql, program, lake, unique, numbers, start):
    server = Server(program, lake)
    port = urllib.parse.urlparse(server.uri).port
    try:
        sql(f"CREATE CATALOG {unique} WITH ('type' = 'iceberg', 'catalog-type' = 'rest', "
            f"'uri' = '{server.uri}')", "streaming")
        sql(f"CREATE DATABASE {unique}.d", "streaming")
        sql(f"CREATE TABLE {unique}.d.t (id INT)", "streaming")
        catalog = RestCatalog("mortal", uri=server.uri)
        job = start(f"INSERT INTO {unique}.d.t SELECT id FROM {numbers(10000, 100)}")
        for _ in range(2):
            wait_for_commit(catalog, "d.t")
            server.kill()
            wait_until(lambda: job("status") == [("RESTARTING",)])
            server = Server(program, lake, port=port)
        wait_for_commit(catalog, "d.t")
        job("stop")
        written = rows_of(catalog.load_table("d.t"))
        assert written == [(i + 1,) for i in range(len(written))]
    finally:
        server.kill()
