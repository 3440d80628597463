"""Fixtures of the clients' tests."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def short_dir() -> Iterator[Path]:
    """A directory with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="rc", dir="/tmp") as name:
        yield Path(name)


@pytest.fixture(autouse=True, scope="session")
def _interruptible() -> None:
    """A shell has its background commands ignore SIGINT, and the commands we start inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of the caller's own settings reaches a test."""
    own = [name for name in os.environ if name.startswith("RMSD_")]
    for name in (*own, "NO_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.delenv("COLUMNS", raising=False)
