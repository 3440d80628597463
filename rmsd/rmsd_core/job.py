"""A job as the scheduler sees it. Its run time is not in here: no policy may see it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from rmsd_core.vocabulary import NOTHING_USED, Cause, JobState, Used


class Component(NamedTuple):
    """A number of equal units that are allocated together.

    `spread=False`: `units` tasks of `cores` each, as many on one node as fit.
    `spread=True`: one unit on each of `units` nodes, `cores` being what each of them gives.
    `mem_mib` is taken once from every node used (0: memory is not accounted).
    """

    units: int
    cores: int = 1
    mem_mib: int = 0
    spread: bool = False
    feature: str | None = None  # only nodes that carry this feature


@dataclass(frozen=True, slots=True)
class Request:
    """What a job asks for: one component today, a list of them by design.

    `size` is the processors in all: what "size" means in the papers.
    """

    components: tuple[Component, ...]
    size: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", sum(c.units * c.cores for c in self.components))


def processors(count: int) -> Request:
    """The request of an SWF job: `count` processors, anywhere."""
    return Request((Component(count),))


class Piece(NamedTuple):
    """What an allocation holds on one node."""

    node: str
    cores: int
    mem_mib: int = 0


Allocation = tuple[Piece, ...]
"""The pieces a job holds; the first one is on its batch host, where the script runs."""


@dataclass(slots=True)
class Outcome:
    """How an attempt ended on a node, as its agent reported it. That of the batch host becomes the
    attempt's, with what was used on all nodes."""

    cause: Cause
    exit_code: int | None = None
    signal: int | None = None
    cpu_s: float | None = None
    max_rss_mib: int | None = None
    message: str = ""


@dataclass(slots=True, eq=False)
class Job:
    """A job in the core. All times are model time in microseconds.

    `seq` is the arrival order, the tie-break everywhere. `prediction_us` is what the planner
    believes, `estimate_us` what the user said. `expected_end_us` is the start of the running
    attempt plus its prediction, or the end of its trial run if that is earlier.

    rank, behind, reserved_*, lost_us: see `schedule.Scheduled`. claim: what the job starts on as
    soon as the jobs `awaits` names, which are being killed there, have left. owes: its expired
    trial is being ended, and what it still holds has been given out already.
    """

    id: int
    user: str
    submit_us: int
    request: Request
    estimate_us: int
    eligible_us: int = 0
    requeue: bool = True
    restartable: bool = True
    seq: int = 0
    size: int = 0
    prediction_us: int = 0
    state: JobState = JobState.PENDING
    attempt: int = 0
    start_us: int = -1
    expected_end_us: int = -1
    end_us: int = -1
    corrections: int = 0
    overruns: int = 0  # the corrections beyond the estimate
    backfilled: bool = False
    tried: bool = False  # it has had its trial run
    trial_end_us: int = -1  # of the trial that runs or has expired, until it is committed
    rank: int = -1
    behind: int = -1
    reserved_at_us: int = -1
    reserved_rank: int = -1
    reserved_us: int = -1
    promoted_us: int = -1  # since when it is past its starvation threshold, for good
    lost_us: int = 0
    allocation: Allocation = ()
    claim: Allocation = ()
    awaits: frozenset[int] = frozenset()
    owes: bool = False
    open_nodes: frozenset[str] = frozenset()
    stop_cause: Cause | None = None
    stop_message: str = ""  # what a node said that had to end the job for what it used there
    outcome: Outcome | None = None
    used: Used = NOTHING_USED  # on the nodes where the attempt has ended

    def __post_init__(self) -> None:
        self.size = self.request.size
        self.eligible_us = self.eligible_us or self.submit_us

    def forget_end(self) -> None:
        """Its attempt has not ended, as far as is known, and nobody ends it."""
        self.outcome, self.used = None, NOTHING_USED
        self.stop_cause, self.stop_message = None, ""

    def releasing(self) -> Iterable[Piece]:
        """What it gives back when it ends as expected."""
        return self.claim or self.holding()

    def holding(self) -> list[Piece]:
        """What its attempt still holds."""
        return [piece for piece in self.allocation if piece.node in self.open_nodes]
