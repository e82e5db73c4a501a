"""berglite gc on tables that PyIceberg has written: exactly what nothing reaches is removed."""

import json
import os
import pathlib
import subprocess
import time

import pytest

from clientkit.program import Server
from conftest import connect, ids_of, rows, schema_of_rows

DAY_S = 86_400


@pytest.fixture
def rest(program, lake):
    running = Server(program, lake)
    yield connect(running.uri)
    running.stop()


def gc(program, lake, *words):
    done = subprocess.run([str(program), "gc", "--file", str(lake.file), "--warehouse",
                           str(lake.warehouse), "--json", *words],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def local(uri):
    return pathlib.Path(uri.removeprefix("file://"))


def files_at(root):
    return {path for path in root.rglob("*") if path.is_file()}


def test_gc_removes_exactly_the_orphans(rest, program, lake):
    rest.create_namespace("n")
    table = rest.create_table(("n", "t"), schema_of_rows(), properties={"format-version": "2"})
    for ids in ((1, 2), (3, 4), (5,)):
        table.append(rows(*ids))
    table.delete("id = 2")
    table.overwrite(rows(7, 8), "id = 5")
    expired = table.snapshots()[0].snapshot_id
    table.maintenance.expire_snapshots().by_id(expired).commit()
    neighbour = rest.create_table(("n", "u"), schema_of_rows())
    neighbour.append(rows(100))

    root = local(table.location())
    before = files_at(root)
    planted = {root / "data" / "lost.parquet", root / "data" / "day=1" / "lost.parquet",
               root / "metadata" / "lost-m0.avro", root / "metadata" / "00099-lost.metadata.json"}
    for path in planted:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"lost")
    assert gc(program, lake)["found-files"] == 0  # all is young

    old = time.time() - 5 * DAY_S
    for path in files_at(lake.warehouse):
        os.utime(path, (old, old))
    young = root / "data" / "young.parquet"
    young.write_bytes(b"young")
    shown = {local(each["location"]) for each in gc(program, lake, "n.t")["orphans"]}
    # The list of the expired snapshot, and what only that led to.
    assert planted <= shown
    assert all("snap-" in path.name or path.suffix in (".avro", ".parquet")
               for path in shown - planted)
    assert str(expired) in " ".join(path.name for path in shown - planted)
    assert files_at(root) == before | planted | {young}

    removed = gc(program, lake, "n.t", "--delete")
    assert {local(each["location"]) for each in removed["orphans"]} == shown
    assert files_at(root) == (before | {young}) - shown
    assert gc(program, lake)["found-files"] == 0
    fresh = rest.load_table(("n", "t"))
    assert ids_of(fresh) == [1, 3, 4, 7, 8]
    for snapshot in fresh.snapshots():
        fresh.scan(snapshot_id=snapshot.snapshot_id).to_arrow()
    fresh.append(rows(9))
    assert ids_of(fresh) == [1, 3, 4, 7, 8, 9]
    assert ids_of(rest.load_table(("n", "u"))) == [100]
