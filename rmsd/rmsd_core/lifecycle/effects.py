"""The effects of a call of the core: decisions to store and then to carry out, and the next wake
time.

Decisions are values. They can be printed and kept, and nothing that happens later changes them.
"""

from __future__ import annotations

from typing import NamedTuple

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.conditions import Conditions
from rmsd_core.jobs.ranks import Interval
from rmsd_core.jobs.request import Allocation
from rmsd_core.lifecycle.inputs import Refused
from rmsd_core.machine.nodes import Failure, Reboot
from rmsd_core.vocabulary import Cause, HeldBy, JobState


class Start(NamedTuple):
    """Launch the attempt on its nodes. trial_end_us: the end of the trial run, if it is one."""

    job_id: int
    attempt: int
    start_us: int
    allocation: Allocation
    trial_end_us: int | None = None


class Adopt(NamedTuple):
    """Take an attempt that began after a backup, which has been restored, as the job's own, as if
    it had been decided here."""

    job_id: int
    attempt: int
    start_us: int
    allocation: Allocation


class Defer(NamedTuple):
    """Keep the job out of the queue until its conditions have come true."""

    job_id: int
    conditions: Conditions


class MarkHeld(NamedTuple):
    """Note that a job that runs is to be held by this account, if it is to wait again; None: it is
    not."""

    job_id: int
    held_by: HeldBy | None


class Admit(NamedTuple):
    """Let the job take its place in the queue: it may start now. seq: its arrival number."""

    job_id: int
    seq: int


class Detach(NamedTuple):
    """Make a waiting task of an array a job of its own. seq: its arrival number."""

    job_id: int
    array_id: int
    array_index: int
    seq: int


class Drop(NamedTuple):
    """Cancel waiting tasks of an array that were no jobs of their own: `dropped`, by rank. cause:
    by a user, or since their dependencies can never be fulfilled."""

    job_id: int
    dropped: tuple[Interval, ...]
    cause: Cause


class Strand(NamedTuple):
    """Note that waiting tasks of an array can never start: `stranded`, by rank. Their corresponding
    tasks were cancelled."""

    job_id: int
    stranded: tuple[Interval, ...]


class Stop(NamedTuple):
    """End the attempt on `nodes`; each of them confirms with `Exited`."""

    job_id: int
    attempt: int
    nodes: tuple[str, ...]
    cause: Cause


class Commit(NamedTuple):
    """Go on with the job's expired trial in place: it is not killed for other jobs any more."""

    job_id: int


class Claim(NamedTuple):
    """Give `place` to the job, which starts as soon as the jobs that are stopped there have
    left."""

    job_id: int
    place: Allocation
    awaits: frozenset[int]


class Await(NamedTuple):
    """Let a job await the jobs `left` no more before it starts on its claim. It awaits others."""

    job_id: int
    left: frozenset[int]


class Unclaim(NamedTuple):
    """Drop the job's claim, since a node of it is lost or drained, or since a restored core cannot
    keep it: the job waits again."""

    job_id: int


class Promise(NamedTuple):
    """Note that a waiting job has been promised a start for the first time (`reserved_us`), or is
    past its starvation threshold (since `promoted_us`)."""

    job_id: int
    reserved_us: int | None
    promoted_us: int | None


class Repredict(NamedTuple):
    """Give a waiting job a new prediction."""

    job_id: int
    prediction_us: int


class Avoid(NamedTuple):
    """Send the job to none of `nodes` any more, since they have refused it. The set replaces the
    one before; a node is taken out of it once an operator has resumed the node."""

    job_id: int
    nodes: frozenset[str]


class Failures(NamedTuple):
    """Note which launches have failed on a node in a row, and that the node is drained for them if
    there is a `drain_reason`. A launch that does not fail empties the list. `drain_by`, `drain_us`:
    as in `Node`."""

    node: str
    failures: tuple[Failure, ...]
    drain_reason: str | None
    drain_by: str
    drain_us: int | None


class BeginReboot(NamedTuple):
    """Tell the node, which is idle, to reboot. No job starts there before it has come back."""

    node: str
    reboot: Reboot


class Limit(NamedTuple):
    """Give the attempt the job's new time limit on `nodes`."""

    job_id: int
    attempt: int
    nodes: tuple[str, ...]


class Freeze(NamedTuple):
    """Stop the processes of the attempt on `nodes`, and its clock with them."""

    job_id: int
    attempt: int
    nodes: tuple[str, ...]


class Thaw(NamedTuple):
    """Let the processes of the attempt go on, and its clock."""

    job_id: int
    attempt: int
    nodes: tuple[str, ...]


class Switch(NamedTuple):
    """Sort the queue in the order called `order` from now on (dynP)."""

    order: str


class Lapse(NamedTuple):
    """Forget an advance reservation, whose time is over."""

    name: str


class Repeat(NamedTuple):
    """Move an advance reservation, of which one instance is over, to the next one."""

    name: str
    start_us: int
    end_us: int


class Correct(NamedTuple):
    """Replace a prediction that has expired."""

    job_id: int
    prediction_us: int
    expected_end_us: int


class Requeue(NamedTuple):
    """Put a job back: its attempt was lost without the job's fault, or was a trial killed for other
    jobs. The job waits again, and may start anew in the same pass. node: the attempt's batch
    host."""

    job_id: int
    attempt: int
    outcome: Outcome
    start_us: int
    end_us: int
    node: str


class End(NamedTuple):
    """End the job: it is in a terminal state and every node has confirmed. start_us: of its last
    attempt; None: it was waiting."""

    job_id: int
    attempt: int
    state: JobState
    outcome: Outcome
    start_us: int | None
    end_us: int


Decision = (
    Defer
    | MarkHeld
    | Admit
    | Detach
    | Drop
    | Strand
    | Start
    | Adopt
    | Stop
    | Commit
    | Claim
    | Await
    | Unclaim
    | Promise
    | Correct
    | Repredict
    | Limit
    | Freeze
    | Thaw
    | Switch
    | Lapse
    | Repeat
    | Avoid
    | Failures
    | BeginReboot
    | Requeue
    | End
)


class Effects(NamedTuple):
    """The answer of `Core.handle`.

    changed: the ids of the jobs whose rows have changed, including those that are over.
        `Core.job` has them as they are, until the next call.
    refused: inputs without effect: nodes that are neither down nor leaving, or still hold
        something, reboots that cannot be asked for or cancelled, updates that a job does not take
        in its phase, and advance reservations that cannot be made, or deleted.
    wake_us: the model time of the next call, with or without inputs.
    predicted: those of `changed` of which the prediction alone has changed.
    """

    decisions: tuple[Decision, ...] = ()
    changed: tuple[int, ...] = ()
    refused: tuple[Refused, ...] = ()
    wake_us: int | None = None
    predicted: frozenset[int] = frozenset()
