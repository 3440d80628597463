"""The effects of backfilling inside a schedule: how much there is, and which jobs it favours and
delays. Thesis 3.3 to 3.5, "heel and toe"."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from rmsd_core.model_time import SECOND_US
from rmsd_lab.measures.metrics import Distribution, distribution, mean, share
from rmsd_lab.schedule import Scheduled


class Dynamics(NamedTuple):
    """The dynamics of every job of a schedule, in the schedule's order.

    shortest: whether it was the shortest of those that waited when it was chosen (run times).
    wild: whether it was backfilled at the expense of the job it passed.
    thefts: how many wild jobs passed it while it held a reservation.
    real_shadow_us: when it could have started, had all run times been known the moment it was first
        promised a start; -1: it never was.
    """

    shortest: list[bool]
    wild: list[bool]
    thefts: list[int]
    real_shadow_us: list[int]


def dynamics(schedule: Sequence[Scheduled], processors: int) -> Dynamics | None:
    """Replay the starts of a schedule one by one, in the order of their decisions, and return the
    dynamics of its jobs.

    The real shadow of a job is the earliest instant at which enough of what runs has ended, by the
    real run times. A backfilled job is wild if its start pushes away the real shadow of the job it
    passed, else mild (thesis 3.4). O(n log n), and R for each backfilled or reserved job, where R
    jobs run.

    Under recipes with several reservations each is looked at as if it were the only one. None if
    the order of decisions (`rank`) is not known, or trials were killed: their starts are not
    recorded.
    """
    if any(job.rank < 0 or job.lost_us for job in schedule):
        return None
    decided = sorted(range(len(schedule)), key=lambda at: schedule[at].rank)
    reserved = [at for at, job in enumerate(schedule) if job.reserved_at_us >= 0]
    reserved.sort(key=lambda at: schedule[at].reserved_rank, reverse=True)
    position = {job.job_id: at for at, job in enumerate(schedule)}
    machine = _Machine(processors)
    wild = [False] * len(schedule)
    thefts = [0] * len(schedule)
    real_shadow_us = [-1] * len(schedule)
    for at in decided:
        job = schedule[at]
        while reserved and schedule[reserved[-1]].reserved_rank <= job.rank:
            promised = reserved.pop()
            real_shadow_us[promised], _ = machine.real_shadow(
                schedule[promised].size, schedule[promised].reserved_at_us
            )
        if job.backfilled and job.behind in position:
            head = position[job.behind]
            shadow_us, extra = machine.real_shadow(schedule[head].size, job.start_us)
            wild[at] = job.end_us > shadow_us and job.size > extra
            thefts[head] += wild[at]
        machine.start(job)
    return Dynamics(_shortest(schedule, decided), wild, thefts, real_shadow_us)


class _Machine:
    """The running jobs with their real ends. The instants that callers ask about never decrease."""

    def __init__(self, processors: int) -> None:
        self._free = processors
        self._running: list[tuple[int, int]] = []  # (end, size), latest first: ends pop cheaply

    def start(self, job: Scheduled) -> None:
        insort(self._running, (job.end_us, job.size), key=lambda held: -held[0])
        self._free -= job.size

    def real_shadow(self, size: int, now_us: int) -> tuple[int, int]:
        """Return the instant at which `size` processors are free [us], and how many more are free
        then."""
        running = self._running
        while running and running[-1][0] <= now_us:
            self._free += running.pop()[1]
        free, shadow_us = self._free, now_us
        for end_us, held in reversed(running):
            if free >= size and end_us > shadow_us:
                break
            free += held
            shadow_us = end_us
        return shadow_us, free - size


def _shortest(schedule: Sequence[Scheduled], decided: Iterable[int]) -> list[bool]:
    """Return, for each job, whether it was the shortest in the queue when it was chosen (thesis
    3.5)."""
    arrivals = sorted(range(len(schedule)), key=lambda at: schedule[at].submit_us, reverse=True)
    waiting: list[tuple[int, int]] = []  # (run time, position), a heap
    chosen = [False] * len(schedule)
    shortest = [False] * len(schedule)
    for at in decided:
        job = schedule[at]
        while arrivals and schedule[arrivals[-1]].submit_us <= job.start_us:
            arrived = arrivals.pop()
            heappush(waiting, (schedule[arrived].run_us, arrived))
        while chosen[waiting[0][1]]:
            heappop(waiting)
        shortest[at] = job.run_us == waiting[0][0]
        chosen[at] = True
    return shortest


class Backfilled(NamedTuple):
    """Jobs that were started in one way: their part of all, mean run time [s] and mean size
    (thesis 3.3, Figs. 3.4, 3.6, 3.8)."""

    rate: float | None
    run_mean_s: float | None
    size_mean: float | None


def backfilling(
    jobs: Sequence[Scheduled], wild: Sequence[bool] | None = None
) -> dict[str, Backfilled] | None:
    """Return the figures of "backfilled" and "not_backfilled" jobs; with `wild` (one value for each
    of `jobs`) of "wild" and "mild" ones too. Returns None if `backfilled` is not known for a
    job."""
    if any(job.backfilled is None for job in jobs):
        return None
    kinds = {
        "backfilled": [job for job in jobs if job.backfilled],
        "not_backfilled": [job for job in jobs if not job.backfilled],
    }
    if wild is not None:
        labelled = list(zip(jobs, wild, strict=True))
        kinds["wild"] = [job for job, is_wild in labelled if is_wild]
        kinds["mild"] = [job for job, is_wild in labelled if job.backfilled and not is_wild]
    return {name: _backfilled(members, len(jobs)) for name, members in kinds.items()}


def _backfilled(jobs: Sequence[Scheduled], of: int) -> Backfilled:
    return Backfilled(
        len(jobs) / of if of else None,
        mean(job.run_us / SECOND_US for job in jobs),
        mean(job.size for job in jobs),
    )


class HeelAndToe(NamedTuple):
    """The victims of wild backfilling, and the order it leads to.

    sjfness: the part of the jobs that were the shortest in the queue when chosen (thesis 3.5).
    delayed_rate: the part of the jobs that were passed by a wild job (Fig. 3.7).
    stalled_rate: the same, of the jobs that waited and got a reservation (Table 4.11).
    stall_s: between a delayed job's first real shadow and its start.
    thefts_mean: wild jobs for each delayed one (Table 4.11, "thieves").
    """

    sjfness: float | None
    delayed_rate: float | None
    stalled_rate: float | None
    stall_s: Distribution | None
    thefts_mean: float | None


def heel_and_toe(
    schedule: Sequence[Scheduled], found: Dynamics, counted: Iterable[int]
) -> HeelAndToe:
    """Return the heel-and-toe figures over the jobs at the positions `counted`."""
    counted = list(counted)
    delayed = [at for at in counted if found.thefts[at]]
    stalled = [at for at in delayed if found.real_shadow_us[at] >= 0]
    return HeelAndToe(
        share(found.shortest[at] for at in counted),
        len(delayed) / len(counted) if counted else None,
        share(found.thefts[at] > 0 for at in counted if found.real_shadow_us[at] >= 0),
        distribution(
            (schedule[at].start_us - found.real_shadow_us[at]) / SECOND_US for at in stalled
        ),
        mean(found.thefts[at] for at in delayed),
    )
