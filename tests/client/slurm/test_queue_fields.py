"""The fields of squeue and scontrol that tell what jobs have asked for."""

from __future__ import annotations

from typing import Any

import pytest

from rmsd_client.slurm import squeue
from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.fields.formats import line_of
from rmsd_client.slurm.fields.queue_fields import BY_LETTER, BY_NAME
from rmsd_client.slurm.fields.short_queue import suffices
from rmsd_client.slurm.verbs.node_updates import update_node
from rmsd_client.slurm.words.hosts import is_on, named_nodes
from rmsd_client.slurm.words.points import add_priorities, points_of

_WAITS = {"job_id": 7, "state": "PENDING", "reason": "Resources"}


def test_the_priority_of_a_job_is_that_of_the_queue() -> None:
    """Each job had 1, whether it was held or the order was `priority`."""
    held: dict[str, Any] = {"job_id": 8, "state": "PENDING", "reason": "JobHeldUser"}
    jobs: list[dict[str, Any]] = [dict(_WAITS), held, {**_WAITS, "job_id": 9, "state": "RUNNING"}]
    assert [points_of(job) for job in jobs] == [1, 0, 1]
    add_priorities(jobs, {one: {"total": 1234.6} for one in (7, 8, 9)})
    assert [BY_LETTER["Q"].show(job) for job in jobs] == ["1235", "0", "1"]
    assert BY_LETTER["p"].show(jobs[0]) == "0.00000028754584"
    assert points_of({**_WAITS, "priority": {"total": -5.0}}) == 1  # 0 is that of held jobs


def test_a_job_tells_its_input_and_whether_it_may_run_again() -> None:
    """The input was always /dev/null, and Requeue 1."""
    job = {"stdin": "/w/in", "requeue": False}
    assert (BY_NAME["stdin"].show(job), BY_NAME["requeue"].show(job)) == ("/w/in", "0")
    assert (BY_NAME["stdin"].show({"stdin": ""}), BY_NAME["requeue"].show({})) == ("/dev/null", "1")


@pytest.mark.parametrize(("options", "shown"), [({}, "4G"), ({"noconvert": ""}, "4096M")])
def test_noconvert_leaves_the_unit(options: dict[str, str], shown: str) -> None:
    parts = squeue.shown_parts({"format": "%m", **options})
    assert line_of(parts, {"mem_mib": 4096}) == shown
    assert suffices({"format": "%m", **options}, frozenset(("PENDING",)))


def test_options_without_an_effect_do_not_slow_a_list() -> None:
    """`squeue -a` asked for whole views of all jobs."""
    options = squeue.options_of(["-a", "--local", "--only-job-state", "-h", "-o", "%i"])
    assert options == {"noheader": "", "format": "%i"}
    assert suffices(options, frozenset(("PENDING",)))


def test_numbers_are_sorted_by_their_values() -> None:
    jobs = [{"job_id": one, "nice": one, "cpus_per_task": one} for one in (10, 9)]
    for letter in "yFc":
        [(key, _)] = squeue.sort_keys(letter)
        assert [job["job_id"] for job in sorted(jobs, key=key)] == [9, 10]


def test_a_wrong_list_of_nodes_is_an_error() -> None:
    """A traceback was shown."""
    with pytest.raises(SlurmError) as caught:
        named_nodes("squeue", "n[")
    assert caught.value.lines == ("squeue: error: 'n[' invalid entry for --nodelist",)
    with pytest.raises(SlurmError, match="slurm_update error: Invalid node name specified"):
        update_node("n[", {"state": "RESUME"})
    assert is_on({"nodelist": "n[1-3]"}, named_nodes("squeue", "n3,n4"))
    assert not is_on({"nodelist": ""}, named_nodes("squeue", "n3"))
