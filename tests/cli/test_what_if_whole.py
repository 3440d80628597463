"""`rmsd what-if` leaves out no task of an array and no processor that was in use."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.live import Daemon
from tests.waiting import wait_until

TASKS = 5


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    """Run two jobs, each on a node of its own, of which one is drained meanwhile; the tasks of an
    array wait behind them."""
    daemon = Daemon("--no-local-node", "--emulate", "2x2")
    try:
        daemon.start()
        running = [daemon.emulate(9000.0, tasks=2, time_limit_s=9000.0) for _ in range(2)]
        for job_id in running:
            daemon.wait_for(job_id, "RUNNING")
        daemon.client.submit([{**_TIMER, "array": f"1-{TASKS}%2"}])
        daemon.client.drain("e2", "repair")
        wait_until(lambda: daemon.client.nodes()[1]["state"] == "draining")
        yield daemon
    finally:
        daemon.close()


_TIMER = {"emulate": {"run_s": 100.0}, "tasks": 1, "time_limit_s": 100.0}


@pytest.mark.slow
@pytest.mark.live
@pytest.mark.parametrize("source", ["daemon", "directory"])
def test_each_waiting_task_of_an_array_is_a_job(daemon: Daemon, source: str) -> None:
    words = [] if source == "daemon" else [str(daemon.state)]
    done = daemon.run("rmsd", "what-if", "--recipe", "easy", "--json", *words)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    array = daemon.client.jobs(states="PD")[-1]["array_job_id"]
    waiting = report["waiting"]
    assert [job["label"] for job in waiting] == [
        f"{array}_{index}" for index in range(1, TASKS + 1)
    ]
    starts_s = [job["starts"]["easy"]["in_s"] for job in waiting]
    assert starts_s[4] - starts_s[0] == pytest.approx(200.0)  # two at a time on the node e1
    shown = daemon.run("rmsd", "what-if", "--recipe", "easy", *words).stdout
    assert f"\n{array}_3 " in shown


@pytest.mark.slow
@pytest.mark.live
def test_no_more_processors_were_in_use_than_there_are(daemon: Daemon) -> None:
    done = daemon.run("rmsd", "what-if", "--recipe", "easy", "--json")
    report = json.loads(done.stdout)
    assert (report["cores"], report["utilization_cores"]) == (2, 4)
    assert 0 < report["happened"]["utilization"] <= 1
    assert "utilization is of all 4 cores" in daemon.run("rmsd", "what-if", "--recipe=easy").stdout
