"""What the core wants done: decisions to persist, then to carry out, and when to wake it again.

Decisions are values. They can be printed and kept, and nothing that happens later changes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation
from rmsd_core.lifecycle.inputs import NodeGone
from rmsd_core.vocabulary import Cause, JobState


class Start(NamedTuple):
    """Launch the attempt on its nodes. trial_end_us: it is a trial run until then."""

    job_id: int
    attempt: int
    start_us: int
    allocation: Allocation
    trial_end_us: int | None = None


class Adopt(NamedTuple):
    """The attempt runs on its nodes since a backup was made, which has been restored. It is the
    job's, as if it had been decided here."""

    job_id: int
    attempt: int
    start_us: int
    allocation: Allocation


class Stop(NamedTuple):
    """End what the attempt has on `nodes`; each of them confirms with `Exited`."""

    job_id: int
    attempt: int
    nodes: tuple[str, ...]
    cause: Cause


class Commit(NamedTuple):
    """The base scheduler goes on with the job's expired trial in place: it is not killed any more
    for others."""

    job_id: int


class Claim(NamedTuple):
    """`place` is the job's, and it starts as soon as those that are stopped there have left."""

    job_id: int
    place: Allocation
    awaits: frozenset[int]


class Await(NamedTuple):
    """Of those that the job awaits before it starts on its claim, these are left."""

    job_id: int
    awaits: frozenset[int]


class Unclaim(NamedTuple):
    """A node of the job's claim is lost or drained: the job waits again."""

    job_id: int


class Promise(NamedTuple):
    """A waiting job has been promised a start for the first time (`reserved_us`), or is past its
    starvation threshold (since `promoted_us`)."""

    job_id: int
    reserved_us: int | None
    promoted_us: int | None


class Repredict(NamedTuple):
    """A waiting job has a new prediction."""

    job_id: int
    prediction_us: int


class Switch(NamedTuple):
    """From now on the queue is in the order called `order` (dynP)."""

    order: str


class Correct(NamedTuple):
    """A prediction expired, and these replace it."""

    job_id: int
    prediction_us: int
    expected_end_us: int


class Requeue(NamedTuple):
    """An attempt was lost without the job's fault, or was a trial killed for others; the job waits
    again, and may start anew in the same pass."""

    job_id: int
    attempt: int
    outcome: Outcome
    start_us: int
    end_us: int


class End(NamedTuple):
    """The job is in a terminal state and every node has confirmed. start_us: of its last attempt;
    None: it was waiting."""

    job_id: int
    attempt: int
    state: JobState
    outcome: Outcome
    start_us: int | None
    end_us: int


Decision = (
    Start
    | Adopt
    | Stop
    | Commit
    | Claim
    | Await
    | Unclaim
    | Promise
    | Correct
    | Repredict
    | Switch
    | Requeue
    | End
)


@dataclass(slots=True)
class Effects:
    """The answer of `Core.handle`.

    changed: the jobs whose rows are not what they were, by id, those that are over included. They
    are the core's own and change with the next call.
    refused: inputs without effect, since their nodes are not down.
    wake_us: call again by then, with or without inputs.
    """

    decisions: list[Decision] = field(default_factory=list)
    changed: dict[int, Job] = field(default_factory=dict)
    refused: list[NodeGone] = field(default_factory=list)
    wake_us: int | None = None
