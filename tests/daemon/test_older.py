"""Agents of the version before with this daemon, and this agent with the daemon of before.

Their code is that of an earlier commit. Agents are upgraded after the daemon, one by one, while
jobs run: everything that the older one can do must go on.

Long: daemons and agents of two versions are started, one after the other.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

import rmsd_wire
from rmsd_wire import link
from tests.commands import BIN
from tests.daemon.trials import TIMED, head_of_queue, let_go
from tests.link_frames import to_agent
from tests.live import Daemon, node_state, other_agent
from tests.older import code_of
from tests.waiting import wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]

BEFORE = "c24bf1d6ea9d"
"""The commit before roles, users, memory limits and journals of ends."""


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment in which Python runs the older code."""
    return code_of(BEFORE, tmp_path_factory.mktemp("older"))


@contextmanager
def older_agent(daemon: Daemon, older: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Yield the older agent, as the node `old` with four processors."""
    command = [sys.executable, "-m", "rmsd_agent.main", "--no-local-node"]
    command += ["--emulate", "1x4", "--emulate-prefix", "old"]
    command += ["--server", f"unix:{daemon.state}/rmsd.sock", "--state-dir", f"{daemon.root}/other"]
    with (daemon.root / "old.log").open("ab") as log:
        agent = subprocess.Popen(command, env=daemon.env | older, stdout=log, stderr=log)
    try:
        wait_until(lambda: node_state(daemon, "old1") == "idle")
        yield agent
    finally:
        agent.kill()
        agent.wait()


@pytest.fixture
def daemon(start_daemon: Callable[..., Daemon]) -> Daemon:
    """Run a daemon whose only node is the older agent's."""
    return start_daemon("--no-local-node", config=f'{TIMED}node_dead = "60s"\n')


def test_jobs_run_on_an_older_agent(daemon: Daemon, older: dict[str, str]) -> None:
    with older_agent(daemon, older):
        fine = daemon.submit("echo hello; echo again >&2; exit 3", stderr="err")
        assert daemon.wait(fine)["exit_code"] == 3
        output = daemon.client.output(fine)
        assert (output.data, output.eof) == (b"hello\n", True)
        assert daemon.wait(daemon.submit("sleep 600", time_limit_s=1))["state"] == "TIMEOUT"
        cancelled = daemon.submit("sleep 600")
        daemon.wait_for(cancelled, "RUNNING")
        daemon.client.cancel(cancelled)
        assert daemon.wait(cancelled)["state"] == "CANCELLED"
        assert daemon.wait(daemon.emulate(0.1))["state"] == "COMPLETED"


def test_tasks_of_a_step_run_there(daemon: Daemon, older: dict[str, str]) -> None:
    with older_agent(daemon, older):
        job = daemon.submit(f"{BIN}/rrun -l sh -c 'echo task; exit 5'", tasks=2, env=daemon.env)
        assert daemon.wait(job)["exit_code"] == 5
        assert sorted(daemon.client.output(job).data.splitlines()[:2]) == [b"0: task", b"1: task"]


def test_its_trials_are_killed_for_others(daemon: Daemon, older: dict[str, str]) -> None:
    with older_agent(daemon, older):
        script = 'echo "$RMS_ATTEMPT" >> ran; [ "$RMS_ATTEMPT" = 2 ] || sleep 600'
        other = head_of_queue(daemon, tasks=4)
        tried = daemon.submit(script, tasks=3)
        wait_until(lambda: daemon.lines("ran"))
        let_go(daemon)
        assert daemon.wait(other)["state"] == "COMPLETED"
        assert daemon.wait(tried)["attempt"] == 2
        assert daemon.lines("ran") == ["1", "2"]


def test_its_jobs_outlive_a_daemon_and_an_upgrade_of_the_agent(
    daemon: Daemon, older: dict[str, str]
) -> None:
    with older_agent(daemon, older):
        first = daemon.submit("while [ ! -e one ]; do sleep 0.02; done; exit 6")
        second = daemon.submit("while [ ! -e two ]; do sleep 0.02; done; exit 7")
        daemon.wait_for(first, "RUNNING")
        daemon.wait_for(second, "RUNNING")
        daemon.kill()
        daemon.start(nodes=1)
        (daemon.work / "one").touch()
        assert daemon.wait(first)["exit_code"] == 6
    names = ["--no-local-node", "--emulate", "1x4", "--emulate-prefix", "old"]
    with other_agent(daemon, *names):
        wait_until(lambda: node_state(daemon, "old1") == "mixed")
        (daemon.work / "two").touch()
        assert daemon.wait(second)["exit_code"] == 7


def test_this_agent_works_with_the_daemon_of_before(
    start_daemon: Callable[..., Daemon], older: dict[str, str]
) -> None:
    """This is not the recommended order, and does no harm."""
    daemon = start_daemon("--no-local-node", begin=False)
    daemon.spoiled = True  # the database is the older rmsd's, which this rmsd does not verify
    daemon.env |= older
    daemon.command = lambda *_: [  # type: ignore[method-assign]
        *(sys.executable, "-m", "rmsd_cli.main", "start", "--no-local-node")
    ]
    daemon.start()
    for name in older:
        del daemon.env[name]
    with other_agent(daemon, "--no-local-node", "--emulate", "1x4", "--emulate-prefix", "new"):
        wait_until(lambda: node_state(daemon, "new1") == "idle")
        job = daemon.submit("exit 3")
        done = daemon.wait(job)
        assert done["exit_code"] == 3 or "root" in done["message"]


async def greeted(socket: Path, protocol: int) -> list[Any]:
    """Return what the daemon answers to a hello of that version."""
    connector = aiohttp.UnixConnector(str(socket))
    async with (
        aiohttp.ClientSession(connector=connector) as http,
        http.ws_connect("http://rmsd/v1/link") as ws,
    ):
        hello = link.Hello(protocol, "0", "agent", 1, [], [])
        await ws.send_bytes(link.encoder.encode([hello]))
        return to_agent.decode((await ws.receive()).data)


@pytest.mark.parametrize(
    ("protocol", "which"),
    [(rmsd_wire.OLDEST_PROTOCOL - 1, "the agent"), (rmsd_wire.PROTOCOL + 1, "the daemon")],
)
async def test_other_versions_are_told_who_must_be_upgraded(
    daemon: Daemon, protocol: int, which: str
) -> None:
    [goodbye] = await greeted(daemon.state / "rmsd.sock", protocol)
    assert f"version {protocol} of the protocol" in goodbye.reason
    assert goodbye.reason.endswith(f"upgrade {which}")
    assert not goodbye.retry
