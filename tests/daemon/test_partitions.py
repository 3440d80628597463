"""Partitions of a live daemon: named by jobs, changed by SIGHUP, kept over a restart."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator

import pytest

from rmsd_client.errors import ApiError
from rmsd_core.lifecycle.core import Core
from rmsd_core.machine.partitions import Partition
from rmsd_core.planning.portions import whole
from rmsd_core.recipes.text import parse_recipe
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain.partitions import Partitions
from rmsd_daemon.queries.partitions import partition_views
from rmsd_daemon.setup.partitions import ALL_NODES, PartitionSettings
from tests.live import Daemon
from tests.waiting import wait_until

BATCH = """
[partitions.batch]
nodes = "e[1-2]"
default = true
default_time = "10m"
"""
SHORT = """
[partitions.short]
nodes = "e[2-3]"
max_time = "1m"
max_nodes = 1
tier = 2

[partitions.closed]
state = "inactive"

[partitions.secret]
users = ["somebody-else"]
"""


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    found = Daemon("--no-local-node", "--emulate", "3x2")
    found.configure(BATCH + SHORT)
    try:
        yield found.start()
    finally:
        found.close()


def test_for_whom_a_partition_is_is_told_to_these_and_to_operators() -> None:
    """Every caller was told the names of all who may use a partition."""
    secret = PartitionSettings(Partition("secret"), ALL_NODES, users=("ann", "@chemists"))
    partitions = Partitions(lambda user, listed: user in listed, (secret,))
    core = Core(parse_recipe("easy"))

    def told(user: str, role: Role) -> list[str] | None:
        [view] = whole(partition_views(partitions, core, Caller(user, role, "token")))
        return view.users

    assert told("ann", Role.USER) == ["ann", "@chemists"]
    assert told("bob", Role.USER) is None
    assert told("bob", Role.OPERATOR) == told("bob", Role.ADMIN) == ["ann", "@chemists"]


def test_jobs_go_where_they_may(daemon: Daemon) -> None:
    partitions = {one["name"]: one for one in daemon.client.partitions()}
    assert list(partitions) == ["batch", "short", "closed", "secret"]
    assert [partitions["batch"][key] for key in ("is_default", "nodes", "cores")] == [True, 2, 4]
    assert partitions["short"]["max_time_s"] == 60
    [first, second, third] = daemon.client.nodes()
    assert first["partitions"] == ["batch", "closed", "secret"]
    assert second["partitions"] == ["batch", "closed", "secret", "short"]

    default = daemon.emulate(3600, tasks=2)
    short = daemon.emulate(3600, tasks=2, partition="short")
    either = daemon.emulate(3600, tasks=2, partition="short,batch")
    waits = daemon.emulate(1, tasks=2, partition="short")
    for job_id in (default, short, either):
        daemon.wait_for(job_id, "RUNNING")
    jobs = {job["job_id"]: job for job in daemon.client.jobs()}
    assert jobs[default]["partition"] == "batch"
    assert jobs[default]["time_limit_s"] is None or jobs[default]["estimate_s"] == 600
    assert (jobs[short]["partition"], jobs[short]["estimate_s"]) == ("short", 60)
    assert jobs[short]["nodelist"] in (second["name"], third["name"])
    assert (jobs[waits]["partition"], jobs[waits]["reason"]) == ("short", "Resources")
    found = daemon.client.jobs(partition="batch")
    assert default in {job["job_id"] for job in found}
    assert waits not in {job["job_id"] for job in found}
    assert {jobs[one]["nodelist"] for one in (default, short, either)} == {
        node["name"] for node in (first, second, third)
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["-p", "nowhere"], 2, "no partition 'nowhere'; there are batch, short, closed, secret"),
        (["-p", "short", "-t", "2"], 65, "the partition 'short' allows at most 00:01:00"),
        (["-p", "short", "-N", "2"], 65, "2 nodes asked for; the partition 'short' allows at most"),
        (["-p", "closed"], 65, "the partition 'closed' takes no new jobs: its state is inactive"),
        (["-p", "batch", "-N", "3"], 65, "in partition 'batch' asked for; the cluster has 2 such"),
    ],
)
def test_what_no_partition_takes_is_refused(
    daemon: Daemon, options: list[str], code: int, message: str
) -> None:
    done = daemon.run("rsub", *options, "--wrap", "true")
    assert done.returncode == code
    assert message in done.stderr
    assert daemon.client.jobs(states="all") == []


def test_a_repeated_submit_does_not_meet_what_has_changed_since(daemon: Daemon) -> None:
    """The client may not have got the first answer: it must not believe that nothing is stored."""
    spec = {"emulate": {"run_s": 3600}, "partition": "short"}
    [first] = daemon.client.submit([spec], key="once")
    daemon.configure_anew(BATCH + SHORT.replace("tier = 2", 'state = "inactive"'))
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: daemon.client.partitions()[1]["state"] == "inactive")
    assert daemon.client.submit([spec], key="once") == [first]
    with pytest.raises(ApiError, match="takes no new jobs"):
        daemon.client.submit([spec], key="twice")


@pytest.mark.slow
def test_sighup_changes_partitions_and_a_restart_keeps_jobs_in_theirs(daemon: Daemon) -> None:
    runs = daemon.emulate(3600, tasks=2, partition="short")
    daemon.wait_for(runs, "RUNNING")
    daemon.configure_anew(BATCH + SHORT.replace("tier = 2", 'state = "down"'))
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(
        lambda: (
            [one["state"] for one in daemon.client.partitions()] == ["up", "down", "inactive", "up"]
        )
    )
    waits = daemon.emulate(1, partition="short")
    assert daemon.client.job(waits)["reason"] == "PartitionDown"
    assert daemon.client.job(runs)["state"] == "RUNNING"
    told = daemon.run("rstat", "--explain", str(waits))
    assert "its partition starts no jobs now (short)" in told.stdout
    told = daemon.run("rnode", "partitions", "--json")
    assert json.loads(told.stdout)["partitions"][1]["state"] == "down"

    daemon.configure_anew("[partitions.short]\nnodes = 7\n")
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "config-refused" in daemon.log.read_text())
    assert daemon.client.job(waits)["reason"] == "PartitionDown"

    daemon.configure_anew(BATCH)
    daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: [one["name"] for one in daemon.client.partitions()] == ["batch"])
    told = daemon.run("rstat", "--explain", str(waits))
    why = "its partition short is not configured any more; `rjob update -p` moves the job"
    assert why in " ".join(told.stdout.split())

    daemon.configure_anew(BATCH + SHORT)
    daemon.kill()
    daemon.start()
    assert daemon.client.job(runs)["partition"] == "short"
    daemon.wait(waits)
    assert daemon.client.job(waits)["state"] == "COMPLETED"
    daemon.stop()
    assert daemon.verdict().difference is None
