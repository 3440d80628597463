"""While somebody misbehaves the daemon serves the others, and afterwards all is given back.

Long: daemons are started, and loaded with more than one caller may ask.
"""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import psutil
import pytest

from rmsd_client.errors import ApiError
from rmsd_daemon.setup.open_files import MOST_HANDSHAKES
from tests import neighbours
from tests.live import Daemon
from tests.tcp import free_port
from tests.waiting import wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]

FORKS = 1000
"""After so many a bomb of ours stops, for the sake of the machine that tests it."""

BOMB = f"""
import os, signal, time
for number in signal.valid_signals() - {{signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}}:
    signal.signal(number, signal.SIG_IGN)
forks = os.open("forks", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
while os.write(forks, b"x") and os.fstat(forks).st_size <= {FORKS}:
    try:
        if os.fork() == 0:
            os.setsid()
    except BlockingIOError:  # the kernel lets it have no more
        os.close(os.open("refused", os.O_CREAT | os.O_WRONLY))
    time.sleep(0.02)
time.sleep(1000)
"""

_READERS = 6
"""Files that reading the database may open, and keep open."""

Neighbour = Callable[[Path], AbstractContextManager[Any]]


def files(daemon: Daemon) -> int:
    return psutil.Process(daemon.pid).num_fds()


def others_are_served(daemon: Daemon) -> None:
    """Jobs come, run and are told of, one after the other."""
    for _ in range(5):
        assert daemon.wait(daemon.emulate(0.0))["state"] == "COMPLETED"


def shakes_hands(port: int, own_address: str) -> bool:
    """Return whether the daemon serves a connection from this address; raise OSError if it does
    not."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", port), 30, (own_address, 0)) as plain,
        context.wrap_socket(plain) as sock,
    ):
        sock.sendall(b"GET /v1/jobs HTTP/1.1\r\nHost: x\r\n\r\n")
        return sock.recv(12) == b"HTTP/1.1 401"


def nothing_failed(daemon: Daemon) -> None:
    log = daemon.log.read_text()
    for event in (
        "request-failed",
        "pass-failed",
        "commit-failed",
        "commands-not-sent",
        "Traceback",
    ):
        assert event not in log, log[-3000:]


@pytest.mark.parametrize("neighbour", [neighbours.connections, neighbours.trickling_bodies])
def test_others_are_served_and_all_is_given_back(daemon: Daemon, neighbour: Neighbour) -> None:
    before = files(daemon)
    with neighbour(daemon.state / "rmsd.sock"):
        others_are_served(daemon)
        assert files(daemon) < before + 1100
    wait_until(lambda: files(daemon) <= before + _READERS)
    others_are_served(daemon)
    nothing_failed(daemon)


def test_who_never_reads_is_given_up(daemon: Daemon) -> None:
    """An answer that is not read has 30 s."""
    for _ in range(3):
        daemon.client.submit([{"emulate": {"run_s": 0}, "comment": "x" * 1000}] * 500)
    wait_until(lambda: not daemon.client.jobs())
    before = files(daemon)
    with neighbours.clients_that_never_read(daemon.state / "rmsd.sock"):
        wait_until(lambda: files(daemon) >= before + 8)
        others_are_served(daemon)
        # The clients still hold their ends.
        wait_until(lambda: files(daemon) <= before + _READERS, within_s=180.0)
    assert "answer-not-read" in daemon.log.read_text()
    others_are_served(daemon)
    nothing_failed(daemon)


def test_an_agent_that_lies_changes_nothing(daemon: Daemon) -> None:
    ids = [
        daemon.submit("sleep 1000"),
        daemon.emulate(1000.0),
        daemon.submit("sleep 1000", tasks=4),
    ]
    for job_id in ids:
        daemon.wait_for(job_id, "RUNNING")
    jobs = [daemon.client.job(job_id) for job_id in ids]
    with neighbours.agent_that_lies(daemon.state / "rmsd.sock", jobs) as rounds:
        wait_until(lambda: rounds() >= 2, within_s=180.0)
        others_are_served(daemon)
    assert [daemon.client.job(job_id)["state"] for job_id in ids] == ["RUNNING"] * 3
    assert [daemon.client.job(job_id)["attempt"] for job_id in ids] == [1] * 3
    assert {node["name"] for node in daemon.client.nodes()} == {"e1", "e2", "liar"}
    assert daemon.emulate(0.0) < ids[-1] + 100, "no number was passed over for a lie"
    for job_id in ids:
        daemon.client.cancel(job_id)
        assert daemon.wait(job_id)["state"] == "CANCELLED"
    nothing_failed(daemon)


def on_tcp(start_daemon: Callable[..., Daemon]) -> tuple[Daemon, int]:
    """Return a daemon that listens on TCP, and its port."""
    port = free_port()
    options = ("--no-local-node", "--emulate", "1x1", "--listen", f"127.0.0.1:{port}")
    daemon = start_daemon(*options, begin=False)
    daemon.rmsd("tls", "new", expect=0)
    return daemon.start(), port


def test_half_open_handshakes_do_not_keep_others_out(start_daemon: Callable[..., Daemon]) -> None:
    """A handshake has ten seconds."""
    daemon, port = on_tcp(start_daemon)
    before = files(daemon)
    with contextlib.ExitStack() as held:

        def is_full() -> bool:
            """Return whether the daemon is full, with ever more connections, as the first may have
            had their time already."""
            held.enter_context(neighbours.half_open_handshakes(port, 50))
            return files(daemon) >= before + MOST_HANDSHAKES

        wait_until(is_full)
        for _ in range(3):
            assert shakes_hands(port, "127.0.0.2"), "the greedy address makes room for another"
        others_are_served(daemon)
        assert files(daemon) <= before + MOST_HANDSHAKES + _READERS
        wait_until(lambda: files(daemon) <= before + _READERS)  # the handshakes had their time
    assert shakes_hands(port, "127.0.0.1")
    others_are_served(daemon)
    nothing_failed(daemon)


def test_half_open_handshakes_of_many_addresses_keep_nobody_out(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon, port = on_tcp(start_daemon)
    # If each had its ten seconds, the next connection would be served after 45 s.
    with neighbours.half_open_handshakes_from_everywhere(port, MOST_HANDSHAKES + 900):
        assert shakes_hands(port, "127.0.0.1"), "the oldest makes room when it has had a second"
    others_are_served(daemon)
    nothing_failed(daemon)


def test_a_job_that_ignores_every_signal_is_killed_and_so_is_all_it_has_started(
    daemon: Daemon,
) -> None:
    traps = "trap '' HUP INT QUIT TERM USR1 USR2 TSTP"
    time_s = f"1234.{os.getpid()}"  # no other process has this argument
    job_id = daemon.submit(
        f"{traps}; for i in 1 2 3; do (setsid sleep {time_s} &) ; done; echo > up; "
        "while :; do sleep 1; done"
    )
    wait_until(lambda: (daemon.work / "up").exists())
    daemon.client.cancel(job_id)
    others_are_served(daemon)
    assert daemon.wait(job_id)["state"] == "CANCELLED"
    found = [
        p.info["cmdline"]
        for p in psutil.process_iter(["cmdline"])
        if time_s in (p.info["cmdline"] or ())
    ]
    assert found == []


def test_a_script_that_forks_without_end_is_ended_and_so_is_all_of_it(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The script's processes ignore signals, have left its session, and go on forking while they
    are killed. On a node with cgroups the kernel lets the script have no more; elsewhere the script
    is killed for them."""
    daemon = start_daemon("--emulate", "1x1", config='max_processes = 64\nkill_grace = "0.5s"\n')
    (daemon.work / "bomb.py").write_text(BOMB)
    bomb = daemon.submit(f"exec {sys.executable} -I -S {daemon.work}/bomb.py", constraint="real")
    wait_until(lambda: len("".join(daemon.lines("forks"))) > 40)
    others_are_served(daemon)
    refused = daemon.work / "refused"
    wait_until(lambda: refused.exists() or daemon.state_of(bomb) == "FAILED")
    if refused.exists():
        # the agent was killed as well: other users may lack processes
        with contextlib.suppress(ApiError):
            daemon.client.cancel(bomb)
    job = daemon.wait(bomb)
    if job["state"] == "FAILED":
        assert "64 are allowed" in job["message"]
    else:
        assert (job["state"], refused.exists()) == ("CANCELLED", True)
    words = [process.info["cmdline"] or () for process in psutil.process_iter(["cmdline"])]
    assert not any(str(daemon.work / "bomb.py") in some for some in words)
    others_are_served(daemon)
    nothing_failed(daemon)
