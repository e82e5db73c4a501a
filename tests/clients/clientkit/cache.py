"""Clients as their registries publish them, fetched once and kept outside the tree.

An entry is named after a hash of the file that pins its versions, so that a changed pin makes a new
entry. A stamp is its last file: what was interrupted is made anew.
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import sys

from clientkit.suite import run_tool

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


@contextlib.contextmanager
def _entry(name, pins):
    """Yields (path, whether it is to be filled). One process fills an entry, the others wait."""
    digest = hashlib.sha256(pathlib.Path(pins).read_bytes()).hexdigest()[:12]
    path = root() / f"{name}-{digest}"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_name(path.name + ".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fill = not (path / STAMP).exists()
        if fill:
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir()
        yield path, fill
        (path / STAMP).touch()
