#!/usr/bin/env python3
"""Sends every change twice under its Idempotency-Key while the program is killed again and again.

    run.py PROGRAM [--changes N] [--kills N] [--seed N]

Goal: each change is made exactly once, and each repetition is answered like the first time, though
the answer of the first time was lost, the server was killed in between, or both requests are under
way at once. Method: clients make changes that show when they are made twice, each sent until it is
answered and then once more. Meanwhile the server is killed with SIGKILL and started anew on the
same file. In the end every shared table must have had exactly one new metadata file for each
change, and each name must be there or gone as the answers said.

The seed decides what is sent; the threads and the kills are the machine's, so a run is only roughly
repeated.
"""

import argparse
import collections
import http.client
import itertools
import json
import pathlib
import random
import re
import sys
import threading
import time
import urllib.parse
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import suite  # noqa: E402
from clientkit.program import Lake, Server  # noqa: E402

CLIENTS = 16
SHARED_TABLES = 4
CHANGE_TIMEOUT_S = 120
SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": False}]}
TABLES = "namespaces/once/tables"


class Wrong(Exception):
    """The server said or kept what it must not."""


class Lives:
    """The server's lives: always one, or about to be. Clients ask for the present one's address."""

    def __init__(self, program, lake):
        self._program = program
        self._lake = lake
        self._lock = threading.Lock()
        self._server = Server(program, lake)

    @property
    def address(self):
        with self._lock:
            return urllib.parse.urlparse(self._server.uri).netloc

    def end_one(self):
        """Kills it and begins the next."""
        self._server.kill()
        server = Server(self._program, self._lake)
        with self._lock:
            self._server = server

    def stop(self):
        self._server.stop()

    def kill(self):
        self._server.kill()

    def log(self):
        return self._server.log()


class Change:
    """One request and its key."""

    def __init__(self, method, path, body=None):
        self.method, self.path, self.body = method, path, body
        self.key = str(uuid.uuid4())

    def __str__(self):
        return f"{self.method} {self.path} {json.dumps(self.body)} under {self.key}"

    def send(self, connection):
        data = None if self.body is None else json.dumps(self.body).encode()
        connection.request(self.method, f"/v1/{self.path}", data,
                           {"Content-Type": "application/json", "Idempotency-Key": self.key})


def answer_of(response):
    text = response.read()
    return response.status, json.loads(text) if text else None


class Client:
    """Makes changes and counts what it met. One thread's."""

    def __init__(self, number, lives, seed):
        self._lives = lives
        self._random = random.Random(f"{seed}/{number}")
        self._names = (f"c{number}_{n}" for n in itertools.count())
        self._connection = None
        self.expected = {}  # names of tables: whether they are to be there in the end
        self.commits = collections.Counter()  # those acknowledged, by shared table
        self.met = collections.Counter()

    def one(self):
        """One change of a random kind, sent until it is answered and then again."""
        self._random.choice((self._commit, self._commit, self._transaction, self._create,
                             self._drop, self._rename, self._properties, self._refused))()

    def _once(self, change):
        """Returns the answer of `change`, which is the same each time."""
        way = self._random.randrange(4)
        if way == 0:
            self._send_and_leave(change)
        answers = self._two_at_once(change) if way == 1 else []
        answers += [self._until_answered(change), self._until_answered(change)]
        self.met["changes"] += 1
        for answer in answers[1:]:
            if answer != answers[0]:
                raise Wrong(f"{change}: answered {answers[0]} and then {answer}")
        return answers[0]

    def _must(self, method, path, body=None):
        change = Change(method, path, body)
        status, reply = self._once(change)
        if status not in (200, 204):
            raise Wrong(f"{change}: expected success, found {status} {reply}")
        return reply

    def _until_answered(self, change):
        deadline = time.monotonic() + CHANGE_TIMEOUT_S
        while time.monotonic() < deadline:
            try:
                if self._connection is None:
                    self._connection = http.client.HTTPConnection(self._lives.address, timeout=60)
                self.met["requests"] += 1
                change.send(self._connection)
                status, reply = answer_of(self._connection.getresponse())
            except (OSError, http.client.HTTPException):
                self.met["answers lost"] += 1
                self._hang_up()
                time.sleep(0.01)  # while the next server starts
                continue
            if status < 500:
                return status, reply
            self.met["told to try again"] += 1
        raise Wrong(f"{change}: no answer in {CHANGE_TIMEOUT_S} s")

    def _hang_up(self):
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _send_and_leave(self, change):
        """Sends it and does not wait for the answer, as where the connection is cut."""
        connection = http.client.HTTPConnection(self._lives.address, timeout=60)
        try:
            change.send(connection)
            self.met["requests"] += 1
            self.met["left before the answer"] += 1
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()

    def _two_at_once(self, change):
        """Sends it on two connections together; returns what was answered."""
        answers = []

        def send():
            connection = http.client.HTTPConnection(self._lives.address, timeout=60)
            try:
                change.send(connection)
                status, reply = answer_of(connection.getresponse())
                if status < 500:
                    answers.append((status, reply))
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()

        threads = [threading.Thread(target=send) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.met["requests"] += 2
        return answers

    # Each of these would show by its answer, or in the end by the count of metadata files, that it
    # was made twice.

    def _commit(self):
        table = f"shared{self._random.randrange(SHARED_TABLES)}"
        self._must("POST", f"{TABLES}/{table}", {"requirements": [], "updates": self._mark()})
        self.commits[table] += 1

    def _transaction(self):
        tables = [f"shared{n}" for n in self._random.sample(range(SHARED_TABLES), 2)]
        self._must("POST", "transactions/commit", {"table-changes": [
            {"identifier": {"namespace": ["once"], "name": table}, "requirements": [],
             "updates": self._mark()} for table in tables]})
        self.commits.update(tables)

    def _mark(self):
        """Overwrites what any other commit set, so that a repetition changes the table again."""
        return [{"action": "set-properties", "updates": {"last": str(uuid.uuid4())}}]

    def _create(self):
        name = next(self._names)
        self._must("POST", TABLES, {"name": name, "schema": SCHEMA})
        self.expected[name] = True

    def _drop(self):
        name = self._a_table_of_mine()
        self._must("DELETE", f"{TABLES}/{name}")
        self.expected[name] = False

    def _rename(self):
        source, destination = self._a_table_of_mine(), next(self._names)
        self._must("POST", "tables/rename",
                   {"source": {"namespace": ["once"], "name": source},
                    "destination": {"namespace": ["once"], "name": destination}})
        self.expected.update({source: False, destination: True})

    def _a_table_of_mine(self):
        mine = [name for name, is_there in self.expected.items() if is_there]
        if not mine:
            self._create()
            mine = list(self.expected)[-1:]
        return self._random.choice(mine)

    def _properties(self):
        name = f"ns_{next(self._names)}"
        self._must("POST", "namespaces", {"namespace": [name], "properties": {"k": "v"}})
        reply = self._must("POST", f"namespaces/{name}/properties", {"removals": ["k"]})
        if reply["removed"] != ["k"]:
            raise Wrong(f"{name}: a first removal is answered {reply}")
        self._must("DELETE", f"namespaces/{name}")

    def _refused(self):
        """A drop of what is not there yet. It must not drop what is made afterwards."""
        name = next(self._names)
        drop = Change("DELETE", f"{TABLES}/{name}")
        first = self._once(drop)
        if first[0] != 404:
            raise Wrong(f"{drop}: expected 404, found {first}")
        self._must("POST", TABLES, {"name": name, "schema": SCHEMA})
        self.expected[name] = True
        again = self._until_answered(drop)
        if again != first:
            raise Wrong(f"{drop}: answered {first} and then {again}")
        self._refuse_another(drop)

    def _refuse_another(self, change):
        other = Change("DELETE", f"{TABLES}/shared0")
        other.key = change.key
        status, reply = self._until_answered(other)
        if status != 422 or reply["error"]["type"] != "UnprocessableEntityException":
            raise Wrong(f"{other}: the key was used, found {status} {reply}")

    def close(self):
        self._hang_up()


class Run:
    """All clients at work until enough changes are made, and the kills meanwhile."""

    def __init__(self, lives, clients, changes, kills):
        self._lives, self._clients = lives, clients
        self._changes, self._kills = changes, kills
        self._wrong = []

    def run(self):
        """Raises Wrong."""
        threads = [threading.Thread(target=self._work, args=(client,)) for client in self._clients]
        for thread in threads:
            thread.start()
        for number in range(self._kills):
            self._wait_for((number + 1) * self._changes // (self._kills + 1))
            self._lives.end_one()
        for thread in threads:
            thread.join()
        if self._wrong:
            raise Wrong("; ".join(self._wrong))

    def _made(self):
        return sum(client.met["changes"] for client in self._clients)

    def _wait_for(self, count):
        while self._made() < count and not self._wrong:
            time.sleep(0.001)

    def _work(self, client):
        try:
            while self._made() < self._changes and not self._wrong:
                client.one()
        except Wrong as wrong:
            self._wrong.append(str(wrong))
        finally:
            client.close()


class Reader:
    """Asks for what is there in the end."""

    def __init__(self, address):
        self._connection = http.client.HTTPConnection(address, timeout=60)

    def get(self, path):
        self._connection.request("GET", f"/v1/{path}")
        status, reply = answer_of(self._connection.getresponse())
        if status != 200:
            raise Wrong(f"GET {path}: expected 200, found {status} {reply}")
        return reply

    def close(self):
        self._connection.close()


def check(address, clients):
    """Compares what is stored with what the clients were told."""
    reader = Reader(address)
    listed = {entry["name"] for entry in reader.get(TABLES)["identifiers"]}
    expected = {f"shared{n}" for n in range(SHARED_TABLES)}
    for client in clients:
        expected |= {name for name, is_there in client.expected.items() if is_there}
    if listed != expected:
        raise Wrong(f"tables missing: {sorted(expected - listed)}, "
                    f"tables too many: {sorted(listed - expected)}")
    commits = sum((client.commits for client in clients), collections.Counter())
    for number in range(SHARED_TABLES):
        table = f"shared{number}"
        location = reader.get(f"{TABLES}/{table}")["metadata-location"]
        made = int(re.search(r"/(\d+)-[^/]*$", location).group(1))
        if made != commits[table]:
            raise Wrong(f"{table}: {commits[table]} commits were acknowledged, {made} made")
    namespaces = reader.get("namespaces")["namespaces"]
    if namespaces != [["once"]]:
        raise Wrong(f"namespaces that were dropped: {namespaces}")
    if reader.get("config").get("idempotency-key-lifetime") != "PT30M":
        raise Wrong("the lifetime of keys is not advertised")
    reader.close()


def set_up(lives, seed):
    client = Client("set-up", lives, seed)
    for path, body in [("namespaces", {"namespace": ["once"]})] + [
            (TABLES, {"name": f"shared{n}", "schema": SCHEMA}) for n in range(SHARED_TABLES)]:
        change = Change("POST", path, body)
        connection = http.client.HTTPConnection(lives.address, timeout=60)
        change.send(connection)
        status, reply = answer_of(connection.getresponse())
        connection.close()
        if status != 200:
            raise Wrong(f"{change}: expected 200, found {status} {reply}")
    client.close()


def run(arguments, seed):
    """Returns (passed, failed)."""
    lake = Lake()
    lives = Lives(arguments.program, lake)
    began = time.monotonic()
    try:
        set_up(lives, seed)
        clients = [Client(number, lives, seed) for number in range(CLIENTS)]
        Run(lives, clients, arguments.changes, arguments.kills).run()
        check(lives.address, clients)
        met = sum((client.met for client in clients), collections.Counter())
        figures = ", ".join(f"{count} {what}" for what, count in sorted(met.items()))
        print(f"{arguments.kills} kills, {figures}, {time.monotonic() - began:.1f} s", flush=True)
        lives.stop()
        return 1, 0
    except Wrong as wrong:
        print(wrong)
        print(lives.log()[-4000:])
        return 0, 1
    finally:
        lives.kill()
        lake.remove()


def main():
    parser = argparse.ArgumentParser(description="Sends changes twice while the program is killed")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--changes", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    seed = random.randrange(2**32) if arguments.seed is None else arguments.seed
    print(f"seed {seed}", flush=True)
    suite.close(*run(arguments, seed), 0)


if __name__ == "__main__":
    main()
