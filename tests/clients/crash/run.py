#!/usr/bin/env python3
"""Kills the program amid commits and looks at what is left.

    run.py PROGRAM [--rounds N] [--seed N]

Goal: what was acknowledged is there after a crash, what was not is there whole or not at all, and
nothing needs repair. Method: in each round, eight writers commit over HTTP, each noting what it
sent and what was acknowledged; at a random count of acknowledgements the server is killed with
SIGKILL, started again on the same file, and asked. All rounds share one file, so what an early
round left is still right after the later ones. The seed decides where the kills fall; the threads
are the machine's, so a run is only roughly repeated.

The machine stays up: what was written but not synced survives here. Lost syncs are the business of
the fault tests below the catalog.
"""

import argparse
import http.client
import itertools
import json
import pathlib
import random
import sqlite3
import sys
import threading
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import suite  # noqa: E402
from clientkit.program import Lake, Server  # noqa: E402

WRITERS = 8
ACKNOWLEDGED_MIN, ACKNOWLEDGED_MAX = 40, 400
ROUND_TIMEOUT_S = 120
SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": False}]}


class Client:
    """One kept-alive connection. Not for several threads."""

    def __init__(self, uri):
        self._connection = http.client.HTTPConnection(urllib.parse.urlparse(uri).netloc, timeout=60)

    def call(self, method, path, body=None):
        """Returns (status, parsed body or None)."""
        data = None if body is None else json.dumps(body).encode()
        self._connection.request(method, f"/v1/{path}", data, {"Content-Type": "application/json"})
        response = self._connection.getresponse()
        text = response.read()
        return response.status, json.loads(text) if text else None

    def must(self, method, path, body=None):
        """As call, for what has to succeed."""
        status, reply = self.call(method, path, body)
        if status not in (200, 204):
            raise Wrong(f"{method} {path}: expected success, found {status} {reply}")
        return reply

    def close(self):
        self._connection.close()


class Wrong(Exception):
    """The server said or kept what it must not."""


def set_property(key, value):
    return [{"action": "set-properties", "updates": {key: str(value)}}]


class Writer:
    """Counts upwards in tables of its own and in one that all share.

    A count is sent, then acknowledged. A crash may fall between the two: after it, what is stored
    is one of both.
    """

    def __init__(self, number):
        self.tables = [f"w{number}_{half}" for half in ("left", "right")]
        self.key = f"w{number}"
        self._random = random.Random(number)
        self.sent = {"own": 0, "pair": 0, "shared": 0}
        self.acknowledged = dict(self.sent)
        self.created = {}  # acknowledged tables: their name and UUID
        self.creating = None  # a table that was sent and not acknowledged
        self._names = itertools.count()

    def set_up(self, client):
        for name in self.tables:
            client.must("POST", "namespaces/crash/tables", {"name": name, "schema": SCHEMA})

    def step(self, client):
        """One commit of a random kind; returns once it is acknowledged."""
        self._random.choice((self._own, self._pair, self._shared, self._create))(client)

    def _own(self, client):
        def body(count):
            return {"requirements": [], "updates": set_property("own", count)}

        self._count("own", lambda count: client.call(
            "POST", f"namespaces/crash/tables/{self.tables[0]}", body(count)))

    def _shared(self, client):
        def body(count):
            return {"requirements": [], "updates": set_property(self.key, count)}

        self._count("shared", lambda count: client.call(
            "POST", "namespaces/crash/tables/shared", body(count)))

    def _pair(self, client):
        """Both tables in one transaction."""
        def body(count):
            return {"table-changes": [
                {"identifier": {"namespace": ["crash"], "name": name}, "requirements": [],
                 "updates": set_property("pair", count)} for name in self.tables]}

        self._count("pair", lambda count: client.call("POST", "transactions/commit", body(count)))

    def _count(self, kind, send):
        self.sent[kind] += 1
        # A refusal says that nothing was changed, so the same count may be sent again.
        status, reply = send(self.sent[kind])
        while status in (409, 503):
            status, reply = send(self.sent[kind])
        if status not in (200, 204):
            raise Wrong(f"commit of {self.key}: expected success, found {status} {reply}")
        self.acknowledged[kind] = self.sent[kind]

    def _create(self, client):
        # Never a name for the second time: one that did not land must not appear later either.
        name = self.creating = f"{self.key}_made{next(self._names)}"
        reply = client.must("POST", "namespaces/crash/tables", {"name": name, "schema": SCHEMA})
        self.creating = None
        self.created[name] = reply["metadata"]["table-uuid"]


class Round:
    """One life of the server: writers at work until it is killed."""

    def __init__(self, server, writers, kill_at):
        self._server = server
        self._writers = writers
        self._kill_at = kill_at
        self._changed = threading.Condition()
        self._count = 0
        self._killed = False
        self._wrong = []

    def run(self):
        """Raises Wrong for an answer that should not have been given."""
        threads = [threading.Thread(target=self._write, args=(writer,)) for writer in self._writers]
        for thread in threads:
            thread.start()
        with self._changed:
            in_time = self._changed.wait_for(
                lambda: self._count >= self._kill_at or self._wrong, ROUND_TIMEOUT_S)
            self._killed = True
        self._server.kill()
        for thread in threads:
            thread.join()
        if self._wrong:
            raise Wrong("; ".join(self._wrong))
        if not in_time:
            raise Wrong(f"expected {self._kill_at} commits in {ROUND_TIMEOUT_S} s, "
                        f"found {self._count}")

    def _write(self, writer):
        client = Client(self._server.uri)
        try:
            while True:
                writer.step(client)
                with self._changed:
                    self._count += 1
                    self._changed.notify()
        except (OSError, http.client.HTTPException) as error:
            self._note(f"{writer.key} lost its connection to a living server: {error!r}")
        except Wrong as wrong:
            self._note(str(wrong))
        finally:
            client.close()

    def _note(self, what):
        """Keeps what went wrong, unless the server is being killed."""
        with self._changed:
            if not self._killed:
                self._wrong.append(what)
                self._changed.notify()


def expect(condition, what):
    if not condition:
        raise Wrong(what)


def check(uri, lake, writers):
    """Compares what is stored with what the writers know, and lets their state agree with it."""
    client = Client(uri)
    listed = {entry["name"] for entry in
              client.must("GET", "namespaces/crash/tables")["identifiers"]}
    tables = {name: check_table(client, name) for name in sorted(listed)}
    for writer in writers:
        missing = {*writer.tables, *writer.created} - listed
        expect(not missing, f"acknowledged tables are gone: {sorted(missing)}")
        for name, uuid in writer.created.items():
            found = tables[name]["table-uuid"]
            expect(found == uuid, f"{name}: expected the UUID {uuid}, found {found}")
        check_counts(writer, tables)
        if writer.creating in listed:
            writer.created[writer.creating] = tables[writer.creating]["table-uuid"]
        writer.creating = None
    known = {"shared"}.union(*({*writer.tables, *writer.created} for writer in writers))
    expect(listed <= known, f"tables that nobody made: {sorted(listed - known)}")
    client.close()
    with sqlite3.connect(lake.file) as connection:
        found = connection.execute("PRAGMA integrity_check").fetchall()
        expect(found == [("ok",)], f"integrity_check: {found}")
    connection.close()


def check_table(client, name):
    """Returns the metadata of a table after comparing it with its file."""
    loaded = client.must("GET", f"namespaces/crash/tables/{name}")
    location = urllib.parse.urlparse(loaded["metadata-location"])
    stored = json.loads(pathlib.Path(urllib.parse.unquote(location.path)).read_bytes())
    expect(stored == loaded["metadata"], f"{name}: its file and its answer differ")
    for entry in stored.get("metadata-log", []):
        path = urllib.parse.unquote(urllib.parse.urlparse(entry["metadata-file"]).path)
        json.loads(pathlib.Path(path).read_bytes())
    return stored


def check_counts(writer, tables):
    left, right = (tables[name]["properties"] for name in writer.tables)
    expect(left.get("pair") == right.get("pair"),
           f"{writer.key}: half a transaction: {left.get('pair')} and {right.get('pair')}")
    found = {"own": left.get("own"), "pair": left.get("pair"),
             "shared": tables["shared"]["properties"].get(writer.key)}
    for kind, value in found.items():
        count = int(value or 0)
        allowed = (writer.acknowledged[kind], writer.sent[kind])
        expect(count in allowed, f"{writer.key}: expected one of {allowed} for {kind}, "
                                 f"found {count}")
        writer.sent[kind] = writer.acknowledged[kind] = count


def run_rounds(program, rounds, seed):
    """Returns (passed, failed). A failed round is the last: nothing is to be built on its rest."""
    chance = random.Random(seed)
    lake = Lake()
    server = Server(program, lake)
    try:
        writers = [Writer(number) for number in range(WRITERS)]
        set_up(server.uri, writers)
        for number in range(rounds):
            kill_at = chance.randint(ACKNOWLEDGED_MIN, ACKNOWLEDGED_MAX)
            try:
                Round(server, writers, kill_at).run()
                server = Server(program, lake)
                check(server.uri, lake, writers)
            except Wrong as wrong:
                print(f"round {number}, killed at {kill_at}: {wrong}")
                print(server.log()[-4000:])
                return number, 1
            print(f"round {number}: killed at {kill_at} commits, all of them are there", flush=True)
        server.stop()
        return rounds, 0
    finally:
        server.kill()
        lake.remove()


def set_up(uri, writers):
    client = Client(uri)
    client.must("POST", "namespaces", {"namespace": ["crash"]})
    client.must("POST", "namespaces/crash/tables", {"name": "shared", "schema": SCHEMA})
    for writer in writers:
        writer.set_up(client)
    client.close()


def main():
    parser = argparse.ArgumentParser(description="Kills the program amid commits")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    seed = random.randrange(2**32) if arguments.seed is None else arguments.seed
    print(f"seed {seed}", flush=True)
    suite.close(*run_rounds(arguments.program, arguments.rounds, seed), 0)


if __name__ == "__main__":
    main()
