"""Backups of a live daemon, and restores of them."""

from __future__ import annotations

from pathlib import Path

from tests.live import Daemon

CONFIG = 'kill_grace = "1s"\nnode_dead = "60s"\n'


def backup(daemon: Daemon) -> Path:
    file = daemon.root / "backup.db"
    done = daemon.rmsd("backup", str(file))
    assert done.returncode == 0, done.stderr
    return file


def restore(daemon: Daemon, file: Path) -> str:
    """Stop, restore and start; return what `rmsd restore` said."""
    daemon.stop()
    done = daemon.rmsd("restore", str(file))
    assert done.returncode == 0, done.stderr
    daemon.start()
    return done.stdout


def counting(name: str, more: str = "") -> str:
    """Return a script whose every run is a line in the file `name`."""
    return f"echo run >> {name}\n{more}"
