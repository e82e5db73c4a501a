"""A catalog for tests: the program berglite, new for each run and gone after it.

Copy this file beside your tests. `berglite` is looked for in PATH, or named by BERGLITE_PROGRAM.
"""

import os
import subprocess
import uuid

import pytest
from pyiceberg.catalog import load_catalog


@pytest.fixture(scope="session")
def catalog_uri():
    """The URI of a server that keeps nothing. It is ready in milliseconds."""
    program = os.environ.get("BERGLITE_PROGRAM", "berglite")
    command = [program, "serve", "--ephemeral", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        # "berglite 0.1.0 at http://127.0.0.1:40123 serves ...": printed when it is ready.
        words = server.stdout.readline().split()
        assert "at" in words, f"{program} did not start"
        yield words[words.index("at") + 1]
        server.terminate()  # and it removes what it has written


@pytest.fixture
def catalog(catalog_uri):
    return load_catalog("berglite", type="rest", uri=catalog_uri)


@pytest.fixture
def namespace(catalog):
    """A namespace of the test's own, so that tests need not know of each other."""
    name = f"test_{uuid.uuid4().hex}"
    catalog.create_namespace(name)
    return name
