"""The line: the waiting jobs in queue order."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import merge
from itertools import chain, pairwise
from typing import Any

from rmsd_core.jobs.job import Job
from rmsd_core.planning.portions import PORTION, Portions
from rmsd_core.planning.present import Present, WaitingTasks, last_of

_Ranked = tuple[Any, int, Job | WaitingTasks]


def in_line(present: Present) -> Portions[list[Job | WaitingTasks]]:
    """Return the waiting jobs in queue order, trials that run or have expired among them, and
    behind the last queued task of each array those that are in no queue."""
    new = [] if present.new is None else [present.new]
    waiting: list[Job | WaitingTasks] = [*present.waiting, *present.tasks, *new]
    runs: list[list[_Ranked]] = []
    for at in range(0, len(waiting), PORTION):
        if at:
            yield
        run = [
            (present.rank(last_of(one)), number, one)
            for number, one in enumerate(waiting[at : at + PORTION], at)
            if isinstance(one, WaitingTasks) or present.may_start(one)
        ]
        if run:
            runs.append(sorted(run))
    line: list[Job | WaitingTasks] = []
    for _, _, one in _merged(runs):
        line.append(one)
        if not len(line) % PORTION:
            yield
    return line


def _merged(runs: list[list[_Ranked]]) -> Iterable[_Ranked]:
    """Return the sorted runs as one. Most queues give theirs in order."""
    if all(one[-1] < following[0] for one, following in pairwise(runs)):
        return chain.from_iterable(runs)
    return merge(*runs)
