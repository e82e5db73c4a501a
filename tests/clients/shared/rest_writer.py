"""A REST client of the server as one of several writers of a catalog file.

    rest_writer.py URI NAME create TABLE...
    rest_writer.py URI NAME write SECONDS TABLE...

Prints for each table, as one JSON object, how many of its commits were acknowledged. An answer that
a client could not live with is an error: of those that are no success, only 409, and 503 with
Retry-After, say that nothing was done.
"""

import collections
import http.client
import json
import random
import sys
import time
import urllib.parse

COLUMN = {"id": 1, "name": "id", "type": "long", "required": False}


def post(connection, target, body):
    connection.request("POST", target, json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status == 200:
        return True
    if answer.status == 409 or (answer.status == 503 and answer.getheader("Retry-After")):
        return False
    raise RuntimeError(f"{target}: {answer.status} {text}")


def create(connection, tables):
    for table in tables:
        made = post(connection, "/v1/namespaces/shared/tables", {
            "name": table, "schema": {"type": "struct", "fields": [COLUMN]},
            "properties": {"write.metadata.previous-versions-max": "1000000"}})
        if not made:
            raise RuntimeError(f"{table} was not created")


def write(connection, name, seconds, tables):
    done = collections.Counter()
    chance = random.Random(4)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        table = chance.choice(tables)
        updates = [{"action": "set-properties", "updates": {name: str(done[table] + 1)}}]
        done[table] += post(connection, f"/v1/namespaces/shared/tables/{table}",
                            {"requirements": [], "updates": updates})
    print(json.dumps(done))


def main():
    uri, name, what, *rest = sys.argv[1:]
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(uri).netloc)
    if what == "create":
        create(connection, rest)
    else:
        write(connection, name, float(rest[0]), rest[1:])


if __name__ == "__main__":
    main()
