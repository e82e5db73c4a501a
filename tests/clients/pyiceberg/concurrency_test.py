"""Several writers at once, each with a client of its own."""

import concurrent.futures

from conftest import connect, ids_of, rows, schema_of_rows

# Far more than needed: what is tested is that a loser of a race can try again, not how often.
PATIENT = {"commit.retry.num-retries": "50", "commit.retry.min-wait-ms": "5",
           "commit.retry.max-wait-ms": "50"}


def run_together(jobs):
    """Runs all jobs at once and raises what any of them raised."""
    with concurrent.futures.ThreadPoolExecutor(len(jobs)) as pool:
        for done in [pool.submit(job) for job in jobs]:
            done.result()


def append_each(uri, name, ids):
    target = connect(uri).load_table(name)
    for i in ids:
        target.append(rows(i))


def test_two_writers_on_one_table_both_land(server, catalog, namespace):
    made = catalog.create_table((namespace, "t"), schema_of_rows(), properties=PATIENT)
    shares = [range(0, 6), range(100, 106)]
    run_together([lambda ids=ids: append_each(server.uri, made.name(), ids) for ids in shares])
    loaded = catalog.load_table(made.name())
    assert ids_of(loaded) == [*shares[0], *shares[1]]
    assert len(loaded.snapshots()) == 12
    parents = [snapshot.parent_snapshot_id for snapshot in loaded.snapshots()]
    assert parents == [None, *[s.snapshot_id for s in loaded.snapshots()][:-1]]


def test_eight_writers_on_eight_tables_all_land(server, catalog, namespace):
    names = [(namespace, f"t{i}") for i in range(8)]
    for name in names:
        catalog.create_table(name, schema_of_rows())
    run_together([lambda name=name: append_each(server.uri, name, range(4)) for name in names])
    for name in names:
        loaded = catalog.load_table(name)
        assert ids_of(loaded) == [0, 1, 2, 3]
        assert len(loaded.snapshots()) == 4


def test_one_of_many_creates_wins(server, catalog, namespace):
    def create():
        try:
            connect(server.uri).create_table((namespace, "t"), schema_of_rows())
        except Exception as error:  # noqa: BLE001: whatever it is, its type is what is compared
            return type(error).__name__
        return "created"

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = sorted(done.result() for done in [pool.submit(create) for _ in range(4)])
    assert results == ["TableAlreadyExistsError"] * 3 + ["created"]


def test_writers_of_properties_all_land(server, catalog, table):
    def set_property(i):
        target = connect(server.uri).load_table(table.name())
        with target.transaction() as transaction:
            transaction.set_properties({f"key{i}": str(i)})

    run_together([lambda i=i: set_property(i) for i in range(8)])
    found = catalog.load_table(table.name()).properties
    assert {f"key{i}": str(i) for i in range(8)}.items() <= found.items()
