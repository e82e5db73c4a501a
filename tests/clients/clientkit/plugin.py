"""What the pytest suites share: the option --program, servers, and the closing line."""

import collections
import pathlib

import pytest

from clientkit import suite
from clientkit.program import Lake, serving


def pytest_addoption(parser):
    parser.addoption("--program", type=pathlib.Path, required=True,
                     help="the built program berglite")


def pytest_configure(config):
    program = config.getoption("program")
    if not program.is_file():
        raise pytest.UsageError(f"no program at {program}")


@pytest.fixture(scope="session")
def program(pytestconfig):
    return pytestconfig.getoption("program")


@pytest.fixture(scope="session")
def server(program):
    """One server for all tests of a suite: each test keeps to names of its own."""
    with serving(program) as (running, _):
        yield running


@pytest.fixture
def lake():
    """A directory of the test's own, for a test that starts its servers itself."""
    made = Lake()
    yield made
    made.remove()


@pytest.fixture
def unique(request):
    """A name that no other test uses."""
    name = f"{request.module.__name__}_{request.node.name}"
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in name)


def pytest_terminal_summary(terminalreporter):
    def count(*kinds):
        return sum(len(terminalreporter.getreports(kind)) for kind in kinds)

    modules = collections.Counter(pathlib.Path(report.nodeid.split("::")[0]).stem
                                  for report in terminalreporter.getreports("passed"))
    suite.record({"passed": count("passed"), "failed": count("failed", "error"),
                  "skipped": count("skipped"), "modules": modules})
    terminalreporter.ensure_newline()
    terminalreporter.write_line(f"{count('passed')} passed, {count('failed', 'error')} failed, "
                                f"{count('skipped')} skipped")
