"""The SQL catalog of another language on the file that the server under test has, too."""

import json
import pathlib
import subprocess

import pytest
from pyiceberg.catalog.rest import RestCatalog

from clientkit.program import Server

CATALOG = "shared_by_both"


def pytest_addoption(parser):
    parser.addoption("--language", required=True, help="the one that it is written in")
    parser.addoption("--sqlcatalog", type=pathlib.Path, required=True,
                     help="the program that drives it")


class Refused(Exception):
    """What it had against a request; `kind` is the part that is the same in all languages."""

    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class SqlCatalog:
    """One process that has the file open, as long as the test."""

    def __init__(self, command, lake, name=CATALOG):
        self._process = subprocess.Popen(
            [str(word) for word in (command, lake.file, name, f"file://{lake.warehouse}", "serve")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def do(self, what, name=(), **more):
        """The value of an answer. Raises Refused."""
        request = {"do": what, "name": list(name), **more}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"ended with {self._process.wait()} instead of an answer to {request}"
        answer = json.loads(line)
        if "error" in answer:
            raise Refused(answer["error"], answer["message"])
        return answer["value"]

    def close(self):
        self._process.stdin.close()
        code = self._process.wait(60)
        self._process.stdout.close()
        assert code == 0


@pytest.fixture(scope="session")
def language(pytestconfig):
    return pytestconfig.getoption("language")


@pytest.fixture(scope="session")
def command(pytestconfig):
    return pytestconfig.getoption("sqlcatalog")


@pytest.fixture
def open_file(command, lake):
    """Opens the file of the lake in the other language, under the name of `name`."""
    opened = []

    def make(name=CATALOG):
        opened.append(SqlCatalog(command, lake, name))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


@pytest.fixture
def serve(program, lake):
    """Starts servers on that file; yields REST catalogs."""
    running = []

    def make(*options):
        running.append(Server(program, lake, options))
        return RestCatalog("suite", uri=running[-1].uri)

    yield make
    for server in running:
        server.stop()


@pytest.fixture
def theirs(open_file):
    """A file that the other language has made, before any server sees it."""
    return open_file()


@pytest.fixture
def ours(theirs, serve):
    """The server on that file, in which there is nothing yet that the name follows from."""
    return serve("--catalog-name", CATALOG)
