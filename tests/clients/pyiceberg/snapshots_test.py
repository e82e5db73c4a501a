"""The history of a table: references, time travel, rollback, expiry."""

import pytest
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table.refs import SnapshotRefType

from conftest import ids_of, rows


@pytest.fixture
def snapshots(table):
    """The ids of three snapshots: rows 1, then 1 and 2, then 1, 2 and 3."""
    made = []
    for i in (1, 2, 3):
        table.append(rows(i))
        made.append(table.current_snapshot().snapshot_id)
    return made


def test_earlier_snapshots_are_read(catalog, table, snapshots):
    loaded = catalog.load_table(table.name())
    assert [ids_of(loaded, snapshot_id=snapshot) for snapshot in snapshots] == [
        [1], [1, 2], [1, 2, 3]]
    at = loaded.snapshot_by_id(snapshots[1]).timestamp_ms
    assert loaded.snapshot_as_of_timestamp(at).snapshot_id == snapshots[1]


def test_branch_grows_apart_from_main(catalog, table, snapshots):
    table.manage_snapshots().create_branch(snapshots[0], "dev", max_ref_age_ms=86_400_000).commit()
    made = catalog.load_table(table.name()).refs()["dev"]
    assert made.snapshot_ref_type == SnapshotRefType.BRANCH
    assert made.max_ref_age_ms == 86_400_000
    table.append(rows(10), branch="dev")
    loaded = catalog.load_table(table.name())
    assert loaded.scan().use_ref("dev").to_arrow()["id"].to_pylist() in ([1, 10], [10, 1])
    assert ids_of(loaded) == [1, 2, 3]
    table.manage_snapshots().remove_branch("dev").commit()
    assert sorted(catalog.load_table(table.name()).refs()) == ["main"]


def test_tag_stays_where_it_was_put(catalog, table, snapshots):
    table.manage_snapshots().create_tag(snapshots[1], "v1").create_tag(snapshots[0], "v0").commit()
    table.append(rows(4))
    loaded = catalog.load_table(table.name())
    assert loaded.refs()["v1"].snapshot_ref_type == SnapshotRefType.TAG
    assert loaded.snapshot_by_name("v1").snapshot_id == snapshots[1]
    assert loaded.snapshot_by_name("v0").snapshot_id == snapshots[0]
    table.manage_snapshots().remove_tag("v1").commit()
    assert sorted(catalog.load_table(table.name()).refs()) == ["main", "v0"]


def test_rollback_moves_main_back(catalog, table, snapshots):
    table.manage_snapshots().rollback_to_snapshot(snapshots[0]).commit()
    loaded = catalog.load_table(table.name())
    assert ids_of(loaded) == [1]
    assert len(loaded.snapshots()) == 3
    assert [entry.snapshot_id for entry in loaded.history()] == [*snapshots, snapshots[0]]
    table.append(rows(9))
    assert ids_of(catalog.load_table(table.name())) == [1, 9]


def test_current_snapshot_is_set(catalog, table, snapshots):
    table.manage_snapshots().create_tag(snapshots[1], "good").commit()
    table.manage_snapshots().set_current_snapshot(ref_name="good").commit()
    assert ids_of(catalog.load_table(table.name())) == [1, 2]
    table.manage_snapshots().set_current_snapshot(snapshot_id=snapshots[2]).commit()
    assert ids_of(catalog.load_table(table.name())) == [1, 2, 3]


def test_expired_snapshots_are_gone(catalog, table, snapshots):
    table.maintenance.expire_snapshots().by_ids(snapshots[:2]).commit()
    loaded = catalog.load_table(table.name())
    assert [snapshot.snapshot_id for snapshot in loaded.snapshots()] == [snapshots[2]]
    assert ids_of(loaded) == [1, 2, 3]


def test_stale_reference_is_refused(catalog, table, snapshots):
    stale = catalog.load_table(table.name())
    table.append(rows(4))
    with pytest.raises(CommitFailedException):
        stale.manage_snapshots().rollback_to_snapshot(snapshots[0]).commit()
    assert ids_of(catalog.load_table(table.name())) == [1, 2, 3, 4]
