"""A PyIceberg user's `sqlite:///` catalog: one command, and DuckDB and Spark query it."""

import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.catalog.rest import RestCatalog

from clientkit.duckdb_client import open_duckdb
from clientkit.program import Server
from clientkit.spark_client import in_spark

PEOPLE = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "name": ["Ada", "Grace", "Edith"]})
VISITS = pa.table({"id": pa.array([2], pa.int64()), "place": ["Arlington"]})


# Where the file is, where the tables are, and how the warehouse is written: as in PyIceberg's own
# tutorial, side by side, and apart.
LAYOUTS = {
    "tutorial": ("warehouse/pyiceberg_catalog.db", "warehouse", "file://{}"),
    "beside": ("my.db", "lake", "{}"),
    "apart": ("here/my.db", "there/lake", "file://{}"),
}


class Existing:
    """A catalog that no berglite has seen."""

    def __init__(self, lake, layout):
        file, warehouse, self._form = LAYOUTS[layout]
        lake.warehouse.rmdir()
        lake.warehouse = None  # nobody tells the server
        lake.file, self.warehouse = lake.path / file, lake.path / warehouse
        lake.file.parent.mkdir(exist_ok=True)
        self.warehouse.mkdir(parents=True, exist_ok=True)
        self._file = lake.file
        made = self.open()
        made.create_namespace("crew", {"owner": "me"})
        made.create_namespace(("crew", "eu"))
        made.create_table("crew.people", PEOPLE.schema).append(PEOPLE)
        made.create_table("crew.eu.visits", VISITS.schema).append(VISITS)
        made.close()

    def open(self):
        """As its owner does."""
        return load_catalog("my_own", type="sql", uri=f"sqlite:///{self._file}",
                            warehouse=self._form.format(self.warehouse))


@pytest.fixture
def serve(program, lake):
    """Starts `berglite serve --file FILE` (on any free port)."""
    running = []

    def make():
        running.append(Server(program, lake))
        return running[-1].uri

    yield make
    for server in running:
        server.stop()


def rows_in_duckdb(uri, scratch, query):
    connection = open_duckdb(scratch)
    connection.execute(f"ATTACH '' AS lake (TYPE ICEBERG, ENDPOINT '{uri}', "
                       "AUTHORIZATION_TYPE 'none')")
    found = connection.execute(query).fetchall()
    connection.close()
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_command_serves_it(lake, serve, tmp_path, layout):
    existing = Existing(lake, layout)
    uri = serve()
    query = "SELECT id, name FROM lake.crew.people ORDER BY id"
    assert rows_in_duckdb(uri, tmp_path, query) == [(1, "Ada"), (2, "Grace"), (3, "Edith")]
    rest = RestCatalog("rest", uri=uri)
    assert rest.load_namespace_properties("crew")["owner"] == "me"
    assert rest.load_table("crew.eu.visits").scan().to_arrow().to_pylist() == VISITS.to_pylist()
    rest.load_table("crew.people").append(PEOPLE)
    made = rest.create_table("crew.more", VISITS.schema)
    assert made.location().startswith(f"file://{existing.warehouse}/")
    own = existing.open()
    assert len(own.load_table("crew.people").scan().to_arrow()) == 2 * len(PEOPLE)
    assert ("crew", "more") in own.list_tables("crew")
    own.close()


def test_spark_reads_and_appends_and_pyiceberg_sees_it(lake, serve, pytestconfig):
    existing = Existing(lake, "tutorial")
    people, visits, _, total = in_spark(
        pytestconfig, serve(), "SELECT * FROM ice.crew.people ORDER BY id",
        "SELECT * FROM ice.crew.eu.visits", "INSERT INTO ice.crew.people VALUES (4, 'Katherine')",
        "SELECT count(*) FROM ice.crew.people")
    assert people == [[1, "Ada"], [2, "Grace"], [3, "Edith"]]
    assert visits == [[2, "Arlington"]]
    assert total == [[4]]
    own = existing.open()
    rows = own.load_table("crew.people").scan().to_arrow().sort_by("id").to_pylist()
    own.close()
    assert rows == [*PEOPLE.to_pylist(), {"id": 4, "name": "Katherine"}]
