"""A running cluster is upgraded as docs/admin-operation.md says: first the daemon, then its agents.

The older daemon and the older agent are of the commit whose schema is the base, from which all
databases are migrated. Long: three daemons and two agents are started one after the other.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from rmsd_daemon.store.tables import BASE, REVISION
from tests.live import Daemon, node_state, other_agent
from tests.older import code_of
from tests.waiting import DEADLINE_S, wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]

BEFORE = "570d99c77b68"
"""The commit with the first schema that is still migrated."""
NODES = ("--no-local-node", "--emulate", "1x4", "--emulate-prefix", "n")


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment in which Python runs the older code."""
    return code_of(BEFORE, tmp_path_factory.mktemp("older"))


@contextmanager
def older_agent(daemon: Daemon, older: dict[str, str]) -> Iterator[None]:
    """Run the older agent, with the state directory that `other_agent` takes over."""
    command = [sys.executable, "-m", "rmsd_agent.main", *NODES]
    command += ["--server", f"unix:{daemon.state}/rmsd.sock", "--state-dir", f"{daemon.root}/other"]
    command += ["--allow-root-jobs"] * (os.geteuid() == 0)
    with (daemon.root / "old.log").open("ab") as log:
        agent = subprocess.Popen(command, env=daemon.env | older, stdout=log, stderr=log)
    try:
        wait_until(lambda: node_state(daemon, "n1") == "idle", "the older agent's node is up")
        yield
    finally:
        agent.terminate()
        agent.wait()


@contextmanager
def older_daemon(daemon: Daemon, older: dict[str, str], end: signal.Signals) -> Iterator[None]:
    """Run the older daemon on the state directory of `daemon`, and end it by a signal."""
    command = [sys.executable, "-m", "rmsd_cli.main", "start", "--no-local-node"]
    with daemon.log.open("ab") as log:
        process = subprocess.Popen(command, env=daemon.env | older, stdout=log, stderr=log)
    try:
        wait_until(lambda: (daemon.state / "rmsd.sock").exists() or process.poll() is not None)
        assert process.poll() is None, daemon.log.read_text()
        yield
    finally:
        daemon.client.close()
        process.send_signal(end)
        process.wait()


def waits_for(name: str, code: int) -> str:
    """Return a script that ends once there is a file of this name. Each run of it leaves a line."""
    return f"echo run >> runs-{name}; while [ ! -e {name} ]; do sleep 0.02; done; exit {code}"


def told_of(daemon: Daemon) -> dict[int, dict[str, Any]]:
    """Return what the daemon tells of each job that does not change by itself."""
    same = ("name", "user", "submit_us", "time_limit_s", "cpus", "array_job_id", "workdir")
    jobs = daemon.client.jobs(states="all", limit=1000)
    return {job["job_id"]: {key: job[key] for key in same} for job in jobs}


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_no_job_is_lost_by_an_upgrade_and_running_jobs_go_on(
    start_daemon: Callable[..., Daemon], older: dict[str, str], end: signal.Signals
) -> None:
    daemon = start_daemon("--no-local-node", begin=False)
    with ExitStack() as old_agent:
        with older_daemon(daemon, older, end):
            old_agent.enter_context(older_agent(daemon, older))
            over = daemon.submit("exit 3")
            assert daemon.wait(over)["exit_code"] == 3
            names = ("meanwhile", "before", "behind")  # when the job ends: see below
            running = {name: daemon.submit(waits_for(name, 4)) for name in names}
            for name in names:
                wait_until(lambda name=name: daemon.lines(f"runs-{name}"), f"{name} runs")
            array = daemon.submit("exit $SLURM_ARRAY_TASK_ID", array="0-2", tasks=4)
            held = daemon.submit("exit 5", conditions={"hold": True})
            known = told_of(daemon)
        (daemon.work / "meanwhile").touch()  # this job ends while there is no daemon
        wait_until(lambda: list((daemon.root / "other").rglob("status.json")), "its end is noted")

        daemon.start(nodes=1)
        assert f'"schema": "{BASE}"' in daemon.log.read_text()
        assert (daemon.state / f"rmsd.db.before-{REVISION}").exists()
        assert told_of(daemon) == known
        assert daemon.client.job(over)["exit_code"] == 3
        assert daemon.wait(running["meanwhile"])["exit_code"] == 4
        (daemon.work / "before").touch()  # this job ends under the new daemon on the older agent
        assert daemon.wait(running["before"])["exit_code"] == 4
        assert daemon.wait(daemon.submit("exit 6"))["exit_code"] == 6

    with other_agent(daemon, *NODES):
        wait_until(lambda: node_state(daemon, "n1") == "mixed", "the new agent's node is up")
        assert daemon.state_of(running["behind"]) == "RUNNING"
        (daemon.work / "behind").touch()
        assert daemon.wait(running["behind"])["exit_code"] == 4
        assert [
            daemon.client.wait(f"{array}_{at}", DEADLINE_S)["exit_code"] for at in range(3)
        ] == [0, 1, 2]
        daemon.client.change(held, "release")
        assert daemon.wait(held)["exit_code"] == 5
        for name, job_id in running.items():
            assert daemon.lines(f"runs-{name}") == ["run"]
            assert daemon.client.job(job_id)["attempt"] == 1
