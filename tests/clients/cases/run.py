#!/usr/bin/env python3
"""Behaviour that catalogs have been found wanting in, over HTTP against the built program.

    run.py PROGRAM [UNITTEST ARGUMENT]...

Standard library only: what is sent is exactly what is written here, byte for byte.
"""

import gzip
import http.client
import json
import os
import pathlib
import re
import socket
import sqlite3
import sys
import threading
import unittest
import urllib.parse
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import suite  # noqa: E402
from clientkit.program import Lake, Server  # noqa: E402

PROGRAM = None
SCHEMA = {"type": "struct", "fields": [
    {"id": 1, "name": "id", "type": "long", "required": True},
    {"id": 2, "name": "data", "type": "string", "required": False}]}


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error_type(self):
        return self.json["error"]["type"]


class Case(unittest.TestCase):
    """A test with a server of its own and a kept connection to it."""

    OPTIONS = ()

    def setUp(self):
        self.lake = Lake()
        self.addCleanup(self.lake.remove)
        self.server = Server(PROGRAM, self.lake, self.OPTIONS)
        self.addCleanup(lambda: self.server.kill())
        self.port = urllib.parse.urlsplit(self.server.uri).port
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        self.addCleanup(self.connection.close)

    def call(self, method, target, body=None, headers=None, connection=None):
        connection = connection or self.connection
        headers = dict(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        connection.request(method, "/v1" + target, body=body, headers=headers)
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())

    def ok(self, method, target, body=None, status=200, **options):
        answer = self.call(method, target, body, **options)
        self.assertEqual(answer.status, status, answer.body)
        return answer.json if answer.body else None

    def refused(self, status, error_type, method, target, body=None, **options):
        answer = self.call(method, target, body, **options)
        self.assertEqual(answer.status, status, answer.body)
        error = answer.json["error"]
        self.assertEqual(error["type"], error_type, error)
        self.assertEqual(error["code"], status)
        self.assertTrue(error["message"])
        return error["message"]

    def make_namespace(self, *levels):
        self.ok("POST", "/namespaces", {"namespace": list(levels)})

    def make_table(self, name="t", namespace="ns", **request):
        if self.call("HEAD", f"/namespaces/{namespace}").status == 404:
            self.make_namespace(namespace)
        return self.ok("POST", f"/namespaces/{namespace}/tables",
                       {"name": name, "schema": SCHEMA, **request})

    def make_view(self, name="v", text="select 1"):
        return self.ok("POST", "/namespaces/ns/views", {
            "name": name, "schema": SCHEMA, "view-version": view_version(text),
            "properties": {"owner": "ada"}})

    def commit(self, *updates, requirements=(), table="t", status=200, connection=None):
        answer = self.call("POST", f"/namespaces/ns/tables/{table}",
                           {"requirements": list(requirements), "updates": list(updates)},
                           connection=connection)
        self.assertEqual(answer.status, status, answer.body)
        return answer.json

    def load(self, table="t", query=""):
        return self.ok("GET", f"/namespaces/ns/tables/{table}{query}")

    def files(self, suffix=""):
        return [path for path in self.lake.warehouse.rglob("*")
                if path.is_file() and path.name.endswith(suffix)]

    def register(self, name, text, status=200, table="r"):
        path = self.lake.warehouse / name
        path.write_bytes(text)
        answer = self.call("POST", "/namespaces/ns/register",
                           {"name": table, "metadata-location": f"file://{path}"})
        self.assertEqual(answer.status, status, answer.body)
        return answer.json


def view_version(text, schema_id=0, number=1):
    return {"version-id": number, "timestamp-ms": 1_900_000_000_000 + number, "summary": {},
            "schema-id": schema_id, "default-namespace": ["ns"],
            "representations": [{"type": "sql", "sql": text, "dialect": "spark"}]}


def set_properties(**properties):
    return {"action": "set-properties", "updates": properties}


def snapshot(number, parent=None, sequence=None):
    added = {"snapshot-id": number, "sequence-number": number if sequence is None else sequence,
             "timestamp-ms": 1_900_000_000_000 + number, "manifest-list": f"file:///none/{number}",
             "summary": {"operation": "append"}, "schema-id": 0}
    if parent is not None:
        added["parent-snapshot-id"] = parent
    return {"action": "add-snapshot", "snapshot": added}


def set_main(number):
    return {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch",
            "snapshot-id": number}


class Names(Case):
    def test_slash_in_a_table_name_is_part_of_it(self):
        self.make_table("foo/bar")
        table = self.ok("GET", "/namespaces/ns/tables/foo%2Fbar")
        listed = self.ok("GET", "/namespaces/ns/tables")["identifiers"]
        self.assertEqual(listed, [{"namespace": ["ns"], "name": "foo/bar"}])
        location = table["metadata"]["location"]
        self.assertTrue(location.startswith(f"file://{self.lake.warehouse}/ns/"), location)
        self.assertEqual(location.count("/"), f"file://{self.lake.warehouse}/ns/t".count("/"))

    def test_plus_and_space(self):
        self.make_namespace("a b")
        for path in ("a+b", "a%20b"):
            self.assertEqual(self.ok("GET", f"/namespaces/{path}")["namespace"], ["a b"])
        self.make_namespace("a+b")
        self.assertEqual(self.ok("GET", "/namespaces/a%2Bb")["namespace"], ["a+b"])
        java = {"X-Client-Git-Commit-Short": "abcdef1"}
        self.assertEqual(self.ok("GET", "/namespaces/a+b", headers=java)["namespace"], ["a b"])
        self.assertEqual(self.ok("GET", "/namespaces/a+b")["namespace"], ["a+b"])

    def test_separator_in_every_spelling(self):
        self.make_namespace("a", "b")
        for separator in ("%1F", "%1f"):
            found = self.ok("GET", f"/namespaces/a{separator}b")
            self.assertEqual(found["namespace"], ["a", "b"])
        advertised = self.ok("GET", "/config")["overrides"]["namespace-separator"]
        self.assertEqual(self.ok("GET", f"/namespaces/a{advertised}b")["namespace"], ["a", "b"])
        self.assertEqual(raw_exchange(self.port, b"GET /v1/namespaces/a\x1fb HTTP/1.1\r\n"
                                      b"Host: localhost\r\n\r\n")[0], 200)

    def test_dots_in_levels_are_no_separators(self):
        self.make_namespace("a.b")
        self.make_namespace("a", "b")
        self.assertEqual(self.ok("GET", "/namespaces")["namespaces"], [["a"], ["a.b"]])
        self.assertEqual(self.ok("GET", "/namespaces?parent=a")["namespaces"], [["a", "b"]])

    def test_names_are_no_patterns_and_no_prefixes(self):
        self.make_namespace("my_ns_112_1")
        self.assertEqual(self.call("HEAD", "/namespaces/my_ns_1_2").status, 404)
        self.make_namespace("my_ns_1_2")
        self.make_namespace("db", "ns1")
        self.make_namespace("db2", "ns4")
        self.assertEqual(self.ok("GET", "/namespaces?parent=db")["namespaces"], [["db", "ns1"]])
        self.make_namespace("my_ns")
        self.make_table("t", "my_ns_1")
        self.ok("DELETE", "/namespaces/my_ns", status=204)
        self.assertEqual(self.call("HEAD", "/namespaces/my_ns").status, 404)
        self.assertEqual(self.call("HEAD", "/namespaces/my_ns_1").status, 204)

    def test_exotic_names(self):
        self.make_namespace("\u6570\u636e")
        for name in ("Special-Table!_With.Multiple_Uses_Of@Chars#-Here~And*Here!name",
                     "\U0001f600 smile", "\u00fc" * 150, "..", "a%2Fb", "'; DROP TABLE x; --"):
            path = f"/namespaces/{urllib.parse.quote(chr(0x6570) + chr(0x636e))}/tables"
            made = self.ok("POST", path, {"name": name, "schema": SCHEMA})
            found = self.ok("GET", f"{path}/{urllib.parse.quote(name, safe='')}")
            self.assertEqual(found, made)
            self.assertRegex(made["metadata"]["location"], r"^file:///[A-Za-z0-9._/-]+$")
            self.assertTrue(os.path.isfile(made["metadata-location"][7:]))

    def test_names_that_no_url_can_carry_are_refused(self):
        for levels in ([], [""], ["a", ""], ["a\0"], ["a\x1fb"], ["x" * 1025], ["a"] * 33, "a",
                       [1], None):
            self.refused(400, "IllegalArgumentException", "POST", "/namespaces",
                         {"namespace": levels})
        self.assertEqual(self.call("GET", "/namespaces/a%00b").status, 400)
        self.assertEqual(self.call("GET", "/namespaces/a%FFb").status, 400)
        self.assertEqual(self.ok("GET", "/namespaces")["namespaces"], [])

    def test_listing_of_a_parent_that_was_encoded_twice(self):
        self.make_namespace("TEST NS", "x")
        for parent in ("TEST%20NS", "TEST%2520NS", "TEST+NS"):
            listed = self.ok("GET", f"/namespaces?parent={parent}")["namespaces"]
            self.assertEqual(listed, [["TEST NS", "x"]])


class Lists(Case):
    def test_pages_name_everything_once(self):
        for name in "edcba":
            self.make_table(name)
        names, token, sizes = [], "", []
        while token is not None:
            page = self.ok("GET", f"/namespaces/ns/tables?pageToken={token}&pageSize=2")
            names += [each["name"] for each in page["identifiers"]]
            sizes.append(len(page["identifiers"]))
            token = page.get("next-page-token")
        self.assertEqual(names, list("abcde"))
        self.assertEqual(sizes, [2, 2, 1])

    def test_bad_page_inputs(self):
        self.make_table()
        for query in ("pageSize=0", "pageSize=-1", "pageSize=abc", "pageToken=zzz", "pageSize=1.5"):
            for path in ("/namespaces", "/namespaces/ns/tables", "/namespaces/ns/views",
                         "/namespaces/ns/functions"):
                self.refused(400, "IllegalArgumentException", "GET", f"{path}?{query}")

    def test_without_a_token_everything_comes_at_once(self):
        for i in range(5):
            self.make_table(f"t{i}")
        listed = self.ok("GET", "/namespaces/ns/tables?pageSize=2")
        self.assertEqual(len(listed["identifiers"]), 5)
        self.assertIsNone(listed.get("next-page-token"))


class Statuses(Case):
    def test_head_has_a_status_and_nothing_else(self):
        self.make_table()
        self.make_view()
        for path, status in (("/namespaces/ns", 204), ("/namespaces/no", 404),
                             ("/namespaces/ns/tables/t", 204), ("/namespaces/ns/tables/no", 404),
                             ("/namespaces/ns/tables/v", 404), ("/namespaces/no/tables/t", 404),
                             ("/namespaces/ns/views/v", 204), ("/namespaces/ns/views/no", 404),
                             ("/namespaces/ns/views/t", 404), ("/namespaces/no/views/v", 404),
                             ("/config", 200), ("/namespaces", 200), ("/tables/rename", 405)):
            answer = self.call("HEAD", path)
            self.assertEqual((answer.status, answer.body), (status, b""))
        self.ok("GET", "/config")  # the connection is still in step

    def test_unreadable_bodies(self):
        for body in ("{", "[]", "", "nul", "{\"namespace\":[\"a\"],}", "[" * 200 + "]" * 200,
                     b"{\"namespace\":[\"\xff\"]}"):
            answer = self.call("POST", "/namespaces", body)
            self.assertEqual(answer.status, 400, body)
            self.assertEqual(set(answer.json["error"]), {"message", "type", "code"})
            self.assertNotRegex(answer.json["error"]["message"], r"nlohmann|json\.exception|\.cc")
        answer = self.call("POST", "/namespaces", "{\"namespace\":[\"a\"]}",
                           headers={"Content-Type": "text/plain"})
        self.assertEqual(answer.status, 400)
        self.assertEqual(self.ok("GET", "/namespaces")["namespaces"], [])

    def test_any_warehouse_is_this_one(self):
        for query in ("?warehouse=nope", "?warehouse=", "?warehouse=s3://x/", ""):
            config = self.ok("GET", f"/config{query}")
            self.assertIsInstance(config["defaults"], dict)
            self.assertIsInstance(config["overrides"], dict)

    def test_tokens_are_given_to_anybody(self):
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
        for body in ("grant_type=client_credentials&client_secret=x",
                     "grant_type=client_credentials&client_id=a&client_secret=b&scope=catalog"):
            token = self.ok("POST", "/oauth/tokens", body, headers=form)
            self.assertEqual(token["token_type"].lower(), "bearer")
            self.assertTrue(token["access_token"])
        answer = self.ok("POST", "/oauth/tokens", headers=form, body=urllib.parse.urlencode(
            {"grant_type": exchange, "subject_token": "x",
             "subject_token_type": "urn:ietf:params:oauth:token-type:access_token"}))
        self.assertIn("issued_token_type", answer)
        basic = {"Authorization": "Basic YTpi"}
        self.ok("POST", "/oauth/tokens", "grant_type=client_credentials",
                headers={**form, **basic})
        for anything in ("Basic YTpi", "Bearer None", "Bearer", "Negotiate x"):
            self.ok("GET", "/config", headers={"Authorization": anything})
        answer = self.call("POST", "/oauth/tokens", "grant_type=frobnicate", headers=form)
        self.assertEqual((answer.status, answer.json["error"]), (400, "unsupported_grant_type"))

    def test_namespace_properties(self):
        self.make_namespace("ns")
        self.refused(422, "UnprocessableEntityException", "POST", "/namespaces/ns/properties",
                     {"removals": ["k"], "updates": {"k": "v"}})
        answer = self.ok("POST", "/namespaces/ns/properties", {"removals": ["k2"]})
        self.assertEqual(answer, {"updated": [], "removed": [], "missing": ["k2"]})

    def test_unknown_paths_and_methods(self):
        self.refused(404, "NotFoundException", "GET", "/nothing")
        answer = self.call("PATCH", "/namespaces")
        self.assertEqual(answer.status, 405)
        self.assertEqual(answer.headers["Allow"].replace(" ", ""), "GET,POST,HEAD")
        self.assertEqual(self.call("OPTIONS", "/namespaces").status, 405)

    def test_what_is_not_served_says_so(self):
        self.make_table()
        advertised = set(self.ok("GET", "/config")["endpoints"])
        path = "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan"
        self.assertNotIn(path, advertised)
        self.refused(406, "UnsupportedOperationException", "POST", "/namespaces/ns/tables/t/plan",
                     {})

    def test_host_of_a_stranger_is_refused(self):
        answer = self.call("GET", "/config", headers={"Host": "evil.example"})
        self.assertEqual(answer.status, 403)
        answer = self.call("GET", "/config", headers={"Host": f"localhost:{self.port}"})
        self.assertEqual(answer.status, 200)


class Concurrency(Case):
    def in_parallel(self, count, body):
        outcomes = []
        lock = threading.Lock()

        def run(index):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            outcome = body(index, connection)
            connection.close()
            with lock:
                outcomes.append(outcome)

        threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return outcomes

    def test_creates_of_one_name_have_one_winner(self):
        self.make_namespace("ns")
        statuses = self.in_parallel(100, lambda i, connection: self.call(
            "POST", "/namespaces/ns/tables", {"name": "t", "schema": SCHEMA},
            connection=connection).status)
        self.assertEqual((statuses.count(200), statuses.count(409)), (1, 99))
        self.assertEqual(len(self.files(".metadata.json")), 1)

    def test_appends_to_one_parent_have_one_winner(self):
        self.make_table()
        self.commit(snapshot(1), set_main(1))
        stale = [{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 1}]
        self.commit(snapshot(2, 1), set_main(2), requirements=stale)
        answer = self.commit(snapshot(3, 1, 2), set_main(3), requirements=stale, status=409)
        self.assertEqual(answer["error"]["type"], "CommitFailedException")
        self.assertEqual(self.load()["metadata"]["current-snapshot-id"], 2)

    def test_two_servers_on_one_file_never_answer_500(self):
        other = Server(PROGRAM, self.lake)
        self.addCleanup(other.kill)
        ports = (self.port, urllib.parse.urlsplit(other.uri).port)
        self.make_table("shared")

        def work(index, unused):
            connection = http.client.HTTPConnection("127.0.0.1", ports[index % 2], timeout=60)
            statuses = []
            for turn in range(6):
                name = f"t{index}x{turn}"
                rename = {"source": {"namespace": ["ns"], "name": name},
                          "destination": {"namespace": ["ns"], "name": name + "r"}}
                for method, target, body in (
                        ("POST", "/namespaces/ns/tables", {"name": name, "schema": SCHEMA}),
                        ("POST", "/namespaces/ns/tables/shared",
                         {"updates": [set_properties(**{name: "1"})]}),
                        ("POST", "/tables/rename", rename),
                        ("GET", "/namespaces/ns/tables", None)):
                    statuses.append(self.call(method, target, body, connection=connection).status)
            connection.close()
            return statuses

        statuses = [status for each in self.in_parallel(16, work) for status in each]
        self.assertEqual(set(statuses) - {200, 204, 409}, set())
        properties = self.load("shared")["metadata"]["properties"]
        committed = sum(key.startswith("t") for key in properties)
        self.assertEqual(committed, 16 * 6)

    def test_transaction_is_all_or_nothing(self):
        self.make_table("t1")
        self.make_table("t2")

        def change(name, value, schema_id=0):
            return {"identifier": {"namespace": ["ns"], "name": name},
                    "requirements": [{"type": "assert-current-schema-id",
                                      "current-schema-id": schema_id}],
                    "updates": [set_properties(value=value)]}

        before = self.load("t1")
        message = self.refused(409, "CommitFailedException", "POST", "/transactions/commit",
                               {"table-changes": [change("t1", "a"), change("t2", "a", 1)]})
        self.assertIn("current schema changed: expected id 1 != 0", message)
        self.assertEqual(self.load("t1"), before)
        self.ok("POST", "/transactions/commit", status=204,
                body={"table-changes": [change("t1", "b"), change("t2", "b")]})
        for name in ("t1", "t2"):
            self.assertEqual(self.load(name)["metadata"]["properties"]["value"], "b")

    def test_transaction_creates_and_updates_together(self):
        self.make_table("t")
        staged = self.ok("POST", "/namespaces/ns/tables",
                         {"name": "new", "schema": SCHEMA, "stage-create": True})["metadata"]
        create = {"identifier": {"namespace": ["ns"], "name": "new"},
                  "requirements": [{"type": "assert-create"}],
                  "updates": [{"action": "assign-uuid", "uuid": staged["table-uuid"]},
                              {"action": "add-schema", "schema": staged["schemas"][0]},
                              {"action": "set-current-schema", "schema-id": -1},
                              {"action": "add-spec", "spec": {"fields": []}},
                              {"action": "set-default-spec", "spec-id": -1},
                              {"action": "add-sort-order",
                               "sort-order": {"order-id": 0, "fields": []}},
                              {"action": "set-default-sort-order", "sort-order-id": -1},
                              {"action": "set-location", "location": staged["location"]}]}

        def update(last_column_id):
            return {"identifier": {"namespace": ["ns"], "name": "t"},
                    "requirements": [{"type": "assert-last-assigned-field-id",
                                      "last-assigned-field-id": last_column_id}],
                    "updates": [set_properties(together="1")]}

        self.refused(409, "CommitFailedException", "POST", "/transactions/commit",
                     {"table-changes": [create, update(7)]})
        self.assertEqual(self.call("HEAD", "/namespaces/ns/tables/new").status, 404)
        self.assertEqual(len(self.files(".metadata.json")), 1)
        self.ok("POST", "/transactions/commit", {"table-changes": [create, update(2)]}, status=204)
        self.assertEqual(self.load("new")["metadata"]["table-uuid"], staged["table-uuid"])
        self.assertEqual(self.load()["metadata"]["properties"]["together"], "1")
        self.refused(409, "CommitFailedException", "POST", "/transactions/commit",
                     {"table-changes": [update(2), create]})

    def test_key_of_a_failure_is_free_and_that_of_a_conflict_is_not(self):
        self.assertRegex(self.ok("GET", "/config")["idempotency-key-lifetime"], r"^PT\d+M$")
        self.make_namespace("ns")
        key = {"Idempotency-Key": "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"}
        request = ("POST", "/namespaces/ns/tables", {"name": "t", "schema": SCHEMA})
        away = self.lake.file.with_suffix(".away")
        self.lake.file.rename(away)
        self.refused(503, "SlowDownException", *request, headers=key)
        away.rename(self.lake.file)
        first = self.ok(*request, headers=key)
        self.assertEqual(self.ok(*request, headers=key), first)
        other = {"Idempotency-Key": "017f22e2-79b0-7cc3-98c4-dc0c0c073990"}
        self.refused(409, "AlreadyExistsException", *request, headers=other)
        self.ok("DELETE", "/namespaces/ns/tables/t", status=204)
        self.refused(409, "AlreadyExistsException", *request, headers=other)
        self.assertEqual(self.call("HEAD", "/namespaces/ns/tables/t").status, 404)
        self.refused(422, "UnprocessableEntityException", "DELETE", "/namespaces/ns",
                     headers=key)

    def test_locked_file_is_answered_503_and_still_read(self):
        self.make_table()
        outside = sqlite3.connect(self.lake.file, isolation_level=None)
        outside.execute("BEGIN IMMEDIATE")
        answers = []
        writer = threading.Thread(target=lambda: answers.append(self.call(
            "POST", "/namespaces/ns/tables/t", {"updates": [set_properties(a="1")]},
            connection=http.client.HTTPConnection("127.0.0.1", self.port, timeout=60))))
        writer.start()
        self.load()
        writer.join()
        outside.execute("ROLLBACK")
        outside.close()
        self.assertEqual(answers[0].status, 503, answers[0].body)
        self.assertTrue(answers[0].headers["Retry-After"])
        self.assertNotIn("a", self.load()["metadata"]["properties"])
        self.assertEqual(len(self.files(".metadata.json")), 1)
        self.commit(set_properties(a="2"))


class Metadata(Case):
    def test_fresh_table_has_no_current_snapshot(self):
        created = self.make_table()
        self.assertIn(created["metadata"].get("current-snapshot-id"), (None, -1))
        self.assertEqual(created["metadata"]["refs"], {})

    def test_stale_sequence_number_is_a_conflict(self):
        self.make_table()
        self.commit(snapshot(1), set_main(1))
        answer = self.commit(snapshot(2, 1, 1), status=409)
        self.assertEqual(answer["error"]["type"], "CommitFailedException")

    def test_unknown_verbs_are_refused_and_nothing_is_applied(self):
        before = self.make_table()
        for extra in ({"action": "frobnicate"}, {"action": "add-partition-spec"}, {}, [], "x"):
            self.commit(set_properties(a="1"), extra, status=400)
        self.commit(set_properties(a="1"), requirements=[{"type": "assert-foo"}], status=400)
        self.assertEqual(self.load(), before)
        self.assertEqual(len(self.files(".metadata.json")), 1)

    def test_create_assigns_ids_afresh(self):
        schema = {"type": "struct", "fields": [
            {"id": 10, "name": "a", "required": True, "type": "long"},
            {"id": 20, "name": "s", "required": False, "type": {"type": "struct", "fields": [
                {"id": 30, "name": "x", "required": False, "type": "int"}]}}]}
        made = self.make_table(schema=schema, **{
            "partition-spec": {"fields": [{"source-id": 10, "name": "p", "transform": "bucket[4]",
                                           "field-id": 77}]},
            "write-order": {"order-id": 5, "fields": [
                {"source-id": 30, "transform": "identity", "direction": "asc",
                 "null-order": "nulls-first"}]}})["metadata"]
        fields = made["schemas"][0]["fields"]
        self.assertEqual([fields[0]["id"], fields[1]["id"], fields[1]["type"]["fields"][0]["id"]],
                         [1, 2, 3])
        self.assertEqual(made["partition-specs"][0]["fields"][0]["source-id"], 1)
        self.assertEqual(made["partition-specs"][0]["fields"][0]["field-id"], 1000)
        self.assertEqual(made["sort-orders"][0]["fields"][0]["source-id"], 3)
        self.assertEqual(made["last-column-id"], 3)
        schema["fields"][1]["id"] = 10
        self.refused(400, "ValidationException", "POST", "/namespaces/ns/tables",
                     {"name": "duplicate", "schema": schema})

    def test_version_3_and_reused_objects(self):
        made = self.make_table(properties={"format-version": "3"})["metadata"]
        self.assertEqual((made["format-version"], made["next-row-id"]), (3, 0))
        wider = {"type": "struct", "fields": SCHEMA["fields"] + [
            {"id": 3, "name": "c", "required": False, "type": "int"}]}
        add = {"action": "add-schema", "schema": wider}
        current = {"action": "set-current-schema", "schema-id": -1}
        first = self.commit(add, current)["metadata"]
        again = self.commit(add, current)["metadata"]
        self.assertEqual(first["last-column-id"], 3)
        self.assertEqual(len(again["schemas"]), 2)
        self.assertEqual(again["current-schema-id"], 1)
        spec = {"action": "add-spec", "spec": {"fields": [
            {"source-id": 3, "name": "p", "transform": "identity"}]}}
        done = self.commit(spec, {"action": "set-default-spec", "spec-id": -1})["metadata"]
        self.assertEqual((done["default-spec-id"], done["last-partition-id"]), (1, 1000))

    def test_snapshots_of_refs_only(self):
        self.make_table()
        self.commit(snapshot(1), set_main(1))
        self.commit(snapshot(2, 1), set_main(2))
        self.commit(snapshot(3, 2), set_main(3))
        refs = self.load(query="?snapshots=refs")
        self.assertEqual([each["snapshot-id"] for each in refs["metadata"]["snapshots"]], [3])
        self.assertEqual(len(refs["metadata"]["snapshot-log"]), 3)
        stored = json.loads(pathlib.Path(refs["metadata-location"][7:]).read_bytes())
        self.assertEqual(stored, self.load()["metadata"])
        self.assertEqual(len(stored["snapshots"]), 3)
        self.assertEqual(len(self.load(query="?snapshots=all")["metadata"]["snapshots"]), 3)
        self.refused(400, "IllegalArgumentException", "GET",
                     "/namespaces/ns/tables/t?snapshots=some")
        self.commit(set_properties(a="1"))
        self.assertEqual(len(self.load()["metadata"]["snapshots"]), 3)

    def test_compressed_metadata_is_registered_by_its_bytes(self):
        created = self.make_table()
        text = pathlib.Path(created["metadata-location"][7:]).read_bytes()
        for i, name in enumerate(("x.gz.metadata.json", "x.metadata.json.gz", "x.metadata.json")):
            found = self.register(name, gzip.compress(text), table=f"r{i}")
            self.assertEqual(found["metadata"], created["metadata"])
        self.register("y.gz.metadata.json", gzip.compress(text)[:-20], status=400, table="y")
        made = self.make_table("z", properties={"write.metadata.compression-codec": "gzip"})
        self.assertRegex(made["metadata-location"], r"/00000-[0-9a-f-]{36}\.gz\.metadata\.json$")
        stored = pathlib.Path(made["metadata-location"][7:]).read_bytes()
        self.assertEqual(json.loads(gzip.decompress(stored)), made["metadata"])

    def test_statistics_with_one_id_two_or_differing_ones(self):
        self.make_table()
        self.commit(snapshot(1), set_main(1))
        statistics = {"snapshot-id": 1, "statistics-path": "file:///none/s.puffin",
                      "file-size-in-bytes": 1, "file-footer-size-in-bytes": 1, "blob-metadata": []}
        update = {"action": "set-statistics", "statistics": statistics}
        self.commit(update)
        self.commit({**update, "snapshot-id": 1})
        self.commit({**update, "snapshot-id": 2}, status=400)

    def test_unrelated_commit_keeps_everything_else(self):
        created = self.make_table()
        self.commit(snapshot(1), set_main(1))
        metadata = self.load()["metadata"]
        metadata["x-foo"] = {"kept": [1, 2.5, None]}
        metadata["statistics"] = [{
            "snapshot-id": 1, "statistics-path": "file:///none/s", "file-size-in-bytes": 1,
            "file-footer-size-in-bytes": 1, "blob-metadata": []}]
        metadata["partition-statistics"] = [{
            "snapshot-id": 1, "statistics-path": "file:///none/p", "file-size-in-bytes": 1}]
        metadata["encryption-keys"] = [{"key-id": "k", "encrypted-key-metadata": "AA=="}]
        self.register("f.metadata.json", json.dumps(metadata).encode())
        after = self.commit(set_properties(a="1"), table="r")["metadata"]
        for key in ("x-foo", "statistics", "partition-statistics", "encryption-keys", "snapshots",
                    "schemas", "refs"):
            self.assertEqual(after[key], metadata[key])
        self.assertNotEqual(created["metadata-location"], after)

    def test_version_1_table_of_old(self):
        self.make_namespace("ns")
        old = {"format-version": 1, "location": f"file://{self.lake.warehouse}/ns/old",
               "last-updated-ms": 1_600_000_000_000, "last-column-id": 2,
               "schema": {"type": "struct", "fields": SCHEMA["fields"]},
               "partition-spec": [], "properties": {}, "current-snapshot-id": 5,
               "snapshots": [{"snapshot-id": 5, "timestamp-ms": 1_600_000_000_000,
                              "manifests": ["file:///none/m.avro"]}]}
        self.register("old.metadata.json", json.dumps(old).encode())
        after = self.commit(set_properties(a="1"), table="r")["metadata"]
        self.assertEqual(after["format-version"], 1)
        self.assertEqual(after["snapshots"][0]["manifests"], ["file:///none/m.avro"])
        upgraded = self.commit({"action": "upgrade-format-version", "format-version": 2},
                               table="r")["metadata"]
        self.assertEqual(upgraded["format-version"], 2)
        self.assertTrue(upgraded["table-uuid"])
        self.commit({"action": "upgrade-format-version", "format-version": 1}, table="r",
                    status=400)

    def test_replaced_view_keeps_its_state(self):
        self.make_namespace("ns")
        made = self.make_view()["metadata"]
        requirements = [{"type": "assert-view-uuid", "uuid": made["view-uuid"]}]
        path = "/namespaces/ns/views/v"
        for number in (2, 3, 4):
            wider = {"type": "struct", "fields": SCHEMA["fields"] + [
                {"id": number + 1, "name": f"c{number}", "required": False, "type": "int"}]}
            view = self.ok("POST", path, {"requirements": requirements, "updates": [
                {"action": "add-schema", "schema": wider},
                {"action": "add-view-version",
                 "view-version": view_version(f"select {number}", -1, number)},
                {"action": "set-current-view-version", "view-version-id": -1}]})["metadata"]
            self.assertEqual((view["view-uuid"], view["properties"], view["current-version-id"]),
                             (made["view-uuid"], {"owner": "ada"}, number))
            current = view["versions"][-1]
            self.assertEqual((current["version-id"], current["schema-id"]), (number, number - 1))
            self.assertEqual([each["version-id"] for each in view["version-log"]],
                             list(range(1, number + 1)))
        requirements[0]["uuid"] = str(uuid.uuid4())
        self.refused(409, "CommitFailedException", "POST", path,
                     {"requirements": requirements, "updates": [set_properties(a="1")]})
        self.assertEqual(self.ok("GET", path)["metadata"], view)

    def test_drop_keeps_the_files_unless_their_removal_is_requested(self):
        for query in ("", "?purgeRequested=false", "?purgeRequested=False"):
            made = self.make_table()
            self.ok("DELETE", f"/namespaces/ns/tables/t{query}", status=204)
            self.assertTrue(os.path.isfile(made["metadata-location"][7:]))
        self.make_table()
        self.refused(400, "IllegalArgumentException", "DELETE",
                     "/namespaces/ns/tables/t?purgeRequested=maybe")
        self.load()

    def test_directories_of_odd_namespaces_are_inside(self):
        for levels in (["..", ".."], ["."], ["a/../../b"], ["~"], ["%2e%2e"]):
            self.make_namespace(*levels)
            path = urllib.parse.quote("\x1f".join(levels), safe="").replace(".", "%2E")
            made = self.ok("POST", f"/namespaces/{path}/tables", {"name": "..", "schema": SCHEMA})
            location = pathlib.Path(made["metadata-location"][7:])
            self.assertTrue(location.resolve().is_relative_to(self.lake.warehouse.resolve()))
            self.assertTrue(location.is_file())
            self.assertRegex(made["metadata"]["location"], r"^file:///([A-Za-z0-9._-]+/)+")
            self.assertNotRegex(made["metadata"]["location"], r"/\.{1,2}(/|$)")

    def test_nothing_is_written_outside(self):
        self.make_namespace("ns")
        secret = self.lake.path / "secret"
        secret.mkdir()
        (self.lake.warehouse / "link").symlink_to(secret)
        for location in ("file:///etc/x", f"file://{self.lake.warehouse}/../secret/t",
                         f"file://{self.lake.warehouse}/link/t", "s3://bucket/t",
                         f"file://{self.lake.path.name}/x", "relative/t", str(secret)):
            for staged in (False, True):
                self.refused(400, "IllegalArgumentException", "POST", "/namespaces/ns/tables",
                             {"name": "t", "schema": SCHEMA, "location": location,
                              "stage-create": staged})
        self.make_table("t")
        for update in ({"action": "set-location", "location": f"file://{secret}"},
                       set_properties(**{"write.metadata.path": f"file://{secret}"})):
            self.commit(update, status=400)
        self.refused(400, "IllegalArgumentException", "POST", "/namespaces/ns/register",
                     {"name": "r", "metadata-location": "file:///etc/passwd"})
        self.assertEqual(list(secret.iterdir()), [])

    def test_location_forms_mean_one_directory(self):
        self.make_namespace("ns")
        path = f"{self.lake.warehouse}/w"
        for i, location in enumerate((path, f"file:{path}", f"file://{path}",
                                      f"file://localhost{path}", f"file://{path}/")):
            made = self.make_table(f"t{i}", location=location)
            self.assertEqual(made["metadata"]["location"], location.rstrip("/"))
        self.assertEqual(len(os.listdir(path + "/metadata")), 5)


def raw_exchange(port, request, then=b""):
    """Sends bytes as they are; returns (status, rest of the reply) of the first whole reply."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(request)
        if then:
            connection.sendall(then)
        data = b""
        while b"\r\n\r\n" not in data:
            chunk = connection.recv(65536)
            if not chunk:
                break
            data += chunk
        match = re.match(rb"HTTP/1\.1 (\d{3})", data)
        return (int(match.group(1)) if match else None), data


class Http(Case):
    def test_expect_continue_of_a_large_commit(self):
        self.make_table()
        body = json.dumps({"updates": [set_properties(big="x" * (2 << 20))]}).encode()
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(b"POST /v1/namespaces/ns/tables/t HTTP/1.1\r\nHost: localhost\r\n"
                               b"Content-Type: application/json\r\nExpect: 100-continue\r\n"
                               b"Content-Length: %d\r\n\r\n" % len(body))
            self.assertTrue(connection.recv(1024).startswith(b"HTTP/1.1 100 Continue\r\n\r\n"))
            connection.sendall(body)
            self.assertTrue(connection.recv(1024).startswith(b"HTTP/1.1 200"))

    def test_content_encodings(self):
        body = gzip.compress(b'{"namespace":["zipped"]}')
        self.ok("POST", "/namespaces", body, headers={"Content-Encoding": "gzip"})
        self.assertEqual(self.call("HEAD", "/namespaces/zipped").status, 204)
        answer = self.call("POST", "/namespaces", b"?", headers={"Content-Encoding": "zstd"})
        self.assertEqual(answer.status, 415)
        bomb = gzip.compress(b" " * (70 << 20))
        answer = self.call("POST", "/namespaces", bomb, headers={"Content-Encoding": "gzip"})
        self.assertEqual(answer.status, 413)

    def test_many_requests_on_one_connection_stay_in_step(self):
        self.make_table()
        etag = self.call("GET", "/namespaces/ns/tables/t").headers["ETag"]
        kinds = (("HEAD", "/namespaces/ns", None, 204), ("GET", "/namespaces/no", None, 404),
                 ("HEAD", "/namespaces/no", None, 404),
                 ("GET", "/namespaces/ns/tables/t", {"If-None-Match": etag}, 304),
                 ("GET", "/namespaces/ns/tables/t", None, 200))
        for i in range(10_000):
            method, target, headers, status = kinds[i % len(kinds)]
            answer = self.call(method, target, headers=headers)
            self.assertEqual(answer.status, status)
            if status in (204, 304):
                self.assertEqual(answer.body, b"")

    def test_bad_framing(self):
        head = (b"POST /v1/namespaces HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\n")
        both = head + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        self.assertEqual(raw_exchange(self.port, both)[0], 400)
        flood = head + b"".join(b"X-%d: y\r\n" % i for i in range(2000)) + b"\r\n"
        self.assertEqual(raw_exchange(self.port, flood)[0], 431)
        huge = head + b"Content-Length: 1073741824\r\n\r\n"
        self.assertEqual(raw_exchange(self.port, huge)[0], 413)
        long_target = b"GET /v1/" + b"a" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
        self.assertEqual(raw_exchange(self.port, long_target)[0], 414)
        for length in (b"abc", b"-1", b"5, 6", b"+5", b""):
            request = head + b"Content-Length: " + length + b"\r\n\r\n{}"
            self.assertEqual(raw_exchange(self.port, request)[0], 400, length)

    def test_chunked_body(self):
        request = (b"POST /v1/namespaces HTTP/1.1\r\nHost: localhost\r\n"
                   b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                   b"e;ext=1\r\n{\"namespace\":[\r\n4\r\n\"c\"]\r\n1\r\n}\r\n"
                   b"0\r\nTrailer: x\r\n\r\n")
        self.assertEqual(raw_exchange(self.port, request)[0], 200)
        self.assertEqual(self.call("HEAD", "/namespaces/c").status, 204)

    def test_client_that_leaves_early_harms_nobody(self):
        self.make_table()
        body = json.dumps({"updates": [set_properties(big="x" * 100_000)]}).encode()
        request = (b"POST /v1/namespaces/ns/tables/t HTTP/1.1\r\nHost: localhost\r\n"
                   b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
                   % (len(body), body))
        for cut in (len(request), len(request) - 1, 50):
            for _ in range(5):
                connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                connection.sendall(request[:cut])
                connection.close()
        self.commit(set_properties(after="1"))
        self.assertEqual(self.load()["metadata"]["properties"]["after"], "1")

    def test_stop_amid_commits_leaves_a_clean_file(self):
        self.make_table()
        acknowledged = []

        def work(index):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            for turn in range(1000):
                key = f"k{index}x{turn}"
                try:
                    answer = self.call("POST", "/namespaces/ns/tables/t",
                                       {"updates": [set_properties(**{key: "1"})]},
                                       connection=connection)
                except (OSError, http.client.HTTPException):
                    return
                if answer.status == 200:
                    acknowledged.append(key)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        while len(acknowledged) < 50:
            pass
        self.server.stop()
        for thread in threads:
            thread.join()
        self.assertEqual(sqlite3.connect(self.lake.file).execute("PRAGMA integrity_check")
                         .fetchone(), ("ok",))
        self.server = Server(PROGRAM, self.lake)
        self.port = urllib.parse.urlsplit(self.server.uri).port
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        properties = self.load()["metadata"]["properties"]
        self.assertEqual([key for key in acknowledged if key not in properties], [])
        self.assertEqual(uuid.UUID(self.load()["metadata"]["table-uuid"]).version, 4)


def main():
    global PROGRAM
    PROGRAM = pathlib.Path(sys.argv[1]).resolve()
    program = unittest.main(argv=sys.argv[:1] + sys.argv[2:], exit=False, verbosity=1)
    result = program.result
    failed = len(result.failures) + len(result.errors)
    suite.close(result.testsRun - failed - len(result.skipped), failed, len(result.skipped))


if __name__ == "__main__":
    main()
