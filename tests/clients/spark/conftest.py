"""One Spark for all tests, with several catalogs on the server under test.

`ice` is as most users have it. Spark keeps its tables for a while; what the server has is asked of
the server itself, by `stored`.
"""

import json
import pathlib
import urllib.parse
import urllib.request

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.base import PySparkException
from pyspark.sql import SparkSession

CATALOG = "org.apache.iceberg.spark.SparkCatalog"

# How each catalog differs from `ice`.
CATALOGS = {
    "ice": {},
    "uncached": {"cache-enabled": "false"},
    "purging": {"rest-catalog-purge": "true"},
    "housed": {"warehouse": "any"},
}

# Small tables on few processors: no code is generated, and little is done in parallel.
SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.defaultCatalog": "ice",
    "spark.sql.extensions":
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
}


def pytest_addoption(parser):
    parser.addoption("--jars", type=pathlib.Path, required=True,
                     help="the directory with Iceberg's runtime for Spark")


@pytest.fixture(scope="session")
def spark(pytestconfig, server, tmp_path_factory):
    """The session that all tests share: what one sets, it unsets."""
    scratch = tmp_path_factory.mktemp("spark")
    builder = SparkSession.builder.master("local[2]").appName("suite")
    settings = {**SETTINGS, "spark.driver.extraClassPath": f"{pytestconfig.getoption('jars')}/*",
                "spark.local.dir": str(scratch), "spark.sql.warehouse.dir": str(scratch / "own")}
    for name, options in CATALOGS.items():
        settings[f"spark.sql.catalog.{name}"] = CATALOG
        for key, value in {"type": "rest", "uri": server.uri, **options}.items():
            settings[f"spark.sql.catalog.{name}.{key}"] = value
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


class Refused(Exception):
    """What Spark, Iceberg or the server had against a statement, without stack traces."""

    def __init__(self, error):
        super().__init__("\n".join(line for line in str(error).splitlines()
                                   if not line.startswith(("\t", "JVM stacktrace"))))


def run(session, statement):
    """Returns the rows of a statement. Raises Refused."""
    try:
        return session.sql(statement).collect()
    except (PySparkException, Py4JJavaError) as error:
        raise Refused(error) from None


@pytest.fixture
def sql(spark):
    """Runs a statement; returns its rows as tuples."""
    return lambda statement: [tuple(row) for row in run(spark, statement)]


@pytest.fixture
def namespace(sql, unique):
    """A new namespace with one level, in the catalog `ice`."""
    sql(f"CREATE NAMESPACE {unique}")
    return unique


@pytest.fixture
def table(sql, namespace):
    """A table with three rows, in one file for each of two partitions."""
    name = f"{namespace}.t"
    sql(f"CREATE TABLE {name} (id BIGINT, part STRING, note STRING) USING iceberg "
        "PARTITIONED BY (part)")
    sql(f"INSERT INTO {name} VALUES (1, 'a', 'one'), (2, 'a', 'two'), (3, 'b', 'three')")
    return name


class Stored:
    """What the server answers, without Spark."""

    def __init__(self, uri):
        self._uri = uri

    def table(self, name):
        """The metadata of the table `namespace.name`."""
        return self._load("tables", name)["metadata"]

    def metadata_file(self, name):
        return self._load("tables", name)["metadata-location"]

    def view(self, name):
        return self._load("views", name)["metadata"]

    def namespace(self, *levels):
        """The properties of a namespace."""
        return self._get(f"namespaces/{_encoded(levels)}")["properties"]

    def _load(self, kind, name):
        *levels, last = name.split(".")
        return self._get(f"namespaces/{_encoded(levels)}/{kind}/{urllib.parse.quote(last)}")

    def _get(self, path):
        with urllib.request.urlopen(f"{self._uri}/v1/{path}", timeout=30) as answer:
            return json.load(answer)


def schema_of(metadata):
    """The current schema of a table."""
    return next(schema for schema in metadata["schemas"]
                if schema["schema-id"] == metadata["current-schema-id"])


def columns_of(metadata):
    """Its columns: (name, type, required)."""
    return [(field["name"], field["type"], field["required"])
            for field in schema_of(metadata)["fields"]]


def transforms_of(metadata):
    """The fields that a table is partitioned by now: (name, transform)."""
    spec = next(spec for spec in metadata["partition-specs"]
                if spec["spec-id"] == metadata["default-spec-id"])
    return [(field["name"], field["transform"]) for field in spec["fields"]]


def path_of(location):
    """The path of a file: location, whichever its number of slashes."""
    return pathlib.Path(urllib.parse.urlparse(location).path)


def _encoded(levels):
    return urllib.parse.quote("\x1f".join(levels), safe="")


@pytest.fixture
def stored(server):
    return Stored(server.uri)
