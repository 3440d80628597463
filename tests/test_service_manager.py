"""The messages of a daemon and an agent to systemd, over a socket like systemd's."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from rmsd_process.service_manager import READY, ServiceManager
from tests.agent.rig import Rig
from tests.live import Daemon
from tests.waiting import DEADLINE_S

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.from_files


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.settimeout(DEADLINE_S)
        manager.bind(str(tmp_path / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield manager


def lines(told: socket.socket) -> list[str]:
    """Return the lines of the next message."""
    return told.recv(4096).decode().splitlines()


@pytest.mark.slow
def test_a_daemon_is_ready_when_its_socket_serves(told: socket.socket) -> None:
    daemon = Daemon("--no-local-node")
    try:
        daemon.spawn()
        assert lines(told) == ["READY=1"]
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(daemon.state / "rmsd.sock"))
        assert daemon.stop() == 0
        assert lines(told) == ["STOPPING=1"]
    finally:
        daemon.close()


@pytest.mark.slow
def test_an_agent_is_ready_when_it_is_linked_or_waits_for_its_daemon(told: socket.socket) -> None:
    rig = Rig()
    try:
        rig.start()
        assert lines(told) == ["READY=1", f"STATUS=linked to unix:{rig.peer.socket_path}"]
        rig.peer.stop()
        ready, status = lines(told)
        assert ready == "READY=1"
        assert status.startswith(f"STATUS=no link to unix:{rig.peer.socket_path}: ")
        rig.end_agent(signal.SIGTERM)
        while lines(told) != ["STOPPING=1"]:
            pass
    finally:
        rig.close()


def test_nothing_of_the_manager_is_left_for_children(told: socket.socket) -> None:
    ServiceManager().tell(READY, "two\nlines")
    assert lines(told) == ["READY=1", "STATUS=two lines"]
    assert "NOTIFY_SOCKET" not in os.environ
    ServiceManager().tell(READY)  # no service manager is to be told


def test_a_manager_that_is_gone_harms_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "gone"))
    ServiceManager().tell(READY)


def test_an_abstract_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.settimeout(DEADLINE_S)
        manager.bind("")  # the kernel chooses an abstract name
        monkeypatch.setenv("NOTIFY_SOCKET", "@" + manager.getsockname()[1:].decode())
        ServiceManager().tell(READY)
        assert lines(manager) == ["READY=1"]


@pytest.mark.parametrize("unit", sorted((ROOT / "systemd").glob("*.service")), ids=lambda p: p.name)
def test_systemd_never_gives_a_service_up(unit: Path) -> None:
    """By default systemd does so after five failures in 10 s: as many as a daemon has while a user
    of its machine listens on its port, which is taken during a restart."""
    settings = unit.read_text().splitlines()
    assert "RestartSec=1" in settings
    assert "StartLimitIntervalSec=0" in settings[: settings.index("[Service]")]
