"""The components of heterogeneous jobs: how they are named, joined into one job, and shown."""

from __future__ import annotations

from typing import Any

import pytest

from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.command_lines.job_options import SALLOC, SBATCH, SRUN
from rmsd_client.slurm.sbatch import directive_groups
from rmsd_client.slurm.steps.het_steps import components_of, groups_of
from rmsd_client.slurm.submit.het_parts import (
    joined_spec,
    passed_down,
    read_commands,
    read_components,
)
from rmsd_client.slurm.submit.requests import Source
from rmsd_client.slurm.words.jobs import parse_ids, text_id
from rmsd_client.slurm.words.part_views import check_whole, named_parts, parts_of, without_nodes
from rmsd_client.steps.step_command import StepCommand

_SOURCE = Source("#!/bin/sh\n", "script", [])


def _joined(*components: dict[str, str]) -> dict[str, Any]:
    return joined_spec("sbatch", components, _SOURCE, "slurm-%j.out")


@pytest.mark.parametrize("word", ["hetjob", "packjob"])
def test_a_script_separates_the_options_of_components(word: str) -> None:
    script = f"#!/bin/sh\n#SBATCH -n 1 -J a\n#SBATCH {word}\n#SBATCH -n 2\ntrue\n#SBATCH {word}\n"
    assert directive_groups(script) == [{"ntasks": "1", "job-name": "a"}, {"ntasks": "2"}]
    assert directive_groups("#SBATCH hetjob\n") == [{}, {}]
    with pytest.raises(SlurmError, match="Invalid directive found in batch script: hetjob"):
        directive_groups("#SBATCH -n 1 hetjob\n")


def test_a_command_line_separates_the_options_of_components() -> None:
    components, words = read_components(SALLOC, ["-n", "1", ":", "-N2", ":", "sh", "-c", ":", "x"])
    assert components == [{"ntasks": "1"}, {"nodes": "2"}, {}]
    assert words == ["sh", "-c", ":", "x"]
    assert read_components(SBATCH, ["job.sh", ":", "-n", "1"]) == ([{}], ["job.sh", ":", "-n", "1"])


def test_a_component_of_a_step_runs_its_command_or_that_of_the_next_one() -> None:
    words = ["-n1", "a", "-n", ":", "-n2", ":", "b", "x", ":", "c"]
    assert read_commands(SRUN, words) == [
        ({"ntasks": "1"}, ["a", "-n"]),
        ({"ntasks": "2"}, ["b", "x"]),
        ({}, ["b", "x"]),
        ({}, ["c"]),
    ]
    assert read_commands(SRUN, ["cat", "a:b", "::"]) == [({}, ["cat", "a:b", "::"])]
    assert read_commands(SRUN, ["a", ":", "-n1"])[1] == ({"ntasks": "1"}, [])


def test_options_count_for_later_components_as_in_slurm() -> None:
    """A Slurm 22.05 shows the name, the limit and the memory of a node for the second component,
    too, but neither the partition, the memory of a processor nor the tasks."""
    first = {"job-name": "a", "time": "5", "mem": "1G", "partition": "p", "ntasks": "2"}
    first |= {"mem-per-cpu": "1", "nodelist": "n1"}
    assert passed_down([first, {"ntasks": "3"}, {"job-name": "b"}]) == [
        first,
        {"job-name": "a", "time": "5", "mem": "1G", "ntasks": "3"},
        {"job-name": "b", "time": "5", "mem": "1G"},
    ]


def test_components_with_the_same_need_on_a_node_are_one_job() -> None:
    first, second = {"nodes": "1", "ntasks": "2", "job-name": "a"}, {"nodes": "3", "ntasks": "5"}
    spec = _joined(first, second, {"ntasks": "2"})
    assert (spec["nodes"], spec["tasks"], spec["name"]) == (5, 9, "a")
    assert spec["parts"] == [
        {"name": "a", "nodes": 1, "tasks": 2},
        {"name": "script", "nodes": 3, "tasks": 5},
        {"name": "script", "nodes": 1, "tasks": 2},
    ]
    alike = _joined({"cpus-per-task": "2"}, {"cpus-per-task": "2"})
    assert alike["parts"] == [{"name": "script", "nodes": 1, "tasks": 1}] * 2
    alone = _joined({"ntasks": "2"})
    assert "parts" not in alone
    assert "nodes" not in alone


def test_tasks_of_a_component_may_have_processors_in_numbers_of_their_own() -> None:
    """One task with four processors, beside eight on two nodes with one processor each."""
    spec = _joined({"cpus-per-task": "4"}, {"nodes": "2", "ntasks": "8"})
    assert (spec["nodes"], spec["tasks"], spec["cpus_per_task"]) == (3, 3, 4)
    assert spec["parts"] == [
        {"name": "script", "nodes": 1, "tasks": 1, "cpus_per_task": 4},
        {"name": "script", "nodes": 2, "tasks": 8, "cpus_per_task": 1},
    ]


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ({"cpus-per-task": "2"}, {}, "processors on a node: 2 and 1"),
        ({"mem": "1G"}, {"mem": "2G"}, "--mem: 1G and 2G"),
        ({"mem-per-cpu": "1G"}, {}, "--mem-per-cpu: 1G and none"),
        ({}, {"gres": "gpu:1"}, "--gres: none and gpu:1"),
        ({"partition": "a"}, {"partition": "b"}, "--partition: a and b"),
        ({"constraint": "x"}, {"constraint": "y"}, "--constraint: x and y"),
        ({"time": "5"}, {"time": "6"}, "--time: 5 and 6"),
        ({"ntasks": "1"}, {"ntasks": "2"}, "processors on a node: 1 and 2"),
        ({"ntasks": "2"}, {"cpus-per-task": "3"}, "processors on a node: 2 and 3"),
    ],
)
def test_a_difference_of_components_is_named(
    first: dict[str, str], second: dict[str, str], why: str
) -> None:
    with pytest.raises(SlurmError) as refusal:
        _joined(first, second)
    told, supported = refusal.value.lines
    assert told == f"sbatch: error: components 0 and 1 differ in {why}"
    assert "need the same processors, memory and devices on each node here" in supported


@pytest.mark.parametrize(
    ("component", "why"),
    [
        ({"array": "1-2"}, "Batch job submission failed: Invalid job array specification"),
        ({"nodelist": "n1"}, "component 1 names its nodes"),
        ({"licenses": "a"}, "component 1 asks for licenses"),
    ],
)
def test_what_only_a_job_without_components_can_have_is_refused(
    component: dict[str, str], why: str
) -> None:
    with pytest.raises(SlurmError, match=why):
        _joined({}, component)


def test_devices_for_each_task_go_with_tasks_that_are_alike() -> None:
    first = {"cpus-per-task": "2", "gpus-per-task": "1"}
    with pytest.raises(SlurmError, match="cannot have devices for each task here"):
        _joined(first, {"ntasks": "2", "gpus-per-task": "1"})


def _job() -> dict[str, Any]:
    return {
        "job_id": 7, "name": "a", "nodelist": "n[1-3]", "node_cpus": [2, 2, 2], "nodes": 3,
        "cpus": 6, "cpus_per_task": 1, "tasks": 5, "node_mem_mib": [],
        "node_gres": ["gpu:0", "gpu:1", ""], "cpu_s": 3.0, "max_rss_mib": 1,
        "parts": [{"name": "a", "nodes": 1, "tasks": 2}, {"name": "b", "nodes": 2, "tasks": 3}],
    }  # fmt: skip


def test_the_parts_of_a_job_are_rows() -> None:
    job = _job()
    first, second = parts_of(job)
    shown = ("name", "nodelist", "nodes", "cpus", "tasks", "node_cpus", "node_gres", "cpu_s")
    assert [first[name] for name in shown] == ["a", "n1", 1, 2, 2, [2], ["gpu:0"], None]
    assert [second[name] for name in shown] == [
        *("b", "n[2-3]", 2, 4, 3), [2, 2], ["gpu:1", ""], None,
    ]  # fmt: skip
    assert [text_id(first), text_id(second)] == ["7+0", "7+1"]
    waiting = parts_of({**job, "nodelist": "", "node_cpus": [], "node_gres": []})
    assert [(one["cpus"], one["nodelist"]) for one in waiting] == [(2, ""), (4, "")]
    assert parts_of({**job, "parts": []}) == [{**job, "parts": []}]


@pytest.mark.parametrize(
    ("text", "numbers"), [("7", [0, 1]), ("7+1", [1]), ("7+0,8", [0]), ("7+2", []), ("8", [0, 1])]
)
def test_a_component_is_named_by_its_place(text: str, numbers: list[int]) -> None:
    """A name without a component leaves the jobs as the daemon has found them."""
    found = named_parts([_job()], parse_ids(text, "squeue"))
    assert [one["part"] for one in found] == numbers


@pytest.mark.parametrize("text", ["7+", "7+x", "7+-1", "7+123456789"])
def test_a_component_that_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(SlurmError, match="Invalid job id"):
        parse_ids(text, "squeue")


def test_components_are_changed_with_their_job_alone() -> None:
    check_whole("scancel", parse_ids("7,8_1", "scancel"))
    with pytest.raises(SlurmError, match="name the job, 7"):
        check_whole("scancel", parse_ids("7+1", "scancel"))


def test_groups_are_numbers_and_ranges() -> None:
    assert groups_of("2,0-1", 2) == [0, 1, 2]
    for text in ("", "0,x", "1-", "2-1", "-1"):
        with pytest.raises(SlurmError, match="Invalid --het-group value"):
            groups_of(text, 5)
    with pytest.raises(SlurmError, match=r"exceeds highest hetjob index \(3 > 2\)"):
        groups_of("1-3", 2)


def _components(job: dict[str, Any], *groups: dict[str, str]) -> list[tuple[int, str]]:
    commands = [StepCommand(f"c{i}") for i in range(len(groups))]
    found = components_of(job, groups, commands)
    return [(one.job.get("part", -1), one.command.name) for one in found]


def test_components_of_a_step_are_on_the_parts_that_they_name() -> None:
    job = _job()
    assert _components(job, {}) == [(0, "c0")]
    assert _components(job, {"het-group": "0,1"}) == [(0, "c0"), (1, "c0")]
    assert _components(job, {"het-group": "1"}, {"het-group": "0"}) == [(0, "c1"), (1, "c0")]
    assert _components(job, {}, {}) == [(0, "c0"), (1, "c1")]
    with pytest.raises(SlurmError, match="Duplicate het groups"):
        _components(job, {"het-group": "1"}, {})
    with pytest.raises(SlurmError, match="maximum value of 1"):
        _components(job, {}, {}, {})
    plain = {**job, "parts": []}
    assert _components(plain, {}, {}) == [(-1, "c0"), (-1, "c1")]
    with pytest.raises(SlurmError, match="No directives to start application"):
        _components(plain, {"het-group": "0"})


def test_the_nodes_of_earlier_components_are_left_out() -> None:
    left = without_nodes(_job(), ["n1", "n3"])
    assert (left["nodelist"], left["node_cpus"], left["node_gres"]) == ("n2", [2], ["gpu:1"])
