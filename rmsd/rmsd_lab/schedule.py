"""A schedule: what happened to every job, wherever it comes from - a simulation, a replay, a live
history. The metrics read nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rmsd_core.model_time import BOUND_S, SECOND_US


class Scheduled(NamedTuple):
    """The course of one job; times are in microseconds. A number that is not known is -1.

    start_us, end_us, run_us: of its last attempt.
    failed: whether it ended as a failure (SWF status 0; live: FAILED, TIMEOUT and the like).
    predictions: (since, prediction) from submit on, one more for every change; empty: not known.
    corrections: how often a prediction expired and was replaced.
    backfilled: started past a job that holds a reservation; `behind` is that job's id, or -1.
        None: not known.
    rank: how many starts of any kind were decided before its last one; what orders the starts of
        one instant. If it is not known, neither are reservations.
    reserved_at_us: when it was first promised a start, `reserved_rank` the starts decided by then,
        and `reserved_us` the start promised; -1: it never was.
    attempts: how often it was started; `lost_us` is how long its killed trials ran in all.
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
