"""The owner of a state directory, while other processes look."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from rmsd_daemon.setup.state_dir import (
    LOCK,
    StateDir,
    StateDirError,
    acting_for_owner,
    running_pid,
)


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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root acts for another account")
def test_root_acts_in_the_very_directory_whose_owner_it_has_looked_at(tmp_path: Path) -> None:
    """An account that owns what leads to a directory can have it lead to another one meanwhile."""
    seen, other, link = tmp_path / "seen", tmp_path / "other", tmp_path / "link"
    seen.mkdir()
    other.mkdir()
    link.symlink_to(seen)
    with acting_for_owner(link) as directory:
        link.unlink()
        link.symlink_to(other)
        assert directory.samefile(seen)


def test_nobody_waits_for_what_is_no_lock(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / LOCK)
    assert running_pid(tmp_path) is None
