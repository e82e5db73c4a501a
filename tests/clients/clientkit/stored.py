"""What the server has, as PyIceberg sees it. For tests in the environment that has PyIceberg."""

import pathlib
import time
import urllib.parse

PATIENCE_S = 120


def stored(catalog, name):
    """The table that an engine calls `catalog.namespace.table`."""
    return catalog.load_table(tuple(name.split(".")[1:]))


def columns_of(table):
    """Its columns: (name, type, required)."""
    return [(field.name, str(field.field_type), field.required)
            for field in table.schema().fields]


def rows_of(table):
    """Its rows, in order."""
    columns = table.scan().to_arrow().to_pydict().values()
    return sorted(zip(*columns))


def files_below(location):
    """The files below a file: location."""
    directory = pathlib.Path(urllib.parse.urlparse(location).path)
    return [path for path in directory.rglob("*") if path.is_file()]


def wait_until(holds):
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, f"not so within {PATIENCE_S} s"
        time.sleep(0.05)
