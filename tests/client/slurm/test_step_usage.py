"""The use of steps in sacct: what follows from what is told, and nothing else."""

from __future__ import annotations

from typing import Any, cast

import pytest

from rmsd_client.api import Client
from rmsd_client.slurm.fields.account_fields import BY_NAME
from rmsd_client.slurm.words.account_row import Row
from rmsd_client.slurm.words.job_steps import JobSteps
from tests.client.shown_jobs import over
from tests.client.slurm.site import SlurmSite

_NAMES = (
    *("AveCPU", "MinCPU", "MinCPUNode", "MinCPUTask"),
    *("AveRSS", "MaxRSS", "MaxRSSNode", "MaxRSSTask"),
    *("TRESUsageInTot", "TRESUsageInAve", "TRESUsageInMax", "TRESUsageInMaxNode"),
    *("TRESUsageInMaxTask", "TRESUsageInMin", "TRESUsageInMinNode", "TRESUsageInMinTask"),
)


class _Told:
    """A client of a daemon that remembers these steps."""

    def __init__(self, *steps: dict[str, Any]) -> None:
        self._steps = steps

    def step_replies(self, _ids: object) -> list[dict[str, Any]]:
        return [{"steps": list(self._steps), "worst": [], "known_from_us": 0}]


def _step(number: int, tasks: int, *, node: str = "n1", is_known: bool = True) -> dict[str, Any]:
    figures = {"ave_cpu_s": 6.0 / tasks, "min_cpu_s": 6.0 / tasks**2, "min_cpu_task": tasks - 1,
               "min_cpu_node": node, "ave_rss_mib": 3 / tasks, "max_rss_task": tasks // 2,
               "max_rss_node": node}  # fmt: skip
    return {"job_id": 42, "attempt": 1, "number": number, "tasks": tasks, "nodelist": "n[1-2]",
            "cpus": tasks, "name": "a", "start_us": 1, "end_us": 2, "exit_code": 0, "signal": 0,
            "cpu_s": 6.0 if is_known else None, "max_rss_mib": 3 if is_known else None,
            "cause": "", "figures": figures if is_known else None}  # fmt: skip


def _rows(*steps: dict[str, Any]) -> list[Row]:
    job = over(cpu_s=20.5, max_rss_mib=9, partition="main", nodelist="n[1-2]")
    return JobSteps(cast("Client", _Told(*steps)), [job]).rows(job)


def _shown(row: Row) -> dict[str, str]:
    found = {name: BY_NAME[name.lower()].show(row) for name in _NAMES}
    return {name: text for name, text in found.items() if text}


def test_all_is_known_of_a_single_task() -> None:
    """The texts have the form of a real Slurm's."""
    [_, row] = _rows(_step(0, 1, node="n2"))
    both, node, task = "cpu=00:00:06,mem=3072K", "cpu=n2,mem=n2", "cpu=0,mem=0"
    assert _shown(row) == {
        "AveCPU": "00:00:06", "MinCPU": "00:00:06", "MinCPUNode": "n2", "MinCPUTask": "0",
        "AveRSS": "3072K", "MaxRSS": "3072K", "MaxRSSNode": "n2", "MaxRSSTask": "0",
        "TRESUsageInTot": both, "TRESUsageInAve": both, "TRESUsageInMax": both,
        "TRESUsageInMin": both, "TRESUsageInMaxNode": node, "TRESUsageInMinNode": node,
        "TRESUsageInMaxTask": task, "TRESUsageInMinTask": task,
    }  # fmt: skip


def test_the_most_time_and_the_least_memory_of_several_tasks_are_not_told() -> None:
    """AveCPU was the time of all tasks together, and the most memory was always that of task 0."""
    [_, row] = _rows(_step(0, 2))
    assert _shown(row) == {
        "AveCPU": "00:00:03", "MinCPU": "00:00:01", "MinCPUNode": "n1", "MinCPUTask": "1",
        "AveRSS": "1536K", "MaxRSS": "3072K", "MaxRSSNode": "n1", "MaxRSSTask": "1",
        "TRESUsageInTot": "cpu=00:00:06,mem=3072K", "TRESUsageInAve": "cpu=00:00:03,mem=1536K",
        "TRESUsageInMax": "mem=3072K", "TRESUsageInMaxNode": "mem=n1",
        "TRESUsageInMaxTask": "mem=1", "TRESUsageInMin": "cpu=00:00:01",
        "TRESUsageInMinNode": "cpu=n1", "TRESUsageInMinTask": "cpu=1",
    }  # fmt: skip


def test_nothing_is_told_of_a_step_whose_use_is_not_known() -> None:
    [script, row] = _rows(_step(0, 1, is_known=False))
    assert (_shown(script), _shown(row)) == ({}, {})


@pytest.mark.parametrize(
    ("steps", "script"), [(0, "00:20.500"), (1, "00:14.500"), (4, "00:00.000")]
)
def test_the_script_has_not_used_what_its_steps_have(steps: int, script: str) -> None:
    """The time of the steps was in the row of the script as well: a sum had it twice."""
    [batch, *_] = _rows(*(_step(number, 1) for number in range(steps)))
    assert BY_NAME["totalcpu"].show(batch) == script


def test_steps_of_a_job_are_shown_with_their_use(site: SlurmSite) -> None:
    job = site.submit("-n", "2", "-o", "/dev/null", "--wrap", "srun -n1 true; srun true")
    assert site.wait(job) == "COMPLETED"
    asked = ("sacct", "-P", "-n", "-j", job, "-o", "JobID,TRESUsageInTot,TRESUsageInMaxTask")
    whole, batch, one, two = (line.split("|") for line in site.out(*asked).splitlines())
    assert whole == [job, "", ""]
    assert batch[1].startswith("cpu=00:00:0")
    assert batch[2] == "cpu=0"
    for row in (one, two):
        assert row[1].startswith("cpu=00:00:0")
        assert ",mem=" in row[1]
    assert one[2] == "cpu=0,mem=0"
    assert two[2] in ("mem=0", "mem=1")
