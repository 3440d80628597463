"""The processors of tasks that are bound, among those of their attempts."""

from __future__ import annotations

import os

import pytest

from rmsd_agent.attempts.errors import UnusableRequest
from rmsd_agent.attempts.task_binding import bound_to, told_of
from rmsd_wire.link_values import TaskBind

CORES = ((2, 10), (3, 11), (4, 12))
OWN = [2, 3, 10, 11]


@pytest.mark.parametrize(
    ("bind", "found"),
    [
        (None, []),
        (TaskBind("none"), []),
        (TaskBind("threads", [0, 1]), [2, 3]),
        (TaskBind("threads", [5]), [3]),  # more tasks than processors share them
        (TaskBind("rank", [2, 3]), [10]),
        (TaskBind("cores", [1]), [3, 11]),
        (TaskBind("map", [11]), [11]),
        (TaskBind("mask", [3, 2]), [2, 3]),
    ],
)
def test_processors(bind: TaskBind | None, found: list[int]) -> None:
    assert bound_to(bind, OWN, CORES) == found


def test_processors_of_others_are_refused() -> None:
    with pytest.raises(UnusableRequest, match=r"4,12 is outside .* node, 2-3,10-11"):
        bound_to(TaskBind("map", [12, 2, 4]), OWN, CORES)


def test_an_attempt_that_shares_the_machine_has_no_places() -> None:
    here = sorted(os.sched_getaffinity(0))
    for how in ("threads", "cores", "rank"):
        assert bound_to(TaskBind(how, [0]), []) == []  # type: ignore[arg-type]
    assert bound_to(TaskBind("map", here[:1]), []) == here[:1]
    with pytest.raises(UnusableRequest):
        bound_to(TaskBind("map", [4095]), [])


def test_the_line_about_a_binding() -> None:
    assert told_of(None, "n1", 0) == told_of(TaskBind("map", [1]), "n1", 0) == ""
    bind = TaskBind("mask", [1], verbose=True, local_rank=2)
    assert told_of(bind, "n1", 12) == "cpu-bind=MASK - n1, task 12  2"
