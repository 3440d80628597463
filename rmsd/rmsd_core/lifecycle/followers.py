"""The arrays whose tasks await those of other arrays one by one, found by the awaited tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rmsd_core.jobs.array import Array, id_of
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.ranks import Interval

_MOST_TASKS = 64
"""The tasks of a small follower. It is noted with each task that it awaits, since 50,000 arrays may
follow one. The large followers are looked at one by one: so many live tasks make only few."""


class Followers:
    """An index of the arrays that follow others."""

    def __init__(self) -> None:
        self._followed: Counter[int] = Counter()  # the followers of each array
        self._small: dict[int, dict[int, Job]] = {}  # keys: numbers of awaited tasks
        self._large: dict[int, dict[int, Job]] = {}  # keys: numbers of followed arrays

    def __contains__(self, array_id: int) -> bool:
        """Return whether an array follows the one with this number."""
        return array_id in self._followed

    def add(self, job: Job) -> None:
        """Note an array; it may follow none."""
        array = job.array
        if array is None or array.corresponds is None:
            return
        self._followed[array.corresponds.array_id] += 1
        for group, key in self._places(array):
            group.setdefault(key, {})[job.id] = job

    def remove(self, job: Job) -> None:
        """Note that an array is over."""
        array = job.array
        if array is None or array.corresponds is None:
            return
        followed = array.corresponds.array_id
        self._followed[followed] -= 1
        if not self._followed[followed]:
            del self._followed[followed]
        for group, key in self._places(array):
            del group[key][job.id]
            if not group[key]:
                del group[key]

    def _places(self, array: Array[Job]) -> list[tuple[dict[int, dict[int, Job]], int]]:
        """Return where an array is noted."""
        assert array.corresponds is not None
        if array.count > _MOST_TASKS:
            return [(self._large, array.corresponds.array_id)]
        return [(self._small, array.counterpart_id(rank)) for rank in range(array.count)]

    def of(self, array_id: int, ranks: Iterable[Interval]) -> list[Job]:
        """Return the arrays that follow one of the tasks at these ranks of an array, in the order
        of their numbers. Large ones may be among them that follow others of its tasks."""
        if array_id not in self._followed:
            return []
        found = dict(self._large.get(array_id, {}))
        for first, last in ranks if self._small else ():
            for task_id in range(id_of(array_id, first), id_of(array_id, last)):
                found.update(self._small.get(task_id, {}))
        return [follower for _, follower in sorted(found.items())]
