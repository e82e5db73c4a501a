"""What a test on tables looks like with the fixtures of conftest.py."""

import pyarrow as pa
import pytest
from pyiceberg.exceptions import NoSuchTableError


def test_rows_come_back(catalog, namespace):
    people = pa.table({"id": [1, 2], "name": ["Ada", "Grace"]})
    table = catalog.create_table(f"{namespace}.people", schema=people.schema)
    table.append(people)
    assert table.scan(row_filter="id = 2").to_arrow().to_pylist() == [{"id": 2, "name": "Grace"}]


def test_starts_without_the_tables_of_others(catalog, namespace):
    assert catalog.list_tables(namespace) == []
    with pytest.raises(NoSuchTableError):
        catalog.load_table(f"{namespace}.people")
