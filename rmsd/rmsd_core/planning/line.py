"""The line: the waiting jobs in queue order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
    runs: list[list[_Ranked]] = []
    number = 0
    for some in in_portions(present, new):
        run: list[_Ranked] = []
        for one in some:
            if isinstance(one, WaitingTasks) or present.may_start(one):
                run.append((present.rank(last_of(one)), number, one))
                number += 1
        if run:
            run.sort()
            runs.append(run)
        yield
    line: list[Job | WaitingTasks] = []
    for _, _, one in _merged(runs):
        line.append(one)
        if not len(line) % PORTION:
            yield
    while runs:  # to free 100,000 ranks at a stretch takes as long as a portion may not
        runs.pop()
        yield
    return line


def in_order_of_plan(present: Present) -> Portions[Sequence[Job | WaitingTasks]]:
    """Return the jobs in the order of placing: those with a reservation before those that must fit
    beside it."""
    line = yield from in_line(present)
    if present.recipe.reserve in ("nobody", "head"):
        return line
    planned: list[Job | WaitingTasks] = []
    others: list[Job | WaitingTasks] = []
    for at, one in enumerate(line, 1):
        (planned if one in present.planned else others).append(one)
        if not at % PORTION:
            yield
    return planned + others


def in_portions(
    present: Present, new: Sequence[Job] = ()
) -> Iterator[Sequence[Job | WaitingTasks]]:
    """Yield what waits, in any order, as many at a time as a portion looks at."""
    some: list[Job | WaitingTasks] = []
    lists: list[Sequence[Job | WaitingTasks]] = [*present.waiting, present.tasks, new]
    for jobs in lists:
        for at in range(0, len(jobs), PORTION):
            some += jobs[at : at + PORTION]
            if len(some) >= PORTION // 2:
                yield some
                some = []
    if some:
        yield some


def _merged(runs: list[list[_Ranked]]) -> Iterable[_Ranked]:
    """Return the sorted runs as one. Most queues give theirs in order."""
    if all(one[-1] < following[0] for one, following in pairwise(runs)):
        return chain.from_iterable(runs)
    return merge(*runs)
