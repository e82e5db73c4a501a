"""Namespaces: their names, their nesting and their properties."""

import pytest
from pyiceberg.exceptions import (NamespaceAlreadyExistsError, NamespaceNotEmptyError,
                                  NoSuchNamespaceError)

from conftest import ids_of, rows, schema_of_rows

ODD_NAMES = {
    "space": "with space",
    "plus": "plus+plus",
    "slash": "slash/inside",
    "dot": "dot.inside",
    "percent": "per%cent",
    "escape": "per%20cent",
    "query": "a?b&c=d#e",
    "quotes": "it's \"quoted\"",
    "backslash": "back\\slash",
    "umlaut": "\N{LATIN SMALL LETTER U WITH DIAERESIS}ber",
    "cjk": "\u6c37\u5c71",
    "emoji": "\N{PENGUIN}\N{SNOWFLAKE}",
}


@pytest.fixture(params=ODD_NAMES.values(), ids=ODD_NAMES.keys())
def odd(request):
    return request.param


def test_namespace_lives_and_dies(catalog, unique):
    assert not catalog.namespace_exists(unique)
    catalog.create_namespace(unique, {"owner": "me"})
    assert catalog.namespace_exists(unique)
    assert (unique,) in catalog.list_namespaces()
    assert catalog.load_namespace_properties(unique)["owner"] == "me"
    catalog.drop_namespace(unique)
    assert not catalog.namespace_exists(unique)
    assert (unique,) not in catalog.list_namespaces()


def test_namespace_cannot_be_made_twice(catalog, namespace):
    with pytest.raises(NamespaceAlreadyExistsError):
        catalog.create_namespace(namespace)


def test_missing_namespace_is_told_as_such(catalog):
    with pytest.raises(NoSuchNamespaceError):
        catalog.load_namespace_properties("missing")
    with pytest.raises(NoSuchNamespaceError):
        catalog.drop_namespace("missing")
    with pytest.raises(NoSuchNamespaceError):
        catalog.list_tables("missing")
    with pytest.raises(NoSuchNamespaceError):
        catalog.list_namespaces("missing")
    with pytest.raises(NoSuchNamespaceError):
        catalog.create_table(("missing", "t"), schema_of_rows())


def test_namespaces_nest(catalog, namespace):
    catalog.create_namespace((namespace, "b"))
    catalog.create_namespace((namespace, "b", "c"), {"depth": "3"})
    assert catalog.list_namespaces(namespace) == [(namespace, "b")]
    assert catalog.list_namespaces((namespace, "b")) == [(namespace, "b", "c")]
    assert catalog.list_namespaces((namespace, "b", "c")) == []
    assert catalog.load_namespace_properties((namespace, "b", "c"))["depth"] == "3"
    with pytest.raises(NamespaceNotEmptyError):
        catalog.drop_namespace((namespace, "b"))
    catalog.drop_namespace((namespace, "b", "c"))
    catalog.drop_namespace((namespace, "b"))
    assert catalog.list_namespaces(namespace) == []


def test_namespace_with_a_table_is_not_dropped(catalog, table, namespace):
    with pytest.raises(NamespaceNotEmptyError):
        catalog.drop_namespace(namespace)
    catalog.drop_table(table.name())
    catalog.drop_namespace(namespace)


def test_properties_are_set_and_removed(catalog, namespace):
    summary = catalog.update_namespace_properties(namespace, updates={"a": "1", "b": "2"})
    assert sorted(summary.updated) == ["a", "b"]
    summary = catalog.update_namespace_properties(namespace, removals={"a", "z"},
                                                  updates={"b": "3"})
    assert summary.removed == ["a"]
    assert summary.updated == ["b"]
    assert summary.missing == ["z"]
    found = catalog.load_namespace_properties(namespace)
    assert "a" not in found
    assert found["b"] == "3"


def test_names_keep_their_case(catalog, unique):
    catalog.create_namespace(unique.upper())
    assert not catalog.namespace_exists(unique.lower())
    catalog.create_namespace(unique.lower())
    assert {(unique.upper(),), (unique.lower(),)} <= set(catalog.list_namespaces())


def test_odd_namespace_holds_a_table(catalog, odd):
    catalog.create_namespace((odd,), {"is": odd})
    assert (odd,) in catalog.list_namespaces()
    assert catalog.namespace_exists((odd,))
    assert catalog.load_namespace_properties((odd,))["is"] == odd

    made = catalog.create_table((odd, odd), schema_of_rows())
    made.append(rows(1, 2, name=odd))
    assert catalog.list_tables((odd,)) == [(odd, odd)]
    assert catalog.table_exists((odd, odd))
    loaded = catalog.load_table((odd, odd))
    assert loaded.scan().to_arrow()["name"].to_pylist() == [odd, odd]
    assert ids_of(loaded) == [1, 2]

    catalog.rename_table((odd, odd), (odd, odd + "2"))
    assert catalog.list_tables((odd,)) == [(odd, odd + "2")]
    catalog.drop_table((odd, odd + "2"))
    catalog.drop_namespace((odd,))
    assert not catalog.namespace_exists((odd,))


def test_odd_namespace_has_children(catalog, unique, odd):
    catalog.create_namespace((unique,))
    catalog.create_namespace((unique, odd))
    catalog.create_namespace((unique, odd, odd))
    assert catalog.list_namespaces((unique,)) == [(unique, odd)]
    assert catalog.list_namespaces((unique, odd)) == [(unique, odd, odd)]


def test_dot_in_a_level_is_not_a_level(catalog, unique):
    catalog.create_namespace((unique,))
    catalog.create_namespace((unique, "b"))
    catalog.create_namespace((f"{unique}.b",))
    catalog.create_table((unique, "b", "deep"), schema_of_rows())
    catalog.create_table((f"{unique}.b", "flat"), schema_of_rows())
    assert catalog.list_tables((unique, "b")) == [(unique, "b", "deep")]
    assert catalog.list_tables((f"{unique}.b",)) == [(f"{unique}.b", "flat")]
