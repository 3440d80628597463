"""Nodes that jobs ask for by name, live."""

from __future__ import annotations

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
    ("options", "code", "message"),
    [
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
