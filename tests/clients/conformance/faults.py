"""What the specification lists for a server that cannot do its work."""

import contextlib
import os
import sqlite3

import objects
import refusals
from clientkit.program import add_principal
from world import FORM

TOKEN = "grant_type=client_credentials&client_id=writer&client_secret="


def prepare(world):
    world.ask("createNamespace", 200, {"namespace": ["ns"]})
    world.ask("createTable", 200, objects.create_table("t"), path=refusals.NS)
    world.ask("createView", 200, objects.create_view("v"), path=refusals.NS)


def walk(world):
    """Every request where the catalog file has gone, and where it has lost what is in it."""
    prepare(world)
    with file_gone(world):
        for operation_id, request in refusals.REQUESTS.items():
            world.ask(operation_id, 503, error="SlowDownException", **request)
    world.ask("loadTable", 200, path=refusals.TABLE)
    commits = ("updateTable", "replaceView", "commitTransaction")
    world.run("warehouses", "add", "second", "--file", str(world.lake.file))
    with gone(world, "iceberg_tables", "iceberg_namespace_properties",
              "berglite_warehouses.catalog_name"):
        for operation_id, request in refusals.REQUESTS.items():
            # To the client of a commit 500 says that it may have been made, which it has not.
            world.ask(operation_id, 503 if operation_id in commits else 500, **request)
    world.ask("loadTable", 200, path=refusals.TABLE)


def walk_with_authentication(world):
    secret = add_principal(world.program, world.lake, "writer")
    headers = {"Content-Type": FORM}
    with file_gone(world):
        world.ask("getToken", 503, TOKEN + secret, headers=headers)
    with gone(world, "berglite_principals"):
        world.ask("getToken", 500, TOKEN + secret, headers=headers)
    world.ask("getToken", 200, TOKEN + secret, headers=headers)


@contextlib.contextmanager
def file_gone(world):
    away = world.lake.file.with_suffix(".away")
    os.rename(world.lake.file, away)
    try:
        yield
    finally:
        os.rename(away, world.lake.file)


@contextlib.contextmanager
def gone(world, *names):
    """Takes tables, or columns `table.column`, away from the file."""
    connection = sqlite3.connect(world.lake.file, isolation_level=None)
    try:
        for name in names:
            connection.execute(renaming(name, "", "gone_"))
        yield
        for name in names:
            connection.execute(renaming(name, "gone_", ""))
    finally:
        connection.close()


def renaming(name, before, after):
    table, _, column = name.partition(".")
    if column:
        return f"ALTER TABLE {table} RENAME COLUMN {before}{column} TO {after}{column}"
    return f"ALTER TABLE {before}{table} RENAME TO {after}{table}"
