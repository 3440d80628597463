"""What the core wants done: decisions to persist, then to carry out, and when to wake it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from rmsd_core.job import Job, Outcome
from rmsd_core.lifecycle.inputs import NodeGone
from rmsd_core.vocabulary import Cause


class Start(NamedTuple):
    """Launch `job.attempt` on `job.allocation`, at model time `job.start_us`."""

    job: Job


class Stop(NamedTuple):
    """End what the job's attempt has on `nodes`; each of them confirms with `Exited`."""

    job: Job
    nodes: tuple[str, ...]
    cause: Cause


class Commit(NamedTuple):
    """The base scheduler goes on with the job's expired trial in place: it is not killed any more
    for others."""

    job: Job


class Claim(NamedTuple):
    """`job.claim` is the job's, and it starts as soon as those that are stopped there have left."""

    job: Job


class Unclaim(NamedTuple):
    """A node of the job's claim is lost or drained: the job waits again."""

    job: Job


class Promise(NamedTuple):
    """A waiting job has been promised a start for the first time (`job.reserved_us`), or is past
    its starvation threshold (`job.promoted_us`)."""

    job: Job


class Repredict(NamedTuple):
    """A waiting job has a new `job.prediction_us`."""

    job: Job


class Switch(NamedTuple):
    """From now on the queue is in the order called `order` (dynP)."""

    order: str


class Correct(NamedTuple):
    """A prediction expired: `job.prediction_us` and `job.expected_end_us` are new."""

    job: Job


class Requeue(NamedTuple):
    """An attempt was lost without the job's fault, or was a trial killed for others; the job waits
    again.

    The attempt's record is in here, because the job may start anew in the same pass.
    """

    job: Job
    attempt: int
    outcome: Outcome
    start_us: int
    end_us: int


class End(NamedTuple):
    """The job is in a terminal state and every node has confirmed."""

    job: Job


Decision = (
    Start | Stop | Commit | Claim | Unclaim | Promise | Correct | Repredict | Switch | Requeue | End
)


@dataclass(slots=True)
class Effects:
    """The answer of `Core.handle`. `refused`: inputs without effect, since their nodes are not
    down; `wake_us`: call again by then, with or without inputs."""

    decisions: list[Decision] = field(default_factory=list)
    refused: list[NodeGone] = field(default_factory=list)
    wake_us: int | None = None
