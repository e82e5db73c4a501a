#!/usr/bin/env python3
"""Runs what the pages for users say, as they say it: run.py PROGRAM.

The fenced blocks of README.md and of the examples' pages, of the languages sh, python and sql,
are carried out in their order in one scratch directory: `berglite` is in PATH, SQL goes to
DuckDB, and a `berglite serve` runs on until the next one. One that cannot be carried out has a
comment above it, `<!-- not run: why -->`, which is printed. Names that stand for a user's own are
replaced (see `placeholders`), and so is the port 8181 where it is in use. Blocks in C++ are
quotations of examples/embedded.cc.
"""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))

from clientkit import cache, suite  # noqa: E402
from clientkit.program import Lake, Server  # noqa: E402

BLOCK = re.compile(r"(?:<!-- not run: (?P<reason>.+?) -->\n+)?^```(?P<language>\w+)\n"
                   r"(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND_TIMEOUT_S = 120

# A catalog of the user's that is there before.
PREPARATION = """
import pyarrow
from pyiceberg.catalog import load_catalog
own = load_catalog("own", type="sql", uri="sqlite:///pyiceberg_catalog.db", warehouse="file://{}")
own.create_namespace("demo")
rows = pyarrow.table({{"id": [1, 2]}})
own.create_table("demo.visits", schema=rows.schema).append(rows)
own.close()
"""


class Page:
    def __init__(self, path):
        self.name = str(path.relative_to(ROOT))
        text = path.read_text(encoding="utf-8")
        self.blocks = [(f"{self.name}:{text.count(chr(10), 0, found.start('language')) + 1}", found)
                       for found in BLOCK.finditer(text)]


class Reader:
    """Somebody who does what the page says, in a directory of their own."""

    def __init__(self, program, python, lake):
        self.directory = lake.path / "home"
        self._tables = self.directory / "tables"
        self._tables.mkdir(parents=True)
        self._port = free_port()
        self._secret = "unknown"
        self._serving = None
        self._other = Server(program, lake, ["--allow-location", str(self.directory)])
        bin_directory = lake.path / "bin"
        bin_directory.mkdir()
        (bin_directory / "berglite").symlink_to(program)
        mine = {name: value for name, value in os.environ.items()
                if not name.startswith(("BERGLITE_", "PYICEBERG_"))}
        self._environment = dict(mine, HOME=str(self.directory), PYTHONPATH=str(HERE.parent),
                                 PYTHONDONTWRITEBYTECODE="1",
                                 PATH=f"{bin_directory}:{python.parent}:{os.environ['PATH']}")
        self._interpreter = subprocess.Popen(
            [str(python), str(HERE / "interpreter.py"), str(self.directory)], cwd=self.directory,
            env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def placeholders(self):
        return {"8181": self._port, "'SECRET'": f"'{self._secret}'",
                "spark:SECRET": f"spark:{self._secret}",
                "/where/its/tables/are": str(self._tables),
                "http://old-host:8181": f"http://127.0.0.1:{self._port}",
                "https://host/api/catalog": self._other.uri, "ID:SECRET": "a:b"}

    def _filled_in(self, text):
        # The longest first: some are parts of others.
        for name, value in sorted(self.placeholders().items(), key=lambda item: -len(item[0])):
            text = text.replace(name, value)
        return text

    def carry_out(self, language, text):
        """What went wrong, or None."""
        if language == "sh":
            return next(filter(None, map(self._command, commands_of(self._filled_in(text)))), None)
        request = json.dumps({"language": language, "text": self._filled_in(text)})
        self._interpreter.stdin.write(request + "\n")
        self._interpreter.stdin.flush()
        return json.loads(self._interpreter.stdout.readline())

    def prepare(self):
        """Makes what the page takes for granted."""
        return self.carry_out("python", PREPARATION.format(self._tables)) or self.serve(
            "berglite serve")

    def _command(self, command):
        if command.startswith("berglite serve"):
            return self.serve(command)
        done = subprocess.run(["sh", "-c", command], cwd=self.directory, env=self._environment,
                              capture_output=True, text=True, timeout=COMMAND_TIMEOUT_S,
                              check=False)
        if command.startswith("berglite principals add") and done.returncode == 0:
            self._secret = self._secret if "--read-only" in command else done.stdout.strip()
        if done.returncode == 0:
            return None
        return f"{command}\nended with {done.returncode}: {done.stdout}{done.stderr}"

    def serve(self, command):
        self._stop_serving()
        self._serving = subprocess.Popen(
            ["sh", "-c", f"exec {command}"], cwd=self.directory, stdout=subprocess.PIPE, text=True,
            env=dict(self._environment, BERGLITE_PORT=self._port))
        if " at http" in self._serving.stdout.readline():
            return None
        return f"{command}\ndid not start"

    def _stop_serving(self):
        if self._serving is None:
            return
        self._serving.terminate()
        self._serving.wait(60)
        self._serving.stdout.close()

    def leave(self):
        self._interpreter.stdin.close()
        self._interpreter.wait(60)
        self._interpreter.stdout.close()
        self._stop_serving()
        self._other.stop()


def free_port():
    """8181, as the page has it, or another one where that is in use."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", 8181))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def commands_of(text):
    """One a command: a line, with those that a backslash continues it with."""
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def misquoted(text):
    """The first line of a quotation that examples/embedded.cc does not have, or None."""
    quoted = (ROOT / "examples/embedded.cc").read_text(encoding="utf-8")
    source = {line.strip() for line in quoted.splitlines()}
    wrong = [line for line in textwrap.dedent(text).splitlines() if line.strip() not in source]
    return f"not in examples/embedded.cc: {wrong[0]}" if wrong else None


def run_pages(reader):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    pages = [ROOT / "README.md", *sorted((ROOT / "examples").rglob("*.md"))]
    for place, block in [entry for page in pages for entry in Page(page).blocks]:
        if block["reason"]:
            print(f"{place}: not run, {block['reason']}")
            counts["skipped"] += 1
            continue
        is_quotation = block["language"] == "cpp"
        problem = (misquoted(block["text"]) if is_quotation else
                   reader.carry_out(block["language"], block["text"]))
        if problem:
            print(f"{place}: {problem}")
        counts["failed" if problem else "passed"] += 1
    return counts


def run_pytest_example(reader):
    """What examples/pytest says to do: the copied files, and pytest."""
    for file in (ROOT / "examples/pytest").glob("*.py"):
        shutil.copy(file, reader.directory)
    return reader.carry_out("sh", "python -m pytest -q -p no:cacheprovider\n")


def main():
    program = pathlib.Path(sys.argv[1]).absolute()
    python = cache.venv("python", HERE.parent / "requirements.txt")
    lake = Lake()
    try:
        reader = Reader(program, python, lake)
        problem = reader.prepare()
        if problem:
            sys.exit(f"the preparation: {problem}")
        counts = run_pages(reader)
        problem = run_pytest_example(reader)
        if problem:
            print(f"examples/pytest: {problem}")
        counts["failed" if problem else "passed"] += 1
        reader.leave()
    finally:
        lake.remove()
    suite.close(**counts)


if __name__ == "__main__":
    suite.main_guard(main)
