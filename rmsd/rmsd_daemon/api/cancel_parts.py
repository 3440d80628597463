"""Cancels of many jobs and tasks, in parts: between two of them the requests of others are served.

A part is stored before the next one begins. If the daemon is killed between two, the caller has no
answer, and what is left goes on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rmsd_core.jobs.array import id_of
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Ineligible, Waiting
from rmsd_core.jobs.ranks import Interval, Ranks
from rmsd_core.lifecycle.inputs import Cancel
from rmsd_core.vocabulary import RESTARTED, Cause, JobState
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.store.records import Row

MOST_AT_ONCE = 500
"""The jobs of a part: together they take some 20 ms of the event loop."""
_FIRST_TASKS = 100
"""The tasks of an array that are cancelled first; then twice as many each time, while this is
quick."""
_QUICK_S = 0.05
LOOKED_AT = 256
"""The jobs of which it is found which to cancel first, before others have their turns."""


class _Piece(NamedTuple):
    """A cancel, the job that the caller has named for it, and how many jobs it ends at most."""

    cancel: Cancel
    named: int
    jobs: int


class CancelParts:
    """The cancel of some jobs by one caller.

    entries: the entries of the audit trail, by job; each is written with the first part of its job.
    ranks: the tasks that are meant, if the only job is an array; None: all. by: the caller's
    account. check: what is done before each part. begun: what is done with the numbers of jobs
    whose entries are committed.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        entries: Mapping[int, Row],
        ranks: Sequence[Interval] | None,
        by: str,
        check: Callable[[], None],
        begun: Callable[[Sequence[int]], None],
    ) -> None:
        self._scheduler = scheduler
        self._jobs = list(entries)
        self._entries = dict(entries)  # the ones that are not written yet
        self._ranks = None if ranks is None else tuple(ranks)
        self._by = by
        self._check = check
        self._begun = begun

    async def carry_out(self) -> None:
        """Return when all is cancelled and stored.

        At most `MOST_AT_ONCE` jobs are cancelled at once. Of more, those that wait come first, from
        the end of the queue on, so that none of them starts on what another one leaves.

        Raises:
            DaemonError: a part is not stored, or as `check`. The parts before it are stored.
        """
        for at, job_id in enumerate(self._jobs, 1):
            await self._cancel_most_tasks(job_id)
            if not at % LOOKED_AT:
                await asyncio.sleep(0)
        pieces = await self._in_turn()
        if sum(piece.jobs for piece in pieces) > MOST_AT_ONCE:
            for part in _parts(pieces):
                await self._cancel(part)
        # The rest: of an array, also tasks that have become jobs meanwhile.
        for part in _parts(_Piece(self._of(one, self._ranks), one, 1) for one in self._jobs):
            await asyncio.sleep(0)  # there may be nothing left to cancel in any part
            await self._cancel(part)

    async def _cancel_most_tasks(self, job_id: int) -> None:
        """Cancel most of the tasks of an array that wait, some at a time: each on which a single
        job depends becomes a job. The last ones come first, since they start last."""
        count = _FIRST_TASKS
        while len(waiting := self._waiting(job_id)) > count:
            last = waiting.intervals()[-1][1]
            some = tuple(waiting.take(last - count, last))
            began_s = time.monotonic()
            await self._cancel([_Piece(self._of(job_id, some), job_id, 1)])
            is_quick = time.monotonic() - began_s < _QUICK_S
            count = 2 * count if is_quick else max(_FIRST_TASKS, count // 2)

    async def _cancel(self, part: Sequence[_Piece]) -> None:
        """Cancel what would go on."""
        part = [piece for piece in part if self._goes_on(piece)]
        if not part:
            return
        self._check()
        begun = [
            one for one in dict.fromkeys(piece.named for piece in part) if one in self._entries
        ]
        entries = [self._entries.pop(job_id) for job_id in begun]
        await self._scheduler.carry_out(*(piece.cancel for piece in part), audit_entries=entries)
        self._begun(begun)

    def _goes_on(self, piece: _Piece) -> bool:
        """Return whether a job of a piece would go on if it were not cancelled now."""
        job_id = piece.cancel.job_id
        core = self._scheduler.core
        job = core.jobs.get(job_id)
        if job is None:
            # The commit of the end of a job that has just ended may fail.
            return job_id in self._scheduler.details or core.waiting_task(job_id) is not None
        if job.array is None:
            return goes_on(job)
        return any_goes_on(job, piece.cancel.ranks)

    def _of(self, job_id: int, ranks: tuple[Interval, ...] | None = None) -> Cancel:
        return Cancel(job_id, ranks, self._by)

    def _pieces(self, job_id: int) -> Iterator[_Piece]:
        """Yield what a job, or its tasks that are meant, can be cancelled by one by one."""
        job = self._scheduler.core.jobs.get(job_id)
        if job is None or job.array is None:
            yield _Piece(self._of(job_id), job_id, 1)
            return
        if waiting := self._waiting(job_id):
            rest = self._of(job_id, tuple(waiting.intervals()))
            yield _Piece(rest, job_id, len(waiting))
        wanted = Ranks([(0, job.array.count)] if self._ranks is None else self._ranks)
        for rank in list(job.array.tasks):
            if rank in wanted:
                yield _Piece(self._of(id_of(job_id, rank)), job_id, 1)

    async def _in_turn(self) -> list[_Piece]:
        """Return all pieces in order: those of jobs that depend on others are first, and those of
        jobs that hold something are last. Others have their turns meanwhile."""
        dependent: list[_Piece] = []
        waiting: list[tuple[Any, int, _Piece]] = []
        holding: list[_Piece] = []
        pieces = (piece for job_id in self._jobs for piece in self._pieces(job_id))
        for at, piece in enumerate(pieces, 1):
            core = self._scheduler.core
            job = core.jobs.get(piece.cancel.job_id)
            if job is None or job.array is not None or isinstance(job.phase, Ineligible):
                dependent.append(piece)
            elif isinstance(job.phase, Waiting):
                waiting.append((core.rank(job), at, piece))
            else:
                holding.append(piece)
            if not at % LOOKED_AT:
                await asyncio.sleep(0)
        dependent.sort(key=_number, reverse=True)
        waiting.sort(reverse=True)
        holding.sort(key=_number)
        return [*dependent, *(piece for _, _, piece in waiting), *holding]

    def _waiting(self, job_id: int) -> Ranks:
        """Return the tasks of a live array that are meant, wait and are no jobs of their own."""
        job = self._scheduler.core.jobs.get(job_id)
        if job is None or job.array is None:
            return Ranks()
        waiting = job.array.waiting_ranks()
        if self._ranks is None:
            return waiting
        return Ranks(part for one in self._ranks for part in waiting.take(*one))


def _number(piece: _Piece) -> int:
    return piece.cancel.job_id


def goes_on(job: Job) -> bool:
    """Return whether a live job would go on, or start anew, if it were not cancelled."""
    if job.state is not JobState.COMPLETING:
        return True
    return job.stop_cause is Cause.NODE or job.stop_cause in RESTARTED


def any_goes_on(job: Job, ranks: Sequence[Interval] | None) -> bool:
    """Return whether a task of a live array would go on; of those at `ranks`, if these are
    given."""
    array = job.array
    if array is None:
        return False
    wanted = Ranks([(0, array.count)] if ranks is None else ranks)
    if any(array.waits_among(first, last) for first, last in wanted.intervals()):
        return True
    return any(goes_on(task) for rank, task in array.tasks.items() if rank in wanted)


def _parts(pieces: Iterable[_Piece]) -> Iterator[list[_Piece]]:
    """Yield the pieces in lists of `MOST_AT_ONCE` jobs at most, or of one piece."""
    part: list[_Piece] = []
    jobs = 0
    for piece in pieces:
        if part and jobs + piece.jobs > MOST_AT_ONCE:
            yield part
            part, jobs = [], 0
        part.append(piece)
        jobs += piece.jobs
    if part:
        yield part
