"""A job of the oracle; whole seconds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from rmsd_lab.workloads.swf import TraceJob


class Phase(Enum):
    """The phase of a job. A job in TRIAL or EXPIRED runs and is in the base queue as well."""

    WAITING = auto()
    TRIAL = auto()
    EXPIRED = auto()
    COMMITTED = auto()
    DONE = auto()


@dataclass(eq=False)
class Job:
    """A job of the oracle. `start`: of the running attempt, else of the last one. `run`: how long
    that takes. `reserved`: its start in the plan. `survived`: what it is known to run at least.
    `urgent`: it has waited for too long. `expired`: since when its run may be killed."""

    seq: int
    trace: TraceJob
    prediction: int
    phase: Phase = Phase.WAITING
    start: int = -1
    run: int = 0
    end: int = -1
    overruns: int = 0
    reserved: int | None = None
    survived: int = 0
    urgent: bool = False
    expired: int = 0

    @property
    def size(self) -> int:
        return self.trace.size

    @property
    def exit(self) -> int:
        return self.start + self.run

    @property
    def runs(self) -> bool:
        return self.phase in (Phase.TRIAL, Phase.EXPIRED, Phase.COMMITTED)

    @property
    def bounded_slowdown(self) -> float:
        return max(1.0, (self.end - self.trace.submit_s) / max(10, self.run))
