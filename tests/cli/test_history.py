"""`rmsd history export`: what a daemon has scheduled, as a trace that gives the same schedule."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rmsd_core.machine.nodes import Node
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.schedule import Scheduled
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import Trace, TraceJob, parse_swf
from rmsd_lab.workloads.swf_log import format_log
from rmsd_lab_cli.history.log import HistoryLog, HistorySource, log_of
from rmsd_lab_cli.workload import read_trace
from tests.commands import rmsd
from tests.live import Daemon

ORIGIN_US = 1_800_000_000 * SECOND_US + 123_456


def view(job: Scheduled, late_us: int = 0, **more: object) -> dict[str, Any]:
    """Return a job as the API lists it; `late_us` is what its submit and its start were late."""
    known = {
        "job_id": job.job_id,
        "user": f"user-{job.user}",
        "name": "replay",
        "state": "FAILED" if job.failed else "COMPLETED",
        "cause": "exit",
        "submit_us": ORIGIN_US + job.submit_us + late_us,
        "eligible_us": ORIGIN_US + job.submit_us + late_us,
        "start_us": ORIGIN_US + job.start_us + late_us,
        "end_us": ORIGIN_US + job.end_us + late_us,
        "cpus": job.size,
        "tasks": job.size,
        "cpus_per_task": 1,
        "nodes": 1,
        "mem_mib": 0,
        "cpu_s": None,
        "estimate_s": job.estimate_us / SECOND_US,
    }
    return known | more


def source(views: list[dict[str, Any]], now_us: int = ORIGIN_US) -> HistorySource:
    return HistorySource(views, [Node("a", 16, 0), Node("b", 48, 0)], "easy++", "counted", now_us)


def read_back(log: HistoryLog) -> Trace:
    return parse_swf(format_log(log.header, log.jobs))


def schedule_of(jobs: list[TraceJob], recipe: str) -> list[tuple[int, ...]]:
    """Return what is compared of a simulation: nothing that has the user's name in it."""
    simulated = simulate(jobs, 64, parse_recipe(recipe)).jobs
    return [(job.job_id, job.submit_us, job.start_us, job.end_us) for job in simulated]


@pytest.mark.parametrize("recipe", ["easy++", "conservative", "timed-easy"])
def test_an_export_is_the_trace_that_was_scheduled(recipe: str) -> None:
    """The traces agree field by field, also when every job was late by less than half a second."""
    trace = sample_trace(200, 64, seed=3)
    trace = [job._replace(submit_s=job.submit_s - trace[0].submit_s) for job in trace]
    draw = random.Random(1)
    late_us = [0, *(draw.randrange(-450_000, 450_000) for _ in trace[1:])]
    done = simulate(trace, 64, parse_recipe(recipe)).jobs
    views = [view(job, late) for job, late in zip(done, late_us, strict=True)]
    log = log_of(source(views), None, anonymous=False)
    found = read_back(log)
    users = {f"{number}": name for number, name in _mapping(log, "user").items()}
    assert [job._replace(user=users[job.user]) for job in found.jobs] == [
        job._replace(user=f"user-{job.user}") for job in trace
    ]
    assert found.processors == 64
    assert schedule_of(found.jobs, recipe) == schedule_of(trace, recipe)
    waits_s = [(job.start_us - job.submit_us) // SECOND_US for job in done]
    assert [job.wait_s for job in log.jobs] == waits_s


def _mapping(log: HistoryLog, kind: str) -> dict[int, str]:
    notes = [text.split(" is ") for key, text in log.header if key == "Note"]
    return {
        int(words[0].split()[1]): words[1]
        for words in notes
        if words[0].split()[0] == kind
        if words[0].split()[1].isdigit()
    }


def test_fields_by_hand() -> None:
    job = Scheduled(7, 0, 90 * SECOND_US, 100 * SECOND_US, 0, 4, user="1", estimate_us=1)
    views = [
        view(job, cpu_s=10.0, mem_mib=100, nodes=2, cpus_per_task=3, tasks=2, estimate_s=60.2),
        view(job, job_id=8, state="CANCELLED", cause="user", estimate_s=None, name="x", user="b"),
        view(job, job_id=9, state="TIMEOUT", cause="limit"),
        view(job, job_id=13, submit_us=ORIGIN_US, eligible_us=ORIGIN_US + 30 * SECOND_US),
        view(job, job_id=10, state="RUNNING", end_us=None, cause=None),
        view(job, job_id=11, state="CANCELLED", start_us=None, cause="user"),
        view(job, job_id=12, state="FAILED", cause="launch"),
    ]
    log = log_of(source(views), None, anonymous=False)
    lines = [" ".join(map(str, line)) for line in log.jobs]
    assert lines == [
        "7 0 90 10 4 2 -1 6 61 51200 1 1 -1 1 -1 -1 -1 -1",
        "8 0 90 10 4 -1 -1 4 -1 -1 5 2 -1 2 -1 -1 -1 -1",
        "9 0 90 10 4 -1 -1 4 1 -1 0 1 -1 1 -1 -1 -1 -1",
        "13 30 60 10 4 -1 -1 4 1 -1 1 1 -1 1 -1 -1 -1 -1",
    ]
    header = dict(log.header[:10])
    assert header["Version"] == "2.2"
    assert header["UnixStartTime"] == "1800000000"
    assert header["StartTime"] == "Fri Jan 15 08:00:00 UTC 2027"
    assert (header["MaxNodes"], header["MaxProcs"], header["MaxJobs"]) == ("2", "64", "4")
    assert (log.live, log.never_started) == (1, 2)
    notes = [text for key, text in log.header if key == "Note"]
    assert "left out: 1 jobs that are not over, 2 that never ran" in notes
    assert any("waited on purpose" in note for note in notes)
    assert notes[-4:] == [
        "user 1 is user-1",
        "user 2 is b",
        "executable 1 is replay",
        "executable 2 is x",
    ]
    assert "user-1" not in str(log_of(source(views), None, anonymous=True))


def test_since_says_what_it_leaves_out() -> None:
    jobs = [Scheduled(n, n * 10 * SECOND_US, n * 10**8, n * 10**8, 0, 1) for n in (1, 2, 3)]
    log = log_of(source([view(job) for job in jobs]), ORIGIN_US + 20 * SECOND_US, anonymous=True)
    assert [(job.number, job.submit_s) for job in log.jobs] == [(2, 0), (3, 10)]
    said = "left out: all jobs submitted before Fri Jan 15 08:00:21 UTC 2027"
    assert ("Note", said) in log.header


def test_the_order_in_which_jobs_come_does_not_matter() -> None:
    """A daemon tells the newest page first."""
    times = (30, 10, 10, 20)
    jobs = [Scheduled(n, at * SECOND_US, 10**8, 2 * 10**8, 0, n) for n, at in enumerate(times, 1)]
    views = [view(job, user=f"u{job.job_id % 3}", name=f"n{job.job_id}") for job in jobs]
    told = [
        [*format_log(log.header, log.jobs)]
        for some in (views, views[2:] + views[:2])
        for log in [log_of(source(some), None, anonymous=False)]
    ]
    assert told[0] == told[1]
    assert [line.split()[0] for line in told[0][-4:]] == ["2", "3", "4", "1"]
    assert "; Note: user 1 is u1\n" in told[0]


def test_a_machine_is_as_large_as_its_largest_job() -> None:
    job = Scheduled(1, 0, 0, 0, 0, 99)
    assert log_of(source([view(job)]), None, anonymous=True).processors == 99


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "export"),
        (["export"], 2, "--swf"),
        (["export", "--swf", "OUT", "DIR", "--server", "unix:/x"], 2, "not both"),
        (["export", "--swf", "OUT", "DIR"], 1, "is no state directory of rmsd"),
        (["export", "--swf", "OUT", "--server", "unix:/nonexistent.sock"], 75, "/nonexistent.sock"),
    ],
)
def test_what_is_wrong_is_explained(
    tmp_path: Path, arguments: list[str], code: int, said: str
) -> None:
    paths = {"OUT": tmp_path / "out.swf", "DIR": tmp_path}
    done = rmsd("history", *(paths.get(word, word) for word in arguments), expect=code)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not paths["OUT"].exists()


@pytest.mark.slow
@pytest.mark.live
def test_the_export_of_a_daemon_is_what_was_submitted(
    start_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    """A hundred jobs have one request, so that nothing depends on how fast this machine is."""
    trace = [
        job._replace(submit_s=0, run_s=job.run_s % 500, estimate_s=job.estimate_s % 900 + 1)
        for job in sample_trace(100, 64, seed=5)
    ]
    options = ["--no-local-node", "--emulate", "1x64", "--capacity", "counted"]
    daemon = start_daemon(*options, "--rate", "2000", "--recipe", "easy++")
    ids = daemon.client.submit(
        [
            {
                "user": f"user-{job.user}",
                "tasks": job.size,
                "time_limit_s": job.estimate_s,
                "emulate": {"run_s": job.run_s},
            }
            for job in trace
        ]
    )
    for job in ids:
        daemon.wait(job["job_id"])
    daemon.client.drain("e1", "so that it waits")
    daemon.client.cancel(daemon.emulate(1, tasks=64))
    out, zipped = tmp_path / "out.swf", tmp_path / "out.swf.gz"
    server = f"unix:{daemon.state}/rmsd.sock"
    shown = rmsd("history", "export", "--swf", zipped, "--server", server, "--since", "300d")
    assert "100 jobs on 64 processors (left out: 0 that are not over, 1 that never ran" in (
        shown.stdout
    )
    rmsd("history", "export", "--swf", out, daemon.state)
    lines = out.read_text().splitlines()
    assert "; Note: the scheduler when this was written: recipe easy++" in lines
    jobs = [line for line in lines if not line.startswith(";")]
    assert gzip.decompress(zipped.read_bytes()).decode().splitlines()[-100:] == jobs
    found = read_trace(out).jobs
    groups: dict[str, str] = {}
    for ours, theirs in zip(found, trace, strict=True):
        assert groups.setdefault(ours.user, theirs.user) == theirs.user
        assert ours._replace(number=0, user="") == theirs._replace(number=0, user="")
    renumbered = [job._replace(number=at) for at, job in enumerate(trace, 1)]
    assert schedule_of(found, "easy++") == schedule_of(renumbered, "easy++")
    daemon.stop()
    rmsd("history", "export", "--swf", zipped, daemon.state)
    assert gzip.decompress(zipped.read_bytes()) == out.read_bytes()
