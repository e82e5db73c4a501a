"""The built program `berglite`, started as a user would start it.

A Lake is what one test keeps: a directory with a catalog file and a warehouse. A Server is one
process that serves it. The port is any free one, unless a test takes the place of a server that
was there: the program prints its URI as it is ready.
"""

import contextlib
import os
import pathlib
import re
import selectors
import shutil
import signal
import subprocess
import tempfile
import time

START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 30


class ProgramError(Exception):
    """The program did not start, or did not stop as it should."""


class Lake:
    """A directory with a catalog file and a warehouse; `remove` deletes all of it.

    A server is not told of a warehouse that a test sets to None.
    """

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="berglite-clients-"))
        self.file = self.path / "lake.db"
        self.warehouse = self.path / "warehouse"
        self.warehouse.mkdir()

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


def add_principal(program, lake, name, *options):
    """Adds a principal to the file of `lake` and returns its secret."""
    command = [str(program), "principals", "add", name, "--file", str(lake.file), *options]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise ProgramError(f"exit code {done.returncode} of principals add: {done.stderr}")
    return done.stdout.strip()


class Server:
    """One process of `berglite serve`. Not for use by several threads."""

    def __init__(self, program, lake, options=(), port=0):
        self._log = lake.path / "server.log"
        where = [] if lake.warehouse is None else ["--warehouse", str(lake.warehouse)]
        command = [str(program), "serve", "--file", str(lake.file), *where, "--port", str(port),
                   *options]
        # The user's own settings are not the test's.
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("BERGLITE_")}
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                                             stdout=subprocess.PIPE, stderr=log)
        try:
            self.uri = self._read_uri(command)
        except BaseException:
            self.kill()
            raise

    def _read_uri(self, command):
        """The URI in the first line that the program prints; that line means it is ready."""
        line = b""
        deadline = time.monotonic() + START_TIMEOUT_S
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if not selector.select(max(0, deadline - time.monotonic())):
                    break
                chunk = os.read(self._process.stdout.fileno(), 4096)
                if not chunk:
                    break
                line += chunk
        match = re.search(rb"https?://[^\s/]+", line)
        if not match:
            raise ProgramError(f"expected a URI as the first line of {' '.join(command)}, found "
                               f"{line!r}; its log:\n{self.log()}")
        return match.group().decode()

    def log(self):
        return self._log.read_text(errors="replace")

    def stop(self):
        """Asks it to end, as a service manager does; an exit code other than 0 is an error."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ProgramError(f"still running {STOP_TIMEOUT_S} s after SIGTERM") from None
        self._process.stdout.close()
        if code != 0:
            raise ProgramError(f"exit code {code} instead of 0; its log:\n{self.log()}")

    def kill(self):
        """Ends it at once, with no chance to finish anything."""
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()


@contextlib.contextmanager
def serving(program, *options):
    """A server on a fresh lake for the length of a `with`: yields (server, lake)."""
    lake = Lake()
    try:
        server = Server(program, lake, options)
        try:
            yield server, lake
        except BaseException:
            server.kill()
            raise
        server.stop()
    finally:
        lake.remove()
