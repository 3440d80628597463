"""Fixtures for tests against a real daemon."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.fresh import seed_of
from tests.live import Daemon
from tests.warm_process import fork_programs

# No test asserts a duration. Each run draws other examples (`tests/fresh.py`). Some of them are
# constants of our modules that are loaded by then, so that a failure also prints the
# `@reproduce_failure` that repeats its example wherever the test is run.
settings.register_profile(
    "rmsd",
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("rmsd")

_OURS = ("RMSD_TEST_DATA", "RMSD_API_EXAMPLES")
for name in list(os.environ):
    # The caller's own settings are none of the tests'.
    if name.startswith(("RMSD_", "RMS_", "RSUB_")) and name not in _OURS:
        del os.environ[name]
# aiohttp reads the authorities that the machine trusts when it is imported; no test asks one.
os.environ["SSL_CERT_FILE"] = os.devnull
for name in ("COLUMNS", "LINES", "NO_COLOR", "CLICOLOR_FORCE"):
    os.environ.pop(name, None)
    os.unsetenv(name)  # readline, which pytest imports, sets some behind the back of `os.environ`


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "from_files: what a daemon or an agent is started with matters, and nothing forks it",
    )
    config.addinivalue_line("markers", "longest: runs for minutes, and begins before all others")


_LONGEST_S = 900
"""The timeout of a test with random examples. Hypothesis shrinks a failure for up to 300 s; a
timeout amid that would stand in the report instead of the failure."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests with random examples the time to shrink a failure. Begin with the longest tests,
    so that none of them runs alone at the end."""
    items.sort(key=lambda item: item.get_closest_marker("longest") is None)
    for item in items:
        has_examples = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        if has_examples and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(_LONGEST_S))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fork daemons and agents from a process that has their libraries, but not in long tests."""
    marks = {mark.name for mark in item.iter_markers()}
    fork_programs(marks.isdisjoint({"long", "from_files"}))


@pytest.fixture(scope="session")
def fresh_seed(pytestconfig: pytest.Config) -> int:
    """Return the seed of this run's random tests."""
    return seed_of(pytestconfig)


@pytest.fixture
def short_dir() -> Iterator[Path]:
    """Yield a directory with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="rt", dir="/tmp") as name:
        yield Path(name)


@pytest.fixture
def start_daemon() -> Iterator[Callable[..., Daemon]]:
    """Start daemons: `start_daemon("--emulate", "2x4", config='kill_grace = "1s"')`."""
    daemons: list[Daemon] = []

    def start(*options: str, config: str = "", begin: bool = True) -> Daemon:
        daemon = Daemon(*options, config=config)
        daemons.append(daemon)
        return daemon.start() if begin else daemon

    try:
        yield start
    finally:
        for daemon in daemons:
            daemon.close()


@pytest.fixture
def daemon(start_daemon: Callable[..., Daemon]) -> Daemon:
    """Return a daemon with two emulated nodes of four cores, and a short kill grace."""
    return start_daemon("--no-local-node", "--emulate", "2x4", config='kill_grace = "1s"\n')


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that runs the tests in the background ignores SIGINT, and the tests' children would
    # inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
