"""Whose a state directory is, while others look."""

from __future__ import annotations

import fcntl
from pathlib import Path
from types import SimpleNamespace

import pytest

from rmsd_daemon.setup.state_dir import LOCK, StateDir, StateDirError, running_pid


def test_who_only_looks_keeps_no_daemon_from_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`rmsd stop` looks until a daemon is gone, and the next one may start just then."""
    with (tmp_path / LOCK).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        has_looked = SimpleNamespace(sleep=lambda _: fcntl.flock(file, fcntl.LOCK_UN))
        monkeypatch.setattr("rmsd_daemon.setup.state_dir.time", has_looked)
        state_dir = StateDir(tmp_path)
    try:
        assert running_pid(tmp_path) is not None
        with pytest.raises(StateDirError, match="a daemon is already running"):
            StateDir(tmp_path)
    finally:
        state_dir.close()
