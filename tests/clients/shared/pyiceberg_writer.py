"""PyIceberg's SqlCatalog as one of several writers of a catalog file.

    pyiceberg_writer.py FILE CATALOG WAREHOUSE NAME create TABLE...
    pyiceberg_writer.py FILE CATALOG WAREHOUSE NAME write SECONDS TABLE...

Prints for each table, as one JSON object, how many of its commits were acknowledged.
"""

import collections
import json
import random
import sys
import time

from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException, NamespaceAlreadyExistsError
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField


def create(catalog, tables):
    try:
        catalog.create_namespace("shared")
    except NamespaceAlreadyExistsError:
        pass
    for table in tables:
        catalog.create_table(("shared", table), Schema(NestedField(1, "id", LongType())),
                             properties={"write.metadata.previous-versions-max": "1000000"})


def write(catalog, name, seconds, tables):
    done = collections.Counter()
    chance = random.Random(3)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        table = chance.choice(tables)
        try:
            with catalog.load_table(("shared", table)).transaction() as transaction:
                transaction.set_properties({name: str(done[table] + 1)})
        except CommitFailedException:
            continue  # another writer was faster
        done[table] += 1
    print(json.dumps(done))


def main():
    file, catalog, warehouse, name, what, *rest = sys.argv[1:]
    opened = SqlCatalog(catalog, uri=f"sqlite:///{file}?timeout=60", warehouse=warehouse)
    if what == "create":
        create(opened, rest)
    else:
        write(opened, name, float(rest[0]), rest[1:])


if __name__ == "__main__":
    main()
