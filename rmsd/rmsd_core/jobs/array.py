"""Job arrays: tasks that are alike, in one record until they differ.

An array is a job with a number of its own. Its tasks have the numbers after that, in the order of
their indices. A waiting task is a place in `Array.rest`. It becomes a job of its own when it may
soon start, or when something happens to it alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Generic, NamedTuple, TypeVar

from rmsd_core.jobs.ranks import Interval, Ranks

_Job = TypeVar("_Job")


class ArrayTask(NamedTuple):
    """The place of a job in an array. array_index: the number that its submitter gave to it."""

    array_id: int
    array_index: int


class Indices:
    """The indices of an array's tasks, in order, as progressions. The *rank* of a task is the
    number of tasks before it."""

    __slots__ = ("_before", "runs")

    def __init__(self, runs: Iterable[tuple[int, int, int]]) -> None:
        """Make indices of (first, last, step) each, which ascend and do not overlap."""
        self.runs = [range(first, last + 1, step) for first, last, step in runs]
        self._before = [0, *accumulate(map(len, self.runs))]

    def __len__(self) -> int:
        return self._before[-1]

    def __iter__(self) -> Iterator[int]:
        for run in self.runs:
            yield from run

    def index(self, rank: int) -> int:
        """Return the index of the task at a rank."""
        at = bisect_right(self._before, rank) - 1
        return self.runs[at][rank - self._before[at]]

    def rank_from(self, index: int) -> int:
        """Return the rank of the first task with this index or a higher one; the number of tasks
        if there is none."""
        at = bisect_right(self.runs, index, key=lambda run: run[0]) - 1
        if at < 0:
            return 0
        run = self.runs[at]
        return self._before[at] + min(-((run.start - index) // run.step), len(run))

    def rank(self, index: int) -> int | None:
        """Return the rank of the task with an index; None if there is none."""
        at = bisect_right(self.runs, index, key=lambda run: run[0]) - 1
        if at < 0 or index not in self.runs[at]:
            return None
        return self._before[at] + self.runs[at].index(index)


class Counterpart(NamedTuple):
    """Another array: each task of an array awaits the success of the task with its index there.

    met, never: the ranks of the tasks whose corresponding task had succeeded before the submit, or
        had not. ends_if_never: a task is cancelled if its corresponding task does not succeed.
    """

    array_id: int
    indices: Indices
    met: tuple[Interval, ...] = ()
    never: tuple[Interval, ...] = ()
    ends_if_never: bool = False


class Array(Generic[_Job]):
    """The tasks of an array job, in the core.

    limit: how many tasks may be in the queue or run at a time; None: all. corresponds: the array
        whose tasks these tasks await one by one.
    rest: the tasks that wait and are no jobs of their own, by rank. blocked: those that moreover
        await their corresponding task. never: those of which that cannot succeed any more.
        cancelled: those that were cancelled before they were jobs, at `cancelled_us` the last.
        unfulfilled: those of them that could never have started, by their dependencies. late:
        those that could no longer have ended before their deadline.
    tasks: the live jobs of tasks, by rank. fresh: those in the queue that were never started;
        unstarted: all that were never started; both by id. active: how many tasks are in the queue
        or hold something. waiting_turn: the ineligible tasks that wait for the limit alone.
    failed: how many tasks ended in another way than COMPLETED. ended_cancelled: how many of these
        were cancelled, `ended_late` could not keep their deadline. exit_code: the highest of all.
    key: the key in the heap of the arrays that may unfold further; None: the array is not there.
    """

    __slots__ = (
        "active", "blocked", "cancelled", "cancelled_us", "corresponds", "ended_cancelled",
        "ended_late", "exit_code", "failed", "fresh", "indices", "key", "late", "limit", "never",
        "rest", "tasks", "unfulfilled", "unstarted", "waiting_turn",
    )  # fmt: skip

    def __init__(
        self, indices: Indices, limit: int | None = None, corresponds: Counterpart | None = None
    ) -> None:
        """Make an array of which no task has started."""
        self.indices = indices
        self.limit = limit
        self.corresponds = corresponds
        self.rest = Ranks([(0, len(indices))] if corresponds is None else corresponds.met)
        self.never = Ranks(() if corresponds is None else corresponds.never)
        self.blocked = Ranks()
        if corresponds is not None:
            self.blocked.add(0, len(indices))
            for known in (*corresponds.met, *corresponds.never):
                self.blocked.take(*known)
        self.cancelled = Ranks()
        self.cancelled_us = 0
        self.unfulfilled = Ranks()
        self.late = Ranks()
        self.failed = 0
        self.ended_cancelled = 0
        self.ended_late = 0
        self.exit_code = 0
        self.tasks: dict[int, _Job] = {}
        self.fresh: set[int] = set()
        self.unstarted: set[int] = set()
        self.waiting_turn = Ranks()
        self.active = 0
        self.key: int | None = None

    def counterpart_id(self, rank: int) -> int:
        """Return the number of the task that the one at `rank` awaits."""
        assert self.corresponds is not None
        rank_there = self.corresponds.indices.rank(self.indices.index(rank))
        assert rank_there is not None
        return id_of(self.corresponds.array_id, rank_there)

    def corresponding(self, first: int, last: int) -> Interval:
        """Return the ranks of the tasks that await those of the other array from the rank `first`
        there to before `last`. They are in a row, since the indices of both arrays ascend."""
        assert self.corresponds is not None
        there, here = self.corresponds.indices, self.indices
        return here.rank_from(there.index(first)), here.rank_from(there.index(last - 1) + 1)

    def strand(self, cancelled: Ranks) -> list[Interval]:
        """Move the blocked tasks to `never` whose corresponding task is at one of the ranks
        `cancelled` there. Return their ranks."""
        assert self.corresponds is not None
        if self.blocked.pieces < cancelled.pieces:  # thousands of small arrays may follow one
            there = self.corresponds.indices
            parts = []
            for first, last in self.blocked.intervals():
                low, high = map(self.indices.index, (first, last - 1))
                parts += cancelled.within(there.rank_from(low), there.rank_from(high) + 1)
        else:
            parts = cancelled.intervals()
        stranded = [
            taken for part in parts for taken in self.blocked.take(*self.corresponding(*part))
        ]
        for interval in stranded:
            self.never.add(*interval)
        return stranded

    @property
    def count(self) -> int:
        return len(self.indices)

    @property
    def waiting(self) -> int:
        """Return how many tasks wait and are no jobs of their own."""
        return len(self.rest) + len(self.blocked) + len(self.never)

    @property
    def over(self) -> int:
        """Return how many tasks are over."""
        return self.count - self.waiting - len(self.tasks)

    @property
    def begun(self) -> bool:
        """Return whether every task has started, or is over."""
        return not self.waiting and not self.unstarted

    @property
    def is_over(self) -> bool:
        return not self.waiting and not self.tasks

    @property
    def waiting_task(self) -> int | None:
        """Return the number of a task that waits, if all tasks that wait are jobs of their own, so
        that the array waits for what this task waits for."""
        return None if self.waiting else next(iter(self.unstarted), None)

    @property
    def may_run_more(self) -> bool:
        """Return whether the limit allows another task in the queue."""
        return self.limit is None or self.active < self.limit

    @property
    def reason(self) -> str:
        """Return Slurm's word for why the waiting tasks wait, once the array is eligible."""
        if not self.waiting:
            return "None"
        if not self.rest:
            return "Dependency" if self.blocked else "DependencyNeverSatisfied"
        return "Priority" if self.may_run_more else "JobArrayTaskLimit"

    def waits(self, rank: int) -> bool:
        """Return whether the task waits and is no job of its own."""
        return rank in self.rest or rank in self.blocked or rank in self.never

    def waits_among(self, first: int, last: int) -> bool:
        """Return whether a task waits there and is no job of its own."""
        return any(one.meets(first, last) for one in (self.rest, self.blocked, self.never))

    def tasks_in_order(self) -> list[tuple[int, _Job]]:
        """Return the live jobs of tasks with their ranks, in the order of these."""
        return sorted(self.tasks.items(), key=itemgetter(0))

    def take(self, first: int, last: int) -> list[Interval]:
        """Remove the tasks that wait there and are no jobs of their own, and return their ranks."""
        sets = (self.rest, self.blocked, self.never)
        return [taken for one in sets for taken in one.take(first, last)]

    def waiting_ranks(self) -> Ranks:
        """Return the tasks that wait and are no jobs of their own."""
        sets = (self.rest, self.blocked, self.never)
        return Ranks(interval for one in sets for interval in one.intervals())

    def kept(self) -> dict[str, object]:
        """Return what is stored of the array as it changes. The submit has told the rest of it, and
        tasks that are jobs are stored as such."""
        return {
            "rest": _listed(self.rest),
            "blocked": _listed(self.blocked),
            "never": _listed(self.never),
            "cancelled": _listed(self.cancelled),
            "cancelled_us": self.cancelled_us,
            "unfulfilled": _listed(self.unfulfilled),
            "late": _listed(self.late),
            "failed": self.failed,
            "ended_cancelled": self.ended_cancelled,
            "ended_late": self.ended_late,
            "exit_code": self.exit_code,
        }

    def take_up(
        self,
        rest: Sequence[Interval],
        blocked: Sequence[Interval],
        never: Sequence[Interval],
        cancelled: Sequence[Interval],
        cancelled_us: int,
        unfulfilled: Sequence[Interval],
        late: Sequence[Interval],
        failed: int,
        ended_cancelled: int,
        ended_late: int,
        exit_code: int,
    ) -> None:
        """Take up what was `kept`."""
        self.rest, self.blocked, self.never = Ranks(rest), Ranks(blocked), Ranks(never)
        self.cancelled, self.cancelled_us = Ranks(cancelled), cancelled_us
        self.unfulfilled, self.late = Ranks(unfulfilled), Ranks(late)
        self.failed, self.exit_code = failed, exit_code
        self.ended_cancelled, self.ended_late = ended_cancelled, ended_late


def _listed(ranks: Ranks) -> list[list[int]]:
    return [list(interval) for interval in ranks.intervals()]


def rank_of(array_id: int, task_id: int) -> int:
    """Return the rank of the task with the number `task_id`."""
    return task_id - array_id - 1


def id_of(array_id: int, rank: int) -> int:
    """Return the number of the task at a rank."""
    return array_id + 1 + rank
