"""Nodes that jobs ask for by name, live."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from rmsd_wire.hostlist import expand
from tests.live import Daemon


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    found = Daemon("--no-local-node", "--emulate", "3x2")
    try:
        yield found.start()
    finally:
        found.close()


@pytest.mark.slow
def test_named_and_excluded_nodes(daemon: Daemon) -> None:
    both = daemon.emulate(1, nodelist="e[2-3]")
    more = daemon.emulate(1, nodelist="e3", nodes=2, exclude="e1")
    other = daemon.emulate(1, tasks=4, exclude="e2")
    for job_id in (both, more, other):
        daemon.wait(job_id)
    jobs = {job["job_id"]: job for job in daemon.client.jobs(states="all")}
    assert (jobs[both]["nodelist"], jobs[both]["tasks"]) == ("e[2-3]", 2)
    assert jobs[both]["request"][0]["require"] == ["e2", "e3"]
    assert sorted(expand(jobs[more]["nodelist"])) == ["e2", "e3"]
    assert sorted(expand(jobs[other]["nodelist"])) == ["e1", "e3"]


@pytest.mark.parametrize(
    ("options", "nodes", "tasks"),
    [
        (["-N", "1-3"], 1, 1),
        (["-N", "2-3"], 2, 2),
        (["-N", "1-3", "-n", "6"], 3, 6),
        (["-N", "1-9", "-n", "5"], 3, 5),
        (["-N", "1-3", "-n", "2"], 1, 2),
        (["-N", "1-3", "-n", "2", "-c", "2"], 2, 2),
        (["-N", "1-2", "-n", "3", "-x", "e1"], 2, 3),
        (["-N", "1-3", "-w", "e[1-2]"], 2, 2),
        (["-N", "1-3", "-n", "4", "--mem-per-cpu=2G", "--ntasks-per-node=2"], 2, 4),
    ],
)
def test_of_a_range_of_nodes_the_fewest_that_can_hold_the_job(
    daemon: Daemon, options: list[str], nodes: int, tasks: int
) -> None:
    done = daemon.run("rsub", "--json", "-H", *options, "--wrap", "true")
    assert done.returncode == 0, done.stderr
    job = daemon.client.job(json.loads(done.stdout)["jobs"][0]["job_id"])
    assert (job["nodes"], job["tasks"]) == (nodes, tasks)
    daemon.client.cancel(job["job_id"])


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["-N", "1-2", "-n", "6"], 65, "the request can never be met: 1 x 6 cores, each"),
        (["-N", "2-3", "-w", "e[1-3]", "-x", "e1"], 2, "both name e1"),
        (["-N", "1-2", "-w", "e[1-3]"], 2, "'nodes' is 2, and 'nodelist' names 3"),
        (["-w", "e9"], 65, "among them e9 asked for; the cluster has no node e9"),
        (["-w", "e[1-2]", "-N", "1"], 2, "'nodes' is 1, and 'nodelist' names 2"),
        (["-w", "e[1-2]", "-n", "1"], 2, "'tasks' is 1, fewer than the 2 'nodes'"),
        (["-w", "e1", "-x", "e[1-2]"], 2, "'nodelist' and 'exclude' both name e1"),
        (["-w", "e[1-"], 2, "'nodelist': "),
        (["-x", "e[1-1000000]"], 2, "more than 1024 hosts"),
        (["-x", "e[1-3]"], 65, "and not on e1, e2, e3 asked for; the cluster has no such node"),
        (["-C", "emulated*2"], 2, "counts (*) and brackets are not supported"),
        (["-C", "emulated&fast"], 65, "on nodes with feature 'emulated&fast' asked for"),
    ],
)
def test_what_cannot_be_met_is_refused(
    daemon: Daemon, options: list[str], code: int, message: str
) -> None:
    before = len(daemon.client.jobs(states="all"))
    done = daemon.run("rsub", *options, "--wrap", "true")
    assert message in done.stderr
    assert done.returncode == code
    assert len(daemon.client.jobs(states="all")) == before
