"""Configurations for tests: read from a text, and taken anew by a daemon."""

from __future__ import annotations

import signal
from pathlib import Path

from rmsd_daemon.setup.config import Config
from rmsd_daemon.setup.loading import load
from tests.live import Daemon
from tests.waiting import wait_until


def reload(daemon: Daemon, config: str) -> None:
    """Have the daemon read another configuration."""
    before = len(daemon.log.read_text())
    daemon.configure_anew(config)
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "config-reloaded" in daemon.log.read_text()[before:])


def from_text(tmp_path: Path, text: str) -> Config:
    """Return the configuration that a text makes."""
    path = tmp_path / "rmsd.toml"
    path.write_text(text)
    return load({}, str(path), {"HOME": "/nowhere"})
