"""A server of the built program, asked by the names of the specification's operations."""

import dataclasses
import http.client
import json
import secrets
import subprocess
import time
import urllib.parse
import uuid

from clientkit.program import Lake, Server

SEPARATOR = "\x1f"
TIMEOUT_S = 60
FORM = "application/x-www-form-urlencoded"

# What is sent for parameters that a request does not set itself, where all are to be sent.
OPTIONAL = {
    "warehouse": "default", "pageToken": "", "pageSize": "1000", "parent": "", "snapshots": "all",
    "referenced-by": f"ns{SEPARATOR}outer,ns{SEPARATOR}inner", "planId": "plan-1",
    "purgeRequested": "false", "X-Iceberg-Access-Delegation": "vended-credentials,remote-signing",
    "If-None-Match": '"of another table"'}


@dataclasses.dataclass
class Answer:
    status: int
    headers: object
    body: bytes


class World:
    """A fresh lake and its server. With `every_parameter` each request also carries the prefix, the
    optional parameters and, where it takes one, an idempotency key; and is then sent again."""

    def __init__(self, program, ledger, options=(), every_parameter=False):
        self.program = program
        self.ledger = ledger
        self.lake = Lake()
        self.headers = {}
        self._every_parameter = every_parameter
        try:
            self._server = Server(program, self.lake, options)
        except BaseException:
            self.lake.remove()
            raise
        self._address = urllib.parse.urlsplit(self._server.uri).netloc
        self._connection = http.client.HTTPConnection(self._address, timeout=TIMEOUT_S)

    def __enter__(self):
        return self

    def __exit__(self, kind, *unused):
        self._connection.close()
        try:
            if kind:
                self._server.kill()
            else:
                self._server.stop()
        finally:
            self.lake.remove()

    def ask(self, operation_id, status, body=None, error=None, **options):
        """Sends a request, judges the answer, and returns it with its body as JSON in `json`.

        `status` is what is expected (None for any that is listed), and `error` the type of the
        error; `options` are path, query and headers, each a dict from the names of the file.
        """
        operation = self.ledger.specification.operations[operation_id]
        query, headers = self._complete(operation, options)
        path = self._path_of(operation, options.get("path", {}))
        answer = self._judge(operation, (path, query, headers, body), status, error)
        if "Idempotency-Key" in headers and answer.status < 500:
            again = self._judge(operation, (path, query, headers, body), status, error)
            if again.json != answer.json and "stage-create" not in (body or {}):
                self.ledger.object(operation_id, "its key brings another answer the second time: "
                                   f"{answer.body[:300]} and {again.body[:300]}")
        return answer

    def probe(self, operation_id, body, headers):
        """The status of an answer that is not judged."""
        operation = self.ledger.specification.operations[operation_id]
        path = self._path_of(operation, {})
        return self._send(operation.method, path, {}, headers, body).status

    def run(self, *arguments):
        """Runs another command of the program."""
        subprocess.run([str(self.program), *arguments], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, check=True)

    def _complete(self, operation, options):
        query = dict(options.get("query", {}))
        headers = {**self.headers, **options.get("headers", {})}
        for parameter in operation.parameters if self._every_parameter else ():
            if parameter.name == "Idempotency-Key":
                headers.setdefault(parameter.name, new_key())
            elif parameter.place == "query":
                query.setdefault(parameter.name, OPTIONAL[parameter.name])
            elif parameter.place == "header":
                headers.setdefault(parameter.name, OPTIONAL[parameter.name])
        return query, headers

    def _path_of(self, operation, values):
        path = operation.path
        default = {"prefix": "default"} if self._every_parameter else {}
        for name, value in {**default, **values}.items():
            value = SEPARATOR.join(value) if isinstance(value, list) else value
            path = path.replace(f"{{{name}}}", urllib.parse.quote(value, safe=""))
        return path.replace("/{prefix}", "")

    def _judge(self, operation, request, status, error):
        path, query, headers, body = request
        answer = self._send(operation.method, path, query, headers, body)
        sent = f"{operation.id} ({operation.method} {path}"
        sent += f"?{urllib.parse.urlencode(query)}" if query else ""
        sent += f" {str(body)[:200]})" if body is not None else ")"
        answer.json = self.ledger.judge(operation, sent, answer)
        if status and answer.status != status:
            self.ledger.object(sent, f"expected {status}, found {answer.status}: "
                               f"{answer.body[:300]!r}")
        elif error and answer.json and answer.json["error"]["type"] != error:
            self.ledger.object(sent, f"expected {error}, found {answer.body[:300]!r}")
        if answer.status < 400:
            self._note_parameters(operation, path, query, headers)
        return answer

    def _note_parameters(self, operation, path, query, headers):
        seen = [("query", name) for name in query] + [("header", name) for name in headers]
        for parameter in operation.parameters:
            if parameter.place == "path" and parameter.name != "prefix":
                seen.append(("path", parameter.name))
        if path.startswith("/v1/default/"):
            seen.append(("path", "prefix"))
        self.ledger.note_parameters(operation, seen)

    def _send(self, method, path, query, headers, body):
        headers = dict(headers)
        if isinstance(body, dict):
            body = json.dumps(body)
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        target = path + (f"?{urllib.parse.urlencode(query)}" if query else "")
        self._connection.request(method, target, body=body, headers=headers)
        response = self._connection.getresponse()
        return Answer(response.status, response.headers, response.read())


def new_key():
    """A UUID of version 7 (RFC 9562)."""
    bits = (time.time_ns() // 1_000_000) << 80 | 7 << 76 | secrets.randbits(12) << 64
    return str(uuid.UUID(int=bits | 2 << 62 | secrets.randbits(62)))
