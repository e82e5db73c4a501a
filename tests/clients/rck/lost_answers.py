#!/usr/bin/env python3
"""Iceberg's Java client against the built program, while the answer to every change is lost once.

    lost_answers.py PROGRAM

Between them stands a proxy: it hands each change on, throws the first answer away and lets the
client know that something went wrong, in the way that makes it try again. The client must not
notice, and the server must make each change once. LostAnswers.java holds what is changed.
"""

import http.client
import http.server
import pathlib
import subprocess
import sys
import threading
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from clientkit import cache, suite  # noqa: E402
from clientkit.program import serving  # noqa: E402

KEY = "Idempotency-Key"
TIMEOUT_S = 120
# What belongs to one connection alone is not handed on.
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "host"}


class LosingProxy(http.server.ThreadingHTTPServer):
    """Loses the first answer to each change; afterwards `times_sent` tells how often each came."""

    daemon_threads = True

    def __init__(self, server_uri):
        super().__init__(("127.0.0.1", 0), Handler)
        self.server_address_of_program = urllib.parse.urlparse(server_uri).netloc
        self.times_sent = {}
        self._lock = threading.Lock()

    @property
    def uri(self):
        return f"http://127.0.0.1:{self.server_port}"

    def is_first(self, change):
        with self._lock:
            self.times_sent[change] = self.times_sent.get(change, 0) + 1
            return self.times_sent[change] == 1


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection of the client; a connection to the program for each of its requests."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self._answer(*self._hand_on(self._headers_to_pass(), self._body()))

    do_HEAD = do_GET

    def do_POST(self):
        headers, body = self._headers_to_pass(), self._body()
        change = headers.get(KEY)
        if "/namespaces/keyless/" in self.path:
            headers.pop(KEY)
        answer = self._hand_on(headers, body)
        if change is None or not self.server.is_first(change):
            self._answer(*answer)
        elif self.command == "DELETE":
            # Said to be idempotent by HTTP itself, so that a lost connection suffices.
            self.close_connection = True
        else:
            self._answer(503, [("Retry-After", "1")], b"")

    do_DELETE = do_POST

    def _headers_to_pass(self):
        return {name: value for name, value in self.headers.items()
                if name.lower() not in HOP_BY_HOP}

    def _body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0))) or None

    def _hand_on(self, headers, body):
        """Returns (status, headers, body)."""
        connection = http.client.HTTPConnection(self.server.server_address_of_program,
                                                timeout=TIMEOUT_S)
        try:
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    def _answer(self, status, headers, body):
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *arguments):
        """Says nothing of each request."""


def run_client(jars, proxy, server):
    """Returns (passed, failed), having printed what failed."""
    java = ["java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=off", "-cp", f"{jars}/*",
            str(HERE / "LostAnswers.java"), proxy.uri, server.uri]
    done = subprocess.run(java, stdout=subprocess.PIPE, text=True, check=False, timeout=TIMEOUT_S)
    lines = done.stdout.splitlines()
    print("\n".join(line for line in lines if not line.startswith("passed: ")))
    passed = sum(line.startswith("passed: ") for line in lines)
    failed = sum(line.startswith("failed: ") for line in lines)
    return passed, failed + (done.returncode != 0)


def check_losses(proxy):
    """Each change came twice under one key. Returns (passed, failed)."""
    wrong = {key: times for key, times in proxy.times_sent.items() if times != 2}
    print(f"{len(proxy.times_sent)} answers lost")
    if wrong or not proxy.times_sent:
        print(f"failed: expected each key twice, found {wrong}")
        return 0, 1
    return 1, 0


def main():
    program = pathlib.Path(sys.argv[1])
    suite.run_tool(["java", "-version"])
    jars = cache.jars("rck", HERE / "pom.xml")
    with serving(program) as (server, _), LosingProxy(server.uri) as proxy:
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        try:
            passed, failed = run_client(jars, proxy, server)
        finally:
            proxy.shutdown()
            thread.join()
        also_passed, also_failed = check_losses(proxy)
    suite.close(passed + also_passed, failed + also_failed, 0)


if __name__ == "__main__":
    suite.main_guard(main)
