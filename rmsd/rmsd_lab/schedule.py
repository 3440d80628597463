"""A schedule: what happened to every job, wherever it comes from - a simulation, a replay, a live
history. The metrics read nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rmsd_core.model_time import BOUND_S, SECOND_US


class Scheduled(NamedTuple):
    """The course of one job; times are in microseconds.

    A number that is not known is -1, as in SWF, where no number of a job is negative. The fields
    stay plain integers, so that code which has checked a whole schedule once (`all(job.rank >= 0
    ...)`) can compare and add them without a case for None in each job.

    start_us, end_us, run_us: the instants and the run time of the last attempt.
    failed: whether the job ended as a failure (SWF status 0; live: FAILED, TIMEOUT and the like).
    predictions: pairs (since, prediction) from submit on, with one more for every change. The
        tuple is empty if the predictions are not known.
    corrections: the number of predictions that expired and were replaced.
    backfilled: whether the job started past a job with a reservation; None if this is not known.
        `behind` is the id of the job with the reservation, -1 if there is none.
    rank: the number of starts of any kind that were decided before the job's last one. The rank
        orders the starts of one instant. If it is not known, neither are reservations.
    reserved_at_us: the instant at which the job was first promised a start. `reserved_rank` is the
        number of starts decided by then, and `reserved_us` the start promised. All three are -1 if
        no start was ever promised.
    attempts: the number of times the job was started. `lost_us` is the time that its killed trials
        ran in all.
    """

    job_id: int
    submit_us: int
    start_us: int
    end_us: int
    run_us: int
    size: int
    backfilled: bool | None = False
    user: str = "-1"
    estimate_us: int = -1
    failed: bool = False
    predictions: tuple[tuple[int, int], ...] = ()
    corrections: int = 0
    behind: int = -1
    rank: int = -1
    reserved_at_us: int = -1
    reserved_rank: int = -1
    reserved_us: int = -1
    attempts: int = 1
    lost_us: int = 0

    @property
    def wait_us(self) -> int:
        """Return the response minus the run time [us], so that a killed attempt counts as
        waiting."""
        return self.end_us - self.submit_us - self.run_us

    @property
    def response_us(self) -> int:
        return self.end_us - self.submit_us

    @property
    def bounded_slowdown(self) -> float:
        """Return max(1, (wait + run) / max(10 s, run))."""
        return max(1.0, self.response_us / max(BOUND_S * SECOND_US, self.run_us))


@dataclass(slots=True)
class Schedule:
    """The jobs in arrival order; on a machine of `processors`.

    orders: (since [us], name) whenever the order of the queue changed (dynP); empty otherwise.
    passes: how often the scheduler looked at the queue; 0: not known.
    killed: (position in `jobs`, start [us], end [us]) of trial runs that were killed, in the order
        of their ends; only a simulation knows them.
    """

    jobs: list[Scheduled]
    processors: int
    orders: list[tuple[int, str]] = field(default_factory=list)
    passes: int = 0
    killed: list[tuple[int, int, int]] = field(default_factory=list)

    def __iter__(self) -> Iterator[Scheduled]:
        return iter(self.jobs)

    def __len__(self) -> int:
        return len(self.jobs)
