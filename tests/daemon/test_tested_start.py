"""When a job would start, asked of a real daemon that then submits nothing."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from collections.abc import Callable
from typing import Any, cast

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_daemon.domain.turns import Turn, Turns
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries import tested_start
from rmsd_daemon.queries.tested_start import StartTester
from tests.commands import BIN
from tests.live import Daemon

_live = pytest.mark.live

_S = 1_000_000


def rsub(daemon: Daemon, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN / "rsub", *words], env=daemon.env, capture_output=True, text=True, cwd=daemon.work
    )


@pytest.mark.slow
@_live
def test_a_job_is_told_its_start_and_is_not_submitted(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "2x4", config='recipe = "conservative"\n')
    first = rsub(daemon, "--test-only", "-n", "3", "--wrap", "true")
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.startswith("Job 1 to start at ")
    assert first.stdout.endswith(" using 3 processors on nodes e1 in partition main\n")
    assert daemon.client.jobs(states="all") == []

    runs = daemon.submit("sleep 600", tasks=8, time_limit_s=600)
    daemon.wait_for(runs, "RUNNING")
    begun_us = daemon.client.job(runs)["start_us"]
    words = ("--json", "--test-only", "-n", "5", "-t", "10", "--wrap", "true")
    told = json.loads(rsub(daemon, *words).stdout)
    assert (told["start_us"], told["end_us"]) == (begun_us + 600 * _S, begun_us + 1200 * _S)
    assert (told["job_id"], told["nodelist"], told["cpus"]) == (2, "e[1-2]", 5)
    submitted = daemon.submit("true", tasks=5, time_limit_s=600)
    assert submitted == told["job_id"]
    [start] = daemon.client.plan()["starts"]
    assert (start["job_id"], start["start_us"]) == (submitted, told["start_us"])

    later = rsub(daemon, "--json", "--test-only", "-b", "now+1hour", "-n", "8", "--wrap", "true")
    at_us = json.loads(later.stdout)["start_us"]
    assert abs(at_us / _S - time.time() - 3600) < 600
    array = rsub(daemon, "--json", "--test-only", "-a", "0-99", "-n", "4", "-t", "1", "--wrap", ":")
    assert json.loads(array.stdout)["start_us"] >= begun_us + 600 * _S
    assert [job["job_id"] for job in daemon.client.jobs(states="all")] == [runs, submitted]


@pytest.mark.slow
@_live
def test_a_job_that_would_be_refused_is_refused(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x4")
    never = rsub(daemon, "--test-only", "-n", "5", "--wrap", "true")
    assert never.returncode == 65
    assert "can never be met" in never.stderr
    gone = rsub(daemon, "--test-only", "-d", "afterok:77", "--wrap", "true")
    assert (gone.returncode, gone.stdout) == (2, "")
    assert "there is no job 77" in gone.stderr
    held = rsub(daemon, "--test-only", "-H", "--wrap", "true")
    assert (held.returncode, held.stdout) == (1, "")
    assert "cannot be told: it would be held" in held.stderr
    daemon.client.drain("e1", "maintenance")
    waits = rsub(daemon, "--test-only", "--wrap", "true")
    assert waits.returncode == 1
    assert "nodes that are down or drained" in waits.stderr
    assert daemon.client.jobs(states="all") == []


async def test_each_caller_has_one_answer_made_at_a_time_and_few_callers_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A copy of the queue was in memory for each request: a thousand of one user took gigabytes."""
    gate, begun = asyncio.Event(), list[Turn]()

    async def expected(_scheduler: Any, _job: Job, _begin_us: None, turn: Turn) -> tuple[None, str]:
        begun.append(turn)
        await gate.wait()
        return None, "nodes"

    class Cluster:
        next_id = 1

    class Idle:
        cluster = Cluster()

    monkeypatch.setattr(tested_start, "expected_start", expected)
    starts, turns = StartTester(cast("Scheduler", Idle())), Turns()
    job = Job(0, "ann", 0, processors(1), _S)

    async def ask(caller: str) -> None:
        with turns.of(caller) as turn:
            await starts.of(job, turn)

    callers = [f"user{number}" for number in range(10)]
    asked = [asyncio.create_task(ask(caller)) for caller in callers for _ in range(3)]
    for _ in range(100):
        await asyncio.sleep(0)
    assert (len(begun), len(set(begun))) == (2, 2)
    gate.set()
    await asyncio.gather(*asked)
    assert len(begun) == 30
