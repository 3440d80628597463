"""The values of --cpu-bind, and the processors that steps at once are bound to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.steps.layouts import cpu_bind_of
from rmsd_client.steps import step_places
from rmsd_client.steps.cpu_bind import CpuBind, WrongBinding, parse_cpu_bind
from rmsd_client.steps.step_layouts import StepRequest
from rmsd_client.steps.tasks import Task

JOB: dict[str, Any] = {
    "job_id": 7,
    "attempt": 1,
    "nodelist": "n1",
    "node_cpus": [4],
    "tasks": 4,
    "cpus_per_task": 1,
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("none", CpuBind()),
        ("q", CpuBind()),
        ("v", CpuBind(is_verbose=True)),
        ("verbose,Cores", CpuBind("cores", (), True)),
        ("quiet,threads", CpuBind("threads")),
        ("rank", CpuBind("rank")),
        ("map_cpu:0,3*2,0x10", CpuBind("map", ((0,), (3,), (3,), (16,)))),
        ("verbose,mask_cpu:0x3,C*2", CpuBind("mask", ((0, 1), (2, 3), (2, 3)), True)),
    ],
)
def test_bindings(text: str, found: CpuBind) -> None:
    assert parse_cpu_bind(text) == found


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("sockets", "whole processors"),
        ("verbose,map_ldom:0", "whole processors"),
        ("cores,threads", "is not understood"),
        ("quick", "is not understood"),
        ("map_cpu", "is not understood"),
        ("map_cpu:", "is no item of map_cpu"),
        ("map_cpu:0,-1", "'-1' is no item of map_cpu"),
        ("map_cpu:4096", "names no processors"),
        ("map_cpu:0*0", "is no item of map_cpu"),
        ("map_cpu:0*9999999", "is no item of map_cpu"),
        ("mask_cpu:0", "names no processors"),
        ("mask_cpu:xyz", "is no item of mask_cpu"),
        ("mask_cpu:1" + "0" * 2000, "is no item of mask_cpu"),
    ],
)
def test_what_is_no_binding(text: str, why: str) -> None:
    with pytest.raises(WrongBinding, match=why):
        parse_cpu_bind(text)


def test_srun_leaves_tasks_unbound_where_a_binding_means_nothing() -> None:
    assert cpu_bind_of({"cpu-bind": "sockets"}) == CpuBind()
    assert cpu_bind_of({}) == CpuBind()
    with pytest.raises(SlurmError, match="unrecognized --cpu-bind argument"):
        cpu_bind_of({"cpu-bind": "quick"})


def test_what_a_node_is_told_of_a_task() -> None:
    task = Task(5, "n1", 0, 1, processors=(2, 3))
    assert CpuBind().of(task) is None
    told = {"verbose": False, "local_rank": 1}
    assert CpuBind("cores").of(task) == {"how": "cores", "processors": [2, 3], **told}
    listed = parse_cpu_bind("map_cpu:8,9,10")
    assert listed.of(task) == {"how": "map", "processors": [9], **told}
    assert listed.of(task._replace(local_rank=3))["processors"] == [8]  # type: ignore[index]


def test_bound_steps_at_once_have_places_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_places, "FOLDERS", [f"{tmp_path}/steps-{{uid}}"])
    asked = StepRequest(tasks=1, cpus_per_task=2, is_bound=True)
    unbound = StepRequest(tasks=1)
    with step_places.places(JOB, asked) as [first]:
        assert first.processors == (0, 1)
        with step_places.places(JOB, unbound) as [other]:
            assert other.processors == ()
            with step_places.places(JOB, asked._replace(cpus_per_task=1)) as [third]:
                assert third.processors == (2,)
        with step_places.places(JOB, asked) as [second]:
            assert second.processors == (2, 3)
    with step_places.places(JOB, asked, overlap=True) as [alone]:
        assert alone.processors == (0, 1)


def test_a_step_on_very_many_processors_is_read_by_the_next_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Such a step holds more than a megabyte of text, of which the next step read a part, and ended
    in a traceback."""
    monkeypatch.setattr(step_places, "FOLDERS", [f"{tmp_path}/steps-{{uid}}"])
    nodes, cpus = 200, 64
    job = {**JOB, "nodelist": f"{'n' * 80}[001-{nodes}]", "node_cpus": [cpus] * nodes}
    job["tasks"] = nodes * (cpus - 1)
    asked = StepRequest(tasks=job["tasks"], is_bound=True, nodes=nodes)
    with step_places.places(job, asked) as first:
        assert len(first) == job["tasks"]
        with step_places.places(job, StepRequest(tasks=nodes, is_bound=True)) as second:
            assert len(second) == nodes
