"""Fixtures of the clients' tests."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import BIN
from tests.live import Daemon


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep the caller's own settings from tests, and wait for the slowest."""
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setattr("rmsd_client.connection.http.CONNECT_S", 60.0)
    monkeypatch.setattr("rmsd_client.connection.http.ANSWER_S", 60.0)


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Show times in UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    os.environ.pop("TZ")
    time.tzset()


@pytest.fixture(scope="package")
def cluster() -> Iterator[Daemon]:
    """Yield a daemon with two emulated nodes of twenty cores, whose jobs find our commands."""
    daemon = Daemon(
        *("--no-local-node", "--emulate", "2x20"),
        config='kill_grace = "30s"\nmax_script_size = "5M"\n',
    )
    daemon.env["PATH"] = f"{BIN}:{os.environ['PATH']}"
    daemon.env["XDG_CONFIG_HOME"] = str(daemon.root)
    try:
        yield daemon.start()
        daemon.end_jobs()
        daemon.stop()
    finally:
        daemon.close()
