"""Views: create, list, load, exists, register, drop. PyIceberg cannot replace or rename them."""

import pytest
from pyiceberg.exceptions import (NoSuchTableError, NoSuchViewError, RESTError,
                                  TableAlreadyExistsError, ViewAlreadyExistsError)
from pyiceberg.view.metadata import SQLViewRepresentation, ViewRepresentation, ViewVersion

from conftest import connect, schema_of_rows


def version_of(namespace, **queries):
    """A version with a query for each dialect."""
    return ViewVersion(
        schema_id=0, default_namespace=(namespace,), summary={"engine": "suite"},
        representations=[ViewRepresentation(SQLViewRepresentation(type="sql", sql=sql,
                                                                  dialect=dialect))
                         for dialect, sql in queries.items()])


@pytest.fixture
def view(catalog, namespace):
    """A view in `namespace`."""
    return catalog.create_view((namespace, "v"), schema_of_rows(),
                               version_of(namespace, spark="SELECT 1", trino="SELECT 2"),
                               properties={"owner": "ada"})


def test_view_is_what_was_asked_for(catalog, namespace, view):
    assert view.properties == {"owner": "ada"}
    assert view.schema().as_struct() == schema_of_rows().as_struct()
    assert view.current_version().version_id == 1
    assert view.current_version().default_namespace == (namespace,)
    assert view.current_version().summary == {"engine": "suite"}
    assert [entry.version_id for entry in view.history()] == [1]
    assert view.sql_for("spark").sql == "SELECT 1"
    assert view.sql_for("trino").sql == "SELECT 2"
    assert view.location().startswith("file:///")
    assert catalog.load_view((namespace, "v")) == view


def test_view_goes_where_it_is_asked_to(catalog, namespace, view):
    location = view.location() + "-elsewhere"
    moved = catalog.create_view((namespace, "w"), schema_of_rows(),
                                version_of(namespace, spark="SELECT 1"), location=location)
    assert moved.location() == location


def test_views_and_tables_are_listed_apart(catalog, namespace, view, table):
    assert catalog.list_views(namespace) == [(namespace, "v")]
    assert catalog.list_tables(namespace) == [(namespace, "t")]


def test_names_are_shared_with_tables(catalog, namespace, view, table):
    version = version_of(namespace, spark="SELECT 1")
    for name in ("v", "t"):
        with pytest.raises(ViewAlreadyExistsError, match=f"already exists: {namespace}.{name}"):
            catalog.create_view((namespace, name), schema_of_rows(), version)
    with pytest.raises(TableAlreadyExistsError, match="View with same name already exists"):
        catalog.create_table((namespace, "v"), schema_of_rows())
    with pytest.raises(NoSuchTableError):
        catalog.load_table((namespace, "v"))
    with pytest.raises(NoSuchViewError):
        catalog.load_view((namespace, "t"))


def test_view_exists(catalog, namespace, view, table):
    assert catalog.view_exists((namespace, "v"))
    assert not catalog.view_exists((namespace, "t"))
    assert not catalog.view_exists((namespace, "nope"))


def test_dropped_view_is_gone(catalog, namespace, view):
    catalog.drop_view((namespace, "v"))
    assert not catalog.view_exists((namespace, "v"))
    assert catalog.list_views(namespace) == []
    with pytest.raises(NoSuchViewError, match=f"View does not exist: {namespace}.v"):
        catalog.drop_view((namespace, "v"))
    catalog.drop_namespace(namespace)


def test_dropped_view_can_be_registered_again(catalog, namespace, view, server):
    # The client does not tell where the metadata is.
    session = connect(server.uri)._session  # pylint: disable=protected-access
    loaded = session.get(f"{server.uri}/v1/namespaces/{namespace}/views/v").json()
    catalog.drop_view((namespace, "v"))
    registered = catalog.register_view((namespace, "w"), loaded["metadata-location"])
    assert registered.metadata == view.metadata
    assert catalog.load_view((namespace, "w")) == registered


def test_two_queries_for_a_dialect_are_refused(catalog, namespace):
    version = version_of(namespace, trino="SELECT 1", TRINO="SELECT 2")
    with pytest.raises(RESTError, match="Cannot add multiple queries for dialect trino"):
        catalog.create_view((namespace, "v"), schema_of_rows(), version)
    assert not catalog.view_exists((namespace, "v"))
