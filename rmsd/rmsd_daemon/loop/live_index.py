"""The live jobs by the last commit: how many are in each state, and the numbers of those in a state
or of a user.

Every page and each `rmsd top` asks for the state of the daemon, and for the newest jobs that run,
twice a second while jobs start and end. To look at 200,000 waiting jobs each time took 0.1 to 0.4 s
of a processor.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, KeysView, Mapping, Sequence
from heapq import merge
from itertools import chain

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Done
from rmsd_core.vocabulary import JobState

_AT_ONCE = 500
_SPARE = 1000
_Holds = Callable[[int], bool]


class _OrderedNumbers:
    """Numbers of jobs in order. Those of jobs that have left stay for a while; `holds` says which
    count. A page of the newest jobs costs what it has: nothing is sorted for a page."""

    def __init__(self, holds: _Holds) -> None:
        self.count = 0
        self._holds = holds
        self._numbers: list[int] = []

    def add(self, number: int) -> None:
        """Keep a number. Once most numbers do not count, those are left out."""
        self.count += 1
        numbers = self._numbers
        if len(numbers) > 2 * self.count + _SPARE:
            self._numbers = numbers = list(filter(self._holds, numbers))
        if not numbers or number > numbers[-1]:
            numbers.append(number)
        elif numbers[bisect_left(numbers, number)] != number:
            insort(numbers, number)

    def newest_first(self, below: int, holds: _Holds) -> Iterator[int]:
        """Yield the numbers below `below`, the highest first. Jobs may come and go meanwhile."""
        while True:
            at = bisect_left(self._numbers, below)
            part = self._numbers[max(0, at - _AT_ONCE) : at]
            if not part:
                return
            yield from filter(holds, reversed(part))
            below = part[0]


class LiveIndex:
    """The state of each live job, and the numbers by state and by user. An array is one job."""

    def __init__(self, jobs: Iterable[Job] = ()) -> None:
        self._states: dict[int, str] = {}
        self._in_state: dict[str, _OrderedNumbers] = {}
        self._of_user: dict[str, _OrderedNumbers] = {}
        self.note(jobs)

    def note(self, jobs: Iterable[Job]) -> None:
        """Note the present states of jobs; one that is over is forgotten."""
        states = self._states
        for job in jobs:
            before = states.get(job.id)
            state = None if type(job.phase) is Done else job.state.value
            if state == before:
                continue
            if before is not None:
                self._in_state[before].count -= 1
            if state is None:
                self._leave(job)
                continue
            states[job.id] = state
            if before is None:
                if job.user not in self._of_user:
                    self._of_user[job.user] = _OrderedNumbers(states.__contains__)
                self._of_user[job.user].add(job.id)
            if state not in self._in_state:
                self._in_state[state] = _OrderedNumbers(self._is_in({state}))
            self._in_state[state].add(job.id)

    def _leave(self, job: Job) -> None:
        del self._states[job.id]
        numbers = self._of_user[job.user]
        numbers.count -= 1
        if not numbers.count:
            del self._of_user[job.user]

    def _is_in(self, states: Collection[str]) -> _Holds:
        of = self._states
        return lambda number: of.get(number) in states

    @property
    def known(self) -> KeysView[int]:
        """Return the numbers of the live jobs."""
        return self._states.keys()

    @property
    def counts(self) -> Mapping[str, int]:
        """Return how many jobs are in each state."""
        return Counter({state: numbers.count for state, numbers in self._in_state.items()})

    def newest_first(
        self,
        below: int,
        states: Collection[JobState],
        users: Collection[str] | None,
        named: Sequence[Collection[int]] | None = None,
    ) -> Iterator[int]:
        """Yield numbers below `below`, the highest first, among which are those of all jobs in
        these states, of these users (None: of all), and in one of the lists `named` (None: any).
        Jobs may come and go meanwhile."""
        wanted = {state.value for state in states}
        sources = [one for state, one in self._in_state.items() if state in wanted]
        if users is not None:
            of_users = [self._of_user[user] for user in users if user in self._of_user]
            if _total(of_users) < _total(sources):
                sources = of_users
        holds = self._is_in(wanted)
        if named is not None and sum(map(len, named)) < _total(sources):
            numbers = sorted(chain.from_iterable(named), reverse=True)
            return (one for one in numbers if one < below and holds(one))
        return merge(*(one.newest_first(below, holds) for one in sources), reverse=True)


def _total(every: Iterable[_OrderedNumbers]) -> int:
    return sum(one.count for one in every)
