"""Memory for each processor is kept as it was asked for, and memory of nodes follows from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rmsd_client.errors import ApiError
from rmsd_core.jobs.request import Piece
from rmsd_daemon.domain.errors import Malformed
from rmsd_daemon.domain.submission import Rules, new_job
from rmsd_daemon.queries.views import job_view
from rmsd_wire.api.submission import SubmitSpec
from tests.daemon.fold import assert_events_fold_to_tables
from tests.jobs import running
from tests.live import Daemon

_RULES = Rules("nodes", None, 1 << 20, "/", default_mem_mib=77)


@pytest.mark.parametrize(
    ("asked", "mem_mib"),
    [
        ({}, 50),
        ({"cpus_per_task": 4}, 200),
        ({"tasks": 3}, 50),
        ({"tasks": 3, "nodes": 2}, 100),
        ({"nodes": 2, "cpus_per_task": 2}, 100),
        ({"tasks": 3, "exclusive": True}, 50),
    ],
)
def test_memory_is_for_each_task_or_for_the_most_tasks_on_a_node(
    asked: dict[str, Any], mem_mib: int
) -> None:
    new = new_job(SubmitSpec(script="#!/bin/sh\n", mem_per_cpu_mib=50, **asked), "ann", 0, _RULES)
    [component] = new.job.request.components
    assert (component.mem_mib, new.details.mem_per_cpu_mib) == (mem_mib, 50)
    assert (component.unit_mem_mib > 0) is (not component.spread)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"mem_mib": 1}, "both given"),
        ({"mem_per_cpu_mib": -1}, "'mem_per_cpu_mib' is -1"),
        ({"mem_per_cpu_mib": 1 << 40, "tasks": 2}, "'mem_mib' is 2199023255552"),
    ],
)
def test_memory_that_cannot_be_meant_is_refused(asked: dict[str, Any], why: str) -> None:
    spec = SubmitSpec(script="#!/bin/sh\n", **{"mem_per_cpu_mib": 50, **asked})
    with pytest.raises(Malformed, match=why):
        new_job(spec, "ann", 0, _RULES)


def _memory(job: dict[str, Any]) -> tuple[int, int, int]:
    return job["mem_per_cpu_mib"], job["mem_mib"], job["request"][0]["mem_mib"]


@pytest.mark.live
def test_it_outlives_the_daemon_and_follows_changes_of_the_job(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "2x8")
    client = daemon.client
    job_id = daemon.submit("env | grep MEM_PER_ > memory", tasks=3, mem_per_cpu_mib=50,
                           conditions={"hold": True})  # fmt: skip
    [array, *_] = client.submit(
        [{"emulate": {"run_s": 1.0}, "array": "1-3", "mem_per_cpu_mib": 20, "cpus_per_task": 2}]
    )
    daemon.kill()
    daemon.start()
    assert _memory(client.job(job_id)) == (50, 150, 50)
    assert _memory(client.job(array["job_id"] + 1)) == (20, 40, 40)
    assert _memory(client.update(job_id, {"tasks": 4})) == (50, 200, 50)
    assert _memory(client.update(job_id, {"mem_mib": 64})) == (0, 64, 64)
    assert _memory(client.update(job_id, {"cpus_per_task": 2})) == (0, 64, 64)
    with pytest.raises(ApiError, match="both given"):
        client.update(job_id, {"mem_mib": 64, "mem_per_cpu_mib": 9})
    assert "40M of memory a task" in daemon.run("rstat", str(array["job_id"] + 1)).stdout
    assert daemon.run("rjob", "update", str(job_id), "--mem-per-cpu", "30").returncode == 0
    daemon.kill()
    daemon.start()
    assert _memory(client.job(job_id)) == (30, 240, 60)
    assert [one["field"] for one in client.job(job_id)["changes"][-2:]] == [
        "mem_mib", "mem_per_cpu_mib",
    ]  # fmt: skip
    client.change(job_id, "release")
    assert daemon.wait(job_id)["state"] == "COMPLETED"
    told = (daemon.work / "memory").read_text().split()
    assert sorted(told) == ["RMS_MEM_PER_CPU=30", "RMS_MEM_PER_NODE=240"]
    daemon.wait(array["job_id"] + 3)
    assert _memory(client.job(job_id)) == (30, 240, 60)
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


def test_the_memory_of_each_node_is_told_where_it_differs() -> None:
    new = new_job(SubmitSpec(script="#!/bin/sh\n", exclusive=True, nodes=2), "ann", 0, _RULES)
    running(new.job, Piece("n1", 3, 150), Piece("n2", 3, 70), start_us=5, launched=False)
    assert job_view(new.job, new.details, "", 9).node_mem_mib == [150, 70]
    same = new_job(SubmitSpec(script="#!/bin/sh\n", nodes=2), "ann", 0, _RULES)
    running(same.job, Piece("n1", 3, 70), Piece("n2", 3, 70), start_us=5, launched=False)
    assert job_view(same.job, same.details, "", 9).node_mem_mib == []


@pytest.mark.live
def test_each_node_gives_the_memory_of_its_own_tasks(start_daemon: Callable[..., Daemon]) -> None:
    """Sixteen tasks with 1 GiB each were refused on nodes of 8 GiB, since each node was to give all
    16 GiB."""
    daemon = start_daemon("--no-local-node", "--emulate", "4x4")
    client = daemon.client
    has_mib = client.nodes()[0]["mem_mib"]
    each_mib = has_mib // 8  # sixteen are more than a node has
    asked = {"emulate": {"run_s": 1000.0}, "mem_per_cpu_mib": each_mib}
    [wide, six] = [client.submit([asked | {"tasks": tasks}])[0]["job_id"] for tasks in (16, 6)]
    daemon.wait_for(wide, "RUNNING")
    assert [(one["cores_used"], one["mem_used_mib"]) for one in client.nodes()] == [
        (4, 4 * each_mib)
    ] * 4
    client.cancel(wide)
    daemon.wait_for(six, "RUNNING")
    daemon.kill()
    daemon.start()
    used = sorted((one["cores_used"], one["mem_used_mib"]) for one in client.nodes())
    assert used == [(0, 0), (0, 0), (2, 2 * each_mib), (4, 4 * each_mib)]
    client.cancel(six)
    daemon.wait(six)
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None
