"""Expected starts: what callers are told of waiting jobs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation
from rmsd_core.model_time import NEVER_US

Basis = Literal["reservation", "projection", "trial", "claim", "preemption", "assumption"]
"""The source of an expected start. "reservation": nothing behind the job may delay it;
"projection": the queue, placed in order; "trial": as soon as its trial fits; "claim": as soon as
the trials that are killed for it have left; "preemption": it takes the place of running jobs then;
"assumption": as "projection" or "trial", and perhaps behind a job without a limit."""


class Expected(NamedTuple):
    """A waiting job is expected to run from `start_us` for `length_us`, on the nodes of these bits
    (none: anywhere in the one pool). allocation: these nodes by name; None: not known, as for all
    jobs but `Present.new`."""

    start_us: int
    length_us: int
    basis: Basis
    nodes: int = 0
    allocation: Allocation | None = None

    @property
    def end_us(self) -> int:
        return self.start_us + self.length_us


@dataclass(slots=True)
class ExpectedStarts:
    """The expected starts at `now_us`, the plan's time.

    expected: by job id, in the order of placing. head: the job that has the one reservation of
    EASY, and its time. left_out: the waiting jobs that are too far behind to have been looked at,
    by id. nowhere: those that were, and for which no place was found. assumed_us: the first end of
    a job without a limit that was assumed.
    """

    now_us: int
    expected: dict[int, Expected] = field(default_factory=dict)
    head: Job | None = None
    left_out: set[int] = field(default_factory=set)
    nowhere: set[int] = field(default_factory=set)
    assumed_us: int = NEVER_US
