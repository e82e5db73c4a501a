"""Each member of rich requests sent as null: it is refused or taken for absent, never stored."""

import copy

import objects
from successes import NS

TABLE = {**NS, "table": "t"}
VIEW = {**NS, "view": "v"}


def walk(world):
    world.ask("createNamespace", 200, {"namespace": ["ns"]})
    world.ask("createTable", 200, objects.create_table("t", 3), path=NS)
    world.ask("createView", 200, objects.create_view("v"), path=NS)
    for version in (2, 3):
        try_each(world, "createTable", NS, lambda n, v=version: objects.create_table(
            f"t{v}_{n}", v, location=f"file://{world.lake.warehouse}/t{v}_{n}"))
    try_each(world, "createView", NS, lambda n: objects.create_view(f"v{n}"))
    try_each(world, "replaceView", VIEW, lambda n: commit(*objects.view_updates(n)))
    try_each(world, "updateTable", TABLE, lambda n: commit(new_snapshot(world, n)))
    world.ask("updateTable", 200, commit(new_snapshot(world, 1000)), path=TABLE)
    for update in (
            objects.ref("b", 1000, **{"min-snapshots-to-keep": 1, "max-ref-age-ms": 1}),
            objects.ref("t", 1000, "tag"), objects.statistics(1000),
            objects.partition_statistics(1000)):
        try_each(world, "updateTable", TABLE, lambda _, each=update: commit(each))
    try_each(world, "updateTable", TABLE, lambda n: commit(objects.encryption_key(n)))
    try_each(world, "updateTable", TABLE, lambda _: commit(*objects.layout_updates(3)))


def commit(*updates):
    return {"requirements": [], "updates": list(updates)}


def new_snapshot(world, number):
    """The next snapshot of the table, with a parent."""
    table = world.ask("loadTable", 200, path=TABLE).json["metadata"]
    update = objects.snapshot(number, 3, 1)
    update["snapshot"]["first-row-id"] = table["next-row-id"]
    update["snapshot"]["sequence-number"] = table["last-sequence-number"] + 1
    return update


def try_each(world, operation_id, path, make):
    """`make` gives the request of a number, so that each can be made in its turn."""
    world.ask(operation_id, 200, make(1), path=path)
    for number, place in enumerate(list(places_of(make(0))), 2):
        answer = world.ask(operation_id, None, with_null(make(number), place), path=path)
        # A snapshot without a sequence number is one that comes too late.
        if answer.status not in (200, 400, 409):
            world.ledger.object(operation_id, f"{answer.status} for a null at {place}: "
                                f"{answer.body[:300]}")


def places_of(value, place=()):
    """Where the members and elements of a value are, at any depth."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for step, child in members:
        yield (*place, step)
        if isinstance(child, (dict, list)):
            yield from places_of(child, (*place, step))


def with_null(value, place):
    changed = copy.deepcopy(value)
    holder = changed
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = None
    return changed
