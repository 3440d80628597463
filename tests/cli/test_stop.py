"""`rmsd stop`: which daemon it stops."""

from __future__ import annotations

import argparse
import fcntl
import os
import pwd
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from rmsd_cli import stop
from rmsd_client.connection import server as server_module
from rmsd_daemon.setup.state_dir import LOCK, running_pid
from tests.commands import rmsd
from tests.live import Daemon
from tests.waiting import DEADLINE_S

pytestmark = [pytest.mark.live, pytest.mark.from_files]


@pytest.mark.long  # starts three daemons
def test_the_one_that_status_shows(start_daemon: Callable[..., Daemon]) -> None:
    """RMSD_SERVER counts, and a state directory that is given counts more: a job that has started a
    daemon of its own stops that one."""
    meant, other, third = (start_daemon("--no-local-node", "--emulate", "1x1") for _ in range(3))
    env = meant.env | {"RMSD_SERVER": f"unix:{other.state}/rmsd.sock"}
    without = {name: value for name, value in env.items() if name != "RMSD_STATE_DIR"}
    rmsd("stop", env=without)
    assert running_pid(other.state) is None  # another one can be started at once
    assert other.process is not None
    assert other.process.wait(DEADLINE_S) == 0
    rmsd("stop", "--state-dir", third.state, env=env)
    assert third.process is not None
    assert third.process.wait(DEADLINE_S) == 0
    rmsd("stop", env=env)
    assert meant.process is not None
    assert meant.process.wait(DEADLINE_S) == 0


@pytest.mark.slow
def test_the_machines_own_daemon_is_asked(
    start_daemon: Callable[..., Daemon],
    short_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An administrator without a daemon of its own says `rmsd stop`."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x1")
    for name in ("RMSD_STATE_DIR", "RMSD_SERVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(short_dir))
    monkeypatch.setattr(server_module, "SYSTEM_SOCKETS", ())
    parser = argparse.ArgumentParser()
    stop.add_arguments(parser)
    assert stop.run(parser.parse_args([])) == 75
    assert "no daemon runs on" in capsys.readouterr().err
    assert running_pid(daemon.state) is not None
    monkeypatch.setattr(server_module, "SYSTEM_SOCKETS", (f"{daemon.state}/rmsd.sock",))
    assert stop.run(parser.parse_args([])) == 0
    assert daemon.process is not None
    assert daemon.process.wait(DEADLINE_S) == 0


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may signal what is another account's")
def test_root_ends_no_process_that_another_account_names(tmp_path: Path) -> None:
    """The owner of a directory can write any number into the lock, and hold it."""
    owner = pwd.getpwnam("nobody")
    with (tmp_path / LOCK).open("w") as lock, subprocess.Popen(["sleep", "1000"]) as ours:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write(f"{ours.pid}\n")
            lock.flush()
            os.chown(tmp_path / LOCK, owner.pw_uid, owner.pw_gid)
            done = rmsd("stop", "--state-dir", tmp_path, "--within", "0", expect=1)
            assert "belongs to another account" in done.stderr
            assert ours.poll() is None
        finally:
            ours.kill()
