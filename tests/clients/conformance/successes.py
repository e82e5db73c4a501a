"""Everything that the specification lists a success for, with answers as rich as they can be."""

import json
import pathlib

import objects
from world import FORM

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
NS = {"namespace": "ns"}


def walk(world):
    """All of them, each on what the ones before have made."""
    world.ask("getConfig", 200)
    for body in ("grant_type=client_credentials&client_id=a&client_secret=b&scope=catalog",
                 f"grant_type={EXCHANGE}&subject_token=x&subject_token_type={ACCESS_TOKEN}"):
        world.ask("getToken", 200, body, headers={"Content-Type": FORM})
    walk_namespaces(world)
    for version in (1, 2, 3):
        walk_table(world, version)
    walk_old_table(world)
    walk_tables_together(world)
    walk_views(world)
    walk_functions(world)


def pages_of(world, operation_id, names, **options):
    """Follows the tokens of a list whose pages hold one thing, and compares what they name."""
    found, token = [], ""
    while token is not None:
        query = {"pageToken": token, "pageSize": "1", **options.pop("query", {})}
        page = world.ask(operation_id, 200, query=query, **options).json
        options["query"] = {key: value for key, value in query.items() if key == "parent"}
        found += page["namespaces" if operation_id == "listNamespaces" else "identifiers"]
        token = page.get("next-page-token")
    if found != names:
        world.ledger.object(operation_id, f"expected the pages {names}, found {found}")


def walk_namespaces(world):
    for levels in (["ns"], ["ns", "a.b"], ["ns", "\u6570 /?%"], ["other"]):
        world.ask("createNamespace", 200, {"namespace": levels, "properties": {"owner": "ada"}})
    world.ask("createNamespace", 200, {"namespace": ["gone"]})
    pages_of(world, "listNamespaces", [["gone"], ["ns"], ["other"]])
    pages_of(world, "listNamespaces", [["ns", "a.b"], ["ns", "\u6570 /?%"]],
             query={"parent": "ns"})
    world.ask("listNamespaces", 200, query={"parent": "other"})
    for levels in ("ns", ["ns", "\u6570 /?%"]):
        world.ask("loadNamespaceMetadata", 200, path={"namespace": levels})
        world.ask("namespaceExists", 204, path={"namespace": levels})
    world.ask("updateProperties", 200, {"updates": {"k": "v"}, "removals": ["owner", "nothing"]},
              path=NS)
    world.ask("updateProperties", 200, {}, path=NS)
    world.ask("dropNamespace", 204, path={"namespace": "gone"})
    for operation_id in ("listTables", "listViews", "listFunctions"):
        world.ask(operation_id, 200, path={"namespace": "other"})


def walk_table(world, version):
    """The life of one table of a format version."""
    table = {**NS, "table": f"t{version}"}
    request = objects.create_table(table["table"], version)
    world.ask("createTable", 200, {**request, "stage-create": True}, path=NS)
    world.ask("createTable", 200, request, path=NS)
    world.ask("loadTable", 200, path=table)
    done = world.ask("updateTable", 200, path=table, body={
        "requirements": [{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}],
        "updates": objects.table_updates(version)})
    if done.status != 200:
        return
    compare_with_stored(world, table, done)
    world.ask("tableExists", 204, path=table)
    world.ask("loadCredentials", 200, path=table)
    for report in (objects.scan_report(), objects.commit_report()):
        world.ask("reportMetrics", 204, report, path=table)
    pages_of(world, "listTables", [objects.identifier(f"t{n}") for n in range(1, version + 1)],
             path=NS)
    given_up = world.ask("unregisterTable", 200, path=table).json
    back = {"name": table["table"], "metadata-location": given_up["metadata-location"]}
    world.ask("registerTable", 200, back, path=NS)
    world.ask("registerTable", 200, {**back, "overwrite": True}, path=NS)


def compare_with_stored(world, table, done):
    """A load shows the document that the commit stored, and says when the client has it."""
    stored = json.loads(pathlib.Path(done.json["metadata-location"][7:]).read_bytes())
    loaded = world.ask("loadTable", 200, path=table, query={"snapshots": "all"})
    if loaded.json["metadata"] != stored or done.json["metadata"] != stored:
        world.ledger.object(table["table"], "another document is stored than is answered")
    refs = world.ask("loadTable", 200, path=table, query={"snapshots": "refs"})
    if refs.headers["ETag"] == loaded.headers["ETag"]:
        world.ledger.object(table["table"], "refs and all of the snapshots have one ETag")
    if done.headers["ETag"] != loaded.headers["ETag"]:
        world.ledger.object(table["table"], "the commit had another ETag than the load after it")
    for query, held in (("all", loaded), ("refs", refs)):
        world.ask("loadTable", 304, path=table, query={"snapshots": query},
                  headers={"If-None-Match": held.headers["ETag"]})


def walk_old_table(world):
    """A table of the first days: as it is, edited, and of a later version."""
    path = world.lake.warehouse / "old.metadata.json"
    path.write_text(json.dumps(objects.version_1_file(f"file://{world.lake.warehouse}/old")))
    table = {**NS, "table": "old"}
    world.ask("registerTable", 200, {"name": "old", "metadata-location": f"file://{path}"},
              path=NS)
    world.ask("updateTable", 200, path=table,
              body={"requirements": [], "updates": [objects.set_properties(a="1")]})
    world.ask("loadTable", 200, path=table, query={"snapshots": "refs"})
    world.ask("renameTable", 204, objects.rename(objects.identifier("old"),
                                                 objects.identifier("older", "other")))
    for purge in ("true", "false"):
        if purge == "false":
            world.ask("createTable", 200, objects.create_table("older"),
                      path={"namespace": "other"})
        world.ask("dropTable", 204, path={"namespace": "other", "table": "older"},
                  query={"purgeRequested": purge})


def walk_tables_together(world):
    staged = world.ask("createTable", 200, objects.create_table("new", **{"stage-create": True}),
                       path=NS).json["metadata"]
    create = [{"action": "assign-uuid", "uuid": staged["table-uuid"]},
              {"action": "upgrade-format-version", "format-version": 2},
              {"action": "add-schema", "schema": staged["schemas"][0]},
              {"action": "set-current-schema", "schema-id": -1},
              {"action": "add-spec", "spec": staged["partition-specs"][0]},
              {"action": "set-default-spec", "spec-id": -1},
              {"action": "add-sort-order", "sort-order": staged["sort-orders"][0]},
              {"action": "set-default-sort-order", "sort-order-id": -1},
              {"action": "set-location", "location": staged["location"]}]
    world.ask("commitTransaction", 204, {"table-changes": [
        objects.change("t2", objects.set_properties(together="1")),
        objects.change("t3", objects.set_properties(together="1")),
        objects.change("new", *create, requirements=[{"type": "assert-create"}])]})
    world.ask("loadTable", 200, path={**NS, "table": "new"})


def walk_views(world):
    view = {**NS, "view": "v"}
    world.ask("createView", 200, objects.create_view("v"), path=NS)
    world.ask("createView", 200, objects.create_view("w", properties={}), path=NS)
    world.ask("viewExists", 204, path=view)
    uuid = world.ask("loadView", 200, path=view).json["metadata"]["view-uuid"]
    for number in (2, 3, 4):
        world.ask("replaceView", 200, path=view, body={
            "identifier": objects.identifier("v"),
            "requirements": [{"type": "assert-view-uuid", "uuid": uuid}],
            "updates": objects.view_updates(number)})
    loaded = world.ask("loadView", 200, path=view).json
    if len(loaded["metadata"]["versions"]) != 4:
        world.ledger.object("loadView", f"expected 4 versions, found {loaded['metadata']}")
    pages_of(world, "listViews", [objects.identifier("v"), objects.identifier("w")], path=NS)
    world.ask("renameView", 204, objects.rename(objects.identifier("w"),
                                                objects.identifier("w", "other")))
    world.ask("dropView", 204, path={"namespace": "other", "view": "w"})
    world.ask("registerView", 200, {"name": "again",
                                    "metadata-location": loaded["metadata-location"]}, path=NS)


def walk_functions(world):
    """Functions are registered by the program itself; the specification only reads them."""
    path = world.lake.warehouse / "f.json"
    path.write_text(json.dumps(objects.function_file()))
    for name in ("f", "g"):
        world.run("functions", "register", f"ns.{name}", str(path), "--file",
                  str(world.lake.file), "--warehouse", str(world.lake.warehouse))
    world.ask("loadFunction", 200, path={**NS, "function": "f"})
    pages_of(world, "listFunctions", [["ns", "f"], ["ns", "g"]], path=NS)
