"""Everything that the specification lists an error of the client for."""

import base64
import json

import objects
from clientkit.program import add_principal
from successes import ACCESS_TOKEN, EXCHANGE, NS
from world import FORM

TABLE = {**NS, "table": "t"}
VIEW = {**NS, "view": "v"}
FUNCTION = {**NS, "function": "f"}
GUESSES_MAX = 100
STRANGER = {"Host": "catalog.example"}
BODY = {"updates": [objects.set_properties(a="1")], "requirements": []}
STALE_UUID = {"uuid": "00000000-0000-7000-8000-000000000000"}

# A request for each operation that may be answered to a client that is allowed to make it.
REQUESTS = {
    "getConfig": {}, "listNamespaces": {}, "createNamespace": {"body": {"namespace": ["new"]}},
    "loadNamespaceMetadata": {"path": NS}, "namespaceExists": {"path": NS},
    "dropNamespace": {"path": {"namespace": "new"}},
    "updateProperties": {"path": NS, "body": {"updates": {"a": "1"}}},
    "listTables": {"path": NS}, "createTable": {"path": NS, "body": objects.create_table("new")},
    "listFunctions": {"path": NS}, "loadFunction": {"path": FUNCTION},
    "registerTable": {"path": NS, "body": {"name": "new", "metadata-location": "file:///none"}},
    "loadTable": {"path": TABLE}, "updateTable": {"path": TABLE, "body": BODY},
    "dropTable": {"path": TABLE}, "tableExists": {"path": TABLE},
    "unregisterTable": {"path": TABLE}, "loadCredentials": {"path": TABLE},
    "renameTable": {"body": objects.rename(objects.identifier("t"), objects.identifier("t2"))},
    "reportMetrics": {"path": TABLE, "body": objects.commit_report()},
    "commitTransaction": {"body": {"table-changes": [
        objects.change("t", objects.set_properties(a="1"))]}},
    "listViews": {"path": NS}, "createView": {"path": NS, "body": objects.create_view("new")},
    "loadView": {"path": VIEW}, "replaceView": {"path": VIEW, "body": BODY},
    "dropView": {"path": VIEW}, "viewExists": {"path": VIEW},
    "renameView": {"body": objects.rename(objects.identifier("v"), objects.identifier("v2"))},
    "registerView": {"path": NS, "body": {"name": "new", "metadata-location": "file:///none"}},
}
UNSERVED = {
    "planTableScan": {"path": TABLE, "body": {}}, "signRequest": {"path": TABLE, "body": {}},
    "fetchPlanningResult": {"path": {**TABLE, "plan-id": "p"}},
    "cancelPlanning": {"path": {**TABLE, "plan-id": "p"}},
    "fetchScanTasks": {"path": TABLE, "body": {"plan-task": "x"}},
}


def walk(world):
    world.ask("createNamespace", 200, {"namespace": ["ns"]})
    world.ask("createTable", 200, objects.create_table("t"), path=NS)
    world.ask("createView", 200, objects.create_view("v"), path=NS)
    walk_strangers(world)
    walk_unserved(world)
    walk_bad_targets(world)
    walk_bad_bodies(world)
    walk_bad_updates(world)
    walk_bad_files(world)
    walk_missing(world)
    walk_conflicts(world)
    walk_bad_token_requests(world)
    walk_warehouses(world)


def walk_strangers(world):
    """Whoever reaches the server under a foreign name is not let in, whatever he asks for."""
    for operation_id, request in REQUESTS.items():
        world.ask(operation_id, 403, error="ForbiddenException", headers=STRANGER, **request)


def walk_unserved(world):
    for operation_id, request in UNSERVED.items():
        world.ask(operation_id, 406, error="UnsupportedOperationException", **request)


def walk_bad_targets(world):
    """Names and parameters that cannot be."""
    for operation_id, request in REQUESTS.items():
        path = dict(request.get("path", {}))
        for name in path:
            for value in ("a\0b", "x" * 1025):
                world.ask(operation_id, 400, **{**request, "path": {**path, name: value}})
    world.ask("getConfig", 400, query={"warehouse": b"\xff"})
    for operation_id in ("listNamespaces", "listTables", "listViews", "listFunctions"):
        path = {} if operation_id == "listNamespaces" else NS
        for query in ({"pageSize": "0"}, {"pageSize": "-1"}, {"pageSize": "x"},
                      {"pageToken": "unknown"}):
            world.ask(operation_id, 400, error="IllegalArgumentException", path=path, query=query)
    world.ask("loadTable", 400, path=TABLE, query={"snapshots": "some"})
    world.ask("dropTable", 400, path=TABLE, query={"purgeRequested": "maybe"})
    for operation_id, request in REQUESTS.items():
        operation = world.ledger.specification.operations[operation_id]
        if any(each.name == "Idempotency-Key" for each in operation.parameters):
            world.ask(operation_id, 400, headers={"Idempotency-Key": "no UUID"}, **request)


def walk_bad_bodies(world):
    """Bodies that are no JSON, no object, or lack what is required."""
    for operation_id, request in REQUESTS.items():
        if "body" not in request:
            continue
        kept = {name: value for name, value in request.items() if name != "body"}
        for body in ("", "{", "[]", "null", '{"a":1,}', b"\xff"):
            world.ask(operation_id, 400, body, **kept)
        world.ask(operation_id, 400, headers={"Content-Type": "text/plain"}, **request)
        if operation_id not in ("updateProperties", "updateTable", "replaceView"):
            world.ask(operation_id, 400, {}, **kept)
        if operation_id == "reportMetrics":
            continue  # what is in a report is its sender's business
        for name in request["body"]:
            for wrong in (7, "x", [7], {"x": 7}):
                if wrong != "x" or name not in ("name", "metadata-location"):
                    world.ask(operation_id, 400, {**request["body"], name: wrong}, **kept)


def walk_bad_updates(world):
    """Updates and requirements that are unknown or break a rule."""
    good = objects.set_properties(a="1")
    for updates in ([{"action": "frobnicate"}], [good, {"action": "add-partition-spec"}], [{}],
                    [{"action": "set-current-schema", "schema-id": 99}], ["x"],
                    [{"action": "upgrade-format-version", "format-version": 0}]):
        world.ask("updateTable", 400, {"requirements": [], "updates": updates}, path=TABLE)
        world.ask("replaceView", 400, {"requirements": [], "updates": updates}, path=VIEW)
        world.ask("commitTransaction", 400, {"table-changes": [objects.change("t", *updates)]})
    unknown = [{"type": "assert-foo"}]
    for operation_id, path in (("updateTable", TABLE), ("replaceView", VIEW)):
        world.ask(operation_id, 400, {"requirements": unknown, "updates": [good]}, path=path)
    for version in (0, 4, "x"):
        request = objects.create_table("bad", properties={"format-version": str(version)})
        world.ask("createTable", 400, request, path=NS)
    for location in ("file:///etc", "s3://bucket/t", "relative"):
        world.ask("createTable", 400, objects.create_table("bad", location=location), path=NS)
        world.ask("createView", 400, objects.create_view("bad", location=location), path=NS)
    world.ask("createNamespace", 400, {"namespace": [""]})
    world.ask("createNamespace", 400, {"namespace": ["a"], "properties": {"exists": "true"}})
    world.ask("updateProperties", 422, {"updates": {"a": "1"}, "removals": ["a"]}, path=NS,
              error="UnprocessableEntityException")


def walk_bad_files(world):
    """Metadata files that are not there, not readable, or not allowed."""
    bad = world.lake.warehouse / "bad.metadata.json"
    bad.write_text(json.dumps({"format-version": 2}))
    for operation_id in ("registerTable", "registerView"):
        for location, status in ((f"file://{bad}", 400), ("file:///etc/passwd", 400),
                                 (f"file://{world.lake.warehouse}/none.metadata.json", 404)):
            world.ask(operation_id, status, {"name": "r", "metadata-location": location}, path=NS)


def walk_missing(world):
    """Namespaces, tables, views and functions that do not exist."""
    for operation_id, request in REQUESTS.items():
        body = request.get("body")
        if body and "metadata-location" in body:
            load, path = (("loadView", VIEW) if operation_id == "registerView"
                          else ("loadTable", TABLE))
            location = world.ask(load, 200, path=path).json["metadata-location"]
            body = {**body, "metadata-location": location}
        for name in request.get("path", {}):
            path = {**request["path"], name: "missing"}
            world.ask(operation_id, 404, body, path=path)
    gone = objects.identifier("gone")
    nowhere = objects.identifier("t2", "nowhere")
    world.ask("listNamespaces", 404, query={"parent": "missing"},
              error="NoSuchNamespaceException")
    for operation_id, name, error in (("renameTable", "t", "NoSuchTableException"),
                                      ("renameView", "v", "NoSuchViewException")):
        world.ask(operation_id, 404, objects.rename(gone, objects.identifier("x")), error=error)
        world.ask(operation_id, 404, objects.rename(objects.identifier(name), nowhere),
                  error="NoSuchNamespaceException")
    world.ask("commitTransaction", 404, error="NoSuchTableException", body={"table-changes": [
        objects.change("t", objects.set_properties(a="1")),
        objects.change("gone", objects.set_properties(a="1"))]})
    prefix = {"prefix": "nowhere"}
    world.ask("loadTable", 404, path={**TABLE, **prefix})


def walk_conflicts(world):
    """Names that are taken, and requirements that do not hold."""
    taken = "AlreadyExistsException"
    world.ask("createNamespace", 409, {"namespace": ["ns"]}, error=taken)
    world.ask("dropNamespace", 409, path=NS, error="NamespaceNotEmptyException")
    for name in ("t", "v"):
        world.ask("createTable", 409, objects.create_table(name), path=NS, error=taken)
        world.ask("createView", 409, objects.create_view(name), path=NS, error=taken)
        for operation_id, source in (("renameTable", "t"), ("renameView", "v")):
            if name != source:
                world.ask(operation_id, 409, error=taken, body=objects.rename(
                    objects.identifier(source), objects.identifier(name)))
    for operation_id, load, path, name in (("registerTable", "loadTable", TABLE, "t"),
                                           ("registerView", "loadView", VIEW, "v")):
        location = world.ask(load, 200, path=path).json["metadata-location"]
        world.ask(operation_id, 409, {"name": name, "metadata-location": location}, path=NS,
                  error=taken)
    failed = "CommitFailedException"
    stale = [{"type": "assert-table-uuid", **STALE_UUID}]
    world.ask("updateTable", 409, {**BODY, "requirements": stale}, path=TABLE, error=failed)
    world.ask("updateTable", 409, {**BODY, "requirements": [{"type": "assert-create"}]},
              path=TABLE, error=failed)
    world.ask("commitTransaction", 409, error=failed, body={"table-changes": [
        objects.change("t", objects.set_properties(a="1"), requirements=stale)]})
    stale = [{"type": "assert-view-uuid", **STALE_UUID}]
    world.ask("replaceView", 409, {**BODY, "requirements": stale}, path=VIEW, error=failed)


def walk_bad_token_requests(world):
    for body in ("", "grant_type=", "grant_type=password&username=a", "client_id=a", "%FF=x"):
        world.ask("getToken", 400, body, headers={"Content-Type": FORM})
    world.ask("getToken", 400, '{"grant_type":"client_credentials"}')


def walk_warehouses(world):
    """The file gets a second catalog, and then not every warehouse is the same."""
    world.run("warehouses", "add", "second", "--file", str(world.lake.file))
    for warehouse in ("default", "second"):
        config = world.ask("getConfig", 200, query={"warehouse": warehouse}).json
        if config["overrides"].get("prefix") != warehouse:
            world.ledger.object("getConfig", f"expected the prefix {warehouse}, found {config}")
    world.ask("getConfig", 404, query={"warehouse": "nope"}, error="NoSuchWarehouseException")


def walk_with_authentication(world):
    """Whoever is not known, or may only read."""
    secret = add_principal(world.program, world.lake, "writer")
    reader = add_principal(world.program, world.lake, "reader", "--read-only")
    for operation_id, request in {**REQUESTS, **UNSERVED}.items():
        world.ask(operation_id, 401, error="NotAuthorizedException", **request)
        world.ask(operation_id, 401, error="NotAuthorizedException",
                  headers={"Authorization": "Bearer wrong"}, **request)
    walk_tokens(world, secret)
    token = f"grant_type=client_credentials&client_id=reader&client_secret={reader}"
    world.headers = {"Authorization": "Bearer " + world.ask(
        "getToken", 200, token, headers={"Content-Type": FORM}).json["access_token"]}
    reads = ("reportMetrics",)
    for operation_id, request in REQUESTS.items():
        operation = world.ledger.specification.operations[operation_id]
        if operation.method in ("POST", "DELETE") and operation_id not in reads:
            world.ask(operation_id, 403, error="NotAuthorizedException", **request)
    world.ask("listNamespaces", 200)
    # The file has no 403 for it, and no reason why: a foreign name is refused here as elsewhere.
    world.ask("viewExists", 403, headers=STRANGER, path=VIEW)


def walk_tokens(world, secret):
    """Everything that is wrong with a request for a token, and all ways to get one."""
    form = {"Content-Type": FORM}
    client = "grant_type=client_credentials&client_id=writer&client_secret="
    for body in (client + "wrong", client, "grant_type=client_credentials"):
        world.ask("getToken", 401, body, headers=form)
    token = world.ask("getToken", 200, client + secret, headers=form).json["access_token"]
    basic = base64.b64encode(f"writer:{secret}".encode()).decode()
    world.ask("getToken", 200, "grant_type=client_credentials",
              headers={**form, "Authorization": f"Basic {basic}"})
    exchange = f"grant_type={EXCHANGE}&subject_token_type={ACCESS_TOKEN}&subject_token="
    world.ask("getToken", 200, exchange + token, headers=form)
    world.ask("getToken", 200, f"grant_type=refresh_token&refresh_token={token}", headers=form)
    for body in (exchange + "wrong", "grant_type=refresh_token&refresh_token=wrong",
                 "grant_type=password", "grant_type=client_credentials&scope=%22",
                 f"grant_type={EXCHANGE}", f"grant_type={EXCHANGE}&subject_token={token}&"
                 "subject_token_type=urn:ietf:params:oauth:token-type:saml2"):
        world.ask("getToken", 400, body, headers=form)
    world.ask("getToken", 400, query={"grant_type": b"\xff"})


def walk_guesses(world):
    """Whoever is wrong too often must wait."""
    add_principal(world.program, world.lake, "writer")
    guess = "grant_type=client_credentials&client_id=writer&client_secret=guess"
    status = 401
    for _ in range(GUESSES_MAX):
        if world.probe("getToken", guess, {"Content-Type": FORM}) != 401:
            status = 429
            break
    world.ask("getToken", status, guess, headers={"Content-Type": FORM})
