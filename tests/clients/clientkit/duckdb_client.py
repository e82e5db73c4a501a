"""DuckDB with its Iceberg extension. For tests in the environment that has both."""

import importlib.util
import pathlib

import duckdb

# Iceberg loads the first two by itself; without a network it must find them loaded.
EXTENSIONS = ("httpfs", "avro", "iceberg")


def open_duckdb(extension_directory):
    """A connection that has the extensions, read from where pip put them."""
    # Nothing is to be kept in the user's home, nor fetched by DuckDB itself.
    connection = duckdb.connect(config={"extension_directory": str(extension_directory),
                                        "autoinstall_known_extensions": "false"})
    for name in EXTENSIONS:
        connection.execute(f"LOAD '{extension_file(name)}'")
    return connection


def extension_file(name):
    package = pathlib.Path(importlib.util.find_spec(f"duckdb_extension_{name}").origin).parent
    return next(package.rglob(f"{name}.duckdb_extension"))
