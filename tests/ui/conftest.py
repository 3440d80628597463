"""Fixtures for tests of the dashboard."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser import browser_or_skip, running_browser
from tests.live import Daemon
from tests.ui.dashboards import Dashboard, dashboard_of


@pytest.fixture(scope="module")
def cluster() -> Iterator[Daemon]:
    """Run one daemon for the tests that leave no job in it."""
    daemon = Daemon("--no-local-node", "--emulate", "2x4", "--emulate-gres", "gpu:a:2")
    try:
        yield daemon.start()
    finally:
        daemon.close()


@pytest.fixture
def dashboard(cluster: Daemon) -> Iterator[Dashboard]:
    with dashboard_of(cluster) as made:
        yield made


@pytest.fixture
def seen(daemon: Daemon) -> Iterator[Dashboard]:
    """Yield a dashboard of a daemon that no other test has."""
    with dashboard_of(daemon) as made:
        yield made


@pytest.fixture(scope="module")
def browser() -> Iterator[int]:
    browser_or_skip()
    with running_browser() as port:
        yield port
