"""Fixtures of the daemon's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.daemon.joined_agents import Site
from tests.live import Daemon
from tests.tcp import Tcp
from tests.waiting import DEADLINE_S


@pytest.fixture
def tcp(start_daemon: Callable[..., Daemon]) -> Tcp:
    """Start a daemon with two emulated nodes that listens over TCP."""
    config = "allow_root_jobs = true\n"
    daemon = start_daemon("--no-local-node", "--emulate", "2x4", config=config, begin=False)
    tcp = Tcp(daemon)
    daemon.start()
    return tcp


@pytest.fixture
def site(request: pytest.FixtureRequest, start_daemon: Callable[..., Daemon]) -> Iterator[Site]:
    """Start a daemon that agents may join. The parameter is its configuration, if any."""
    config: str = getattr(request, "param", "")
    daemon = start_daemon("--no-local-node", config=config, begin=False)
    site = Site(Tcp(daemon))
    daemon.start()
    try:
        yield site
    finally:
        for agent in site.agents:
            agent.kill()
            agent.wait(DEADLINE_S)
