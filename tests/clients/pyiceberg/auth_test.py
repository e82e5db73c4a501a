"""A server that answers to its principals alone."""

import pytest
import requests
from clientkit.program import add_principal, serving
from conftest import ids_of, rows, schema_of_rows
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import ForbiddenError, OAuthError, UnauthorizedError


class Guarded:
    """A server with --auth, and the secrets of two principals."""

    def __init__(self, program, server, lake):
        self.program, self.lake, self.uri = program, lake, server.uri
        self.writer = add_principal(program, lake, "writer")
        self.reader = add_principal(program, lake, "reader", "--read-only")

    def connect(self, **properties):
        return RestCatalog("suite", uri=self.uri, **properties)

    def token(self, secret):
        answer = requests.post(f"{self.uri}/v1/oauth/tokens", timeout=30, data={
            "grant_type": "client_credentials", "client_secret": secret})
        answer.raise_for_status()
        return answer.json()["access_token"]

    def basic(self, name, secret):
        return {"type": "basic", "basic": {"username": name, "password": secret}}

    def oauth2(self, name, secret):
        return {"type": "oauth2", "oauth2": {
            "client_id": name, "client_secret": secret,
            "token_url": f"{self.uri}/v1/oauth/tokens", "scope": "catalog"}}


@pytest.fixture(scope="module")
def guarded(program):
    with serving(program, "--auth") as (server, lake):
        yield Guarded(program, server, lake)


def use(catalog, namespace):
    """What a client does: a namespace, a table, a commit, a read."""
    catalog.create_namespace(namespace)
    table = catalog.create_table((namespace, "t"), schema_of_rows())
    table.append(rows(1, 2))
    assert ids_of(catalog.load_table((namespace, "t"))) == [1, 2]


def properties_of(guarded, how):
    """The properties of a client that is the writer."""
    return {
        "credential": lambda: {"credential": f"writer:{guarded.writer}"},
        "secret alone": lambda: {"credential": guarded.writer},
        "token": lambda: {"token": guarded.token(guarded.writer)},
        "basic": lambda: {"auth": guarded.basic("writer", guarded.writer)},
        "oauth2": lambda: {"auth": guarded.oauth2("writer", guarded.writer)},
    }[how]()


@pytest.mark.parametrize("how", ["credential", "secret alone", "token", "basic", "oauth2"])
def test_a_principal_may_do_everything(guarded, how, unique):
    use(guarded.connect(**properties_of(guarded, how)), unique)


@pytest.mark.parametrize("properties", [
    {}, {"token": "x"}, {"credential": "writer:x"}, {"credential": "x"},
    {"auth": {"type": "basic", "basic": {"username": "writer", "password": "x"}}}])
def test_others_may_do_nothing(guarded, properties):
    # The second where the client got no token.
    with pytest.raises((UnauthorizedError, OAuthError)):
        guarded.connect(**properties).list_namespaces()


def test_a_reader_reads_and_changes_nothing(guarded, unique):
    use(guarded.connect(credential=guarded.writer), unique)
    reader = guarded.connect(credential=guarded.reader)
    table = reader.load_table((unique, "t"))
    assert ids_of(table) == [1, 2]
    assert reader.table_exists((unique, "t"))
    for change in (lambda: reader.create_namespace(unique + "2"),
                   lambda: table.append(rows(3)),
                   lambda: reader.drop_table((unique, "t"))):
        with pytest.raises(ForbiddenError):
            change()
    assert ids_of(reader.load_table((unique, "t"))) == [1, 2]


def test_a_client_whose_token_ends_gets_another_one(guarded, unique):
    """The token of the session is made useless by hand; told 401, the client asks for another."""
    catalog = guarded.connect(credential=f"writer:{guarded.writer}")
    catalog.create_namespace(unique)
    manager = catalog._session.auth.auth_manager  # pylint: disable=protected-access
    assert manager.auth_header() != "Bearer gone"
    manager._token = "gone"  # pylint: disable=protected-access
    assert (unique,) in catalog.list_namespaces()
    assert manager.auth_header() != "Bearer gone"
