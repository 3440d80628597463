"""The jobs whose conditions have still to come true, found by what they wait for: other jobs, or a
time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from rmsd_core.jobs.conditions import Dependency, EndedJob
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Done, Ineligible
from rmsd_core.jobs.ranks import Ranks
from rmsd_core.vocabulary import JobState, Relation

_Group = dict[int, Job]
_MOST_OUTDATED = 1000
"""The outdated times that are kept, beside as many as there are jobs."""


class _OfName:
    """The live jobs of one user and name. Which one was submitted first is known at once, however
    often jobs come and go: 50,000 jobs of a name are not put in order for each that is renamed."""

    __slots__ = ("_numbers", "jobs")

    def __init__(self) -> None:
        self.jobs: _Group = {}
        self._numbers: list[int] = []  # heap of the numbers, some of them of jobs that have left

    def add(self, job: Job) -> None:
        self.jobs[job.id] = job
        heappush(self._numbers, job.id)
        if len(self._numbers) > 2 * len(self.jobs) + _MOST_OUTDATED:
            self._numbers = sorted(self.jobs)

    def first(self) -> Job | None:
        """Return the job with the lowest number."""
        while self._numbers and self._numbers[0] not in self.jobs:
            heappop(self._numbers)
        return self.jobs[self._numbers[0]] if self._numbers else None


class Dependents:
    """An index of the ineligible jobs.

    `eligibility.settle` works off, in as many calls of the core as it takes:

    news: jobs that others depend on, and that have started or ended. dropped: arrays that others
        follow, each with tasks that were cancelled.
    doubtful: the numbers of the jobs and tasks whose conditions may have changed by such news.
    deserted: arrays, each with awaited tasks of another one that were cancelled.
    stranded: jobs that are to be cancelled since their dependencies can never be fulfilled, and
        arrays with such tasks.

    over: the jobs that have ended in the present call of the core, by id. A job that arrives in the
        same call may depend on them.
    unsettled: the ends that are not settled yet for all jobs that depend on them.
    """

    def __init__(self) -> None:
        self.news: deque[Job] = deque()
        self.dropped: deque[tuple[Job, Ranks]] = deque()
        self.doubtful: deque[int] = deque()
        self.deserted: deque[tuple[Job, Ranks]] = deque()
        self.stranded: deque[Job] = deque()
        self.over: dict[int, Job] = {}
        self.unsettled: dict[int, EndedJob] = {}
        self._by_start: dict[int, _Group] = {}
        self._by_end: dict[int, _Group] = {}
        self._due: list[tuple[int, int]] = []  # heap of (time, job id), some of them outdated
        self._jobs: dict[int, Job] = {}
        # live jobs by user and name; kept since the first singleton
        self._groups: dict[tuple[str, str], _OfName] | None = None

    def __bool__(self) -> bool:
        """Return whether a job is ineligible, or something is to be settled."""
        return bool(self._jobs or self.unsettled) or self.has_work

    @property
    def has_work(self) -> bool:
        """Return whether something is to be settled, beside what comes true by its time."""
        return bool(self.news or self.dropped or self.doubtful or self.deserted or self.stranded)

    def jobs(self) -> Iterable[Job]:
        """Return the ineligible jobs."""
        return self._jobs.values()

    # ------------------------------------------------------------ ineligible jobs

    def add(self, job: Job) -> None:
        """Index an ineligible job by its conditions."""
        conditions = job.conditions
        self._jobs[job.id] = job
        for one in conditions.dependencies:
            if one.relation is not Relation.SINGLETON and one.due_us is None:
                self._index(one.relation).setdefault(one.job_id, {})[job.id] = job
                if one.job_id in self.unsettled:  # the job may not know of this end
                    self.doubtful.append(job.id)
        if (due_us := conditions.next_us()) is not None:
            heappush(self._due, (due_us, job.id))
            if len(self._due) > 2 * len(self._jobs) + _MOST_OUTDATED:
                self._clear_due()

    def remove(self, job: Job) -> None:
        """Take a job out of the index, before its conditions change."""
        if self._jobs.pop(job.id, None) is None:
            return
        for one in job.conditions.dependencies:
            index = self._index(one.relation)
            waiting = index.get(one.job_id)
            if waiting is not None:
                waiting.pop(job.id, None)
                if not waiting:
                    del index[one.job_id]

    def _index(self, relation: Relation) -> dict[int, _Group]:
        return self._by_start if relation is Relation.AFTER else self._by_end

    def awaited(self, ids: range) -> set[int]:
        """Return those of the jobs with these numbers that a job waits for."""
        indexes = (self._by_start, self._by_end)
        return {
            job_id
            for index in indexes
            for job_id in (index if len(index) < len(ids) else filter(index.__contains__, ids))
            if job_id in ids
        }

    def of(self, other: Job) -> set[int]:
        """Return the numbers of the jobs that wait for `other` to start or to end."""
        return {*self._by_start.get(other.id, ()), *self._by_end.get(other.id, ())}

    # ------------------------------------------------------------ what happens to other jobs

    def started(self, job: Job) -> None:
        if job.id in self._by_start:
            self.news.append(job)

    def ended(self, job: Job, *, is_followed: bool = False) -> None:
        """Note that a job is over. `is_followed`: the tasks of another array correspond to those of
        its array."""
        self.over[job.id] = job
        if is_followed or job.id in self._by_end or job.id in self._by_start:
            self.unsettled[job.id] = ended_as(job)
            self.news.append(job)
        if (first := self.leave(job)) is not None:
            self.doubtful.extend(_awaiting_their_name(first))

    # ------------------------------------------------------------ time

    def next_us(self) -> int | None:
        """Return the earliest time at which a condition comes true by itself."""
        while self._due:
            due_us, job_id = self._due[0]
            job = self._jobs.get(job_id)
            if job is not None and job.conditions.next_us() == due_us:
                return due_us
            heappop(self._due)
        return None

    def _clear_due(self) -> None:
        """Drop what is outdated. A job that is held and released a million times is due once."""
        times_us = [(job.conditions.next_us(), job.id) for job in self._jobs.values()]
        self._due = [(due_us, job_id) for due_us, job_id in times_us if due_us is not None]
        heapify(self._due)

    def due(self, now_us: int, most: int) -> set[int]:
        """Take out the numbers of jobs of which a condition has come true by itself, of at most
        `most`."""
        found: set[int] = set()
        while len(found) < most and (due_us := self.next_us()) is not None and due_us <= now_us:
            found.add(heappop(self._due)[1])
        return found

    # ------------------------------------------------------------ jobs of one name

    # An array counts as one job, and its tasks do not count.

    def join(self, job: Job, live: Iterable[Job]) -> None:
        """Note a job that has arrived; `live` are all live jobs."""
        if type(job.phase) is Ineligible:  # others have no conditions
            self.know_names(job.conditions.dependencies, live)
        if self._groups is not None and job.task is None:
            self._group(job).add(job)

    def know_names(self, dependencies: Iterable[Dependency], live: Iterable[Job]) -> None:
        """Know the names of all live jobs from now on, if one of the dependencies is on a name."""
        if self._groups is not None:
            return
        if any(one.relation is Relation.SINGLETON for one in dependencies):
            self._groups = {}
            for other in live:
                if other.task is None:
                    self._group(other).add(other)

    def leave(self, job: Job) -> Job | None:
        """Note that a job is over. Return the first one that is left of its user and name."""
        if self._groups is None or job.task is not None:
            return None
        group = self._group(job)
        group.jobs.pop(job.id, None)
        if not group.jobs:
            del self._groups[job.user, job.name]
        return group.first()

    def rejoin(self, job: Job) -> None:
        """Note that a job that has left has another name, with its place by its number."""
        if self._groups is not None and job.task is None:
            self._group(job).add(job)

    def is_first(self, job: Job) -> bool:
        """Return whether no earlier job of the same user and name is live."""
        job_id = job.id if job.task is None else job.task.array_id
        first = self._group(job).first()
        return first is not None and first.id == job_id

    def _group(self, job: Job) -> _OfName:
        assert self._groups is not None
        return self._groups.setdefault((job.user, job.name), _OfName())


def ended_as(job: Job) -> EndedJob:
    """Return how a job has ended that is over."""
    phase = job.phase
    assert type(phase) is Done
    began_us = phase.end_us if job.start_us is None else job.start_us
    return EndedJob(phase.state is JobState.COMPLETED, began_us, phase.state)


def _awaiting_their_name(job: Job) -> list[int]:
    """Return the numbers of the job and of its tasks, as far as these wait to be the first of their
    name. (A look at others could let them join the queue sooner. A restored core does not look at
    them: it knows of names only if a job waits for its own.)"""
    tasks = [] if job.array is None else [task for _, task in job.array.tasks_in_order()]
    return [one.id for one in (job, *tasks) if one.conditions.awaits_name]
