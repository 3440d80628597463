"""The pace of a paced clock: model time goes on only as far as everybody has answered.

This is conservative synchronization. The clock stands at an instant until the agents have reported
all ends up to then, the driver of the replay has submitted all jobs of then, and what follows from
both is stored and done. Then it goes on to the next instant at which anything can happen: the
driver's next submit, the earliest end that agents know, or the time at which the core wants to be
woken. The inputs of an instant are applied as a simulation applies them (docs/simulation-rules.md),
so that both decide the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import Enum, auto
from typing import NamedTuple

from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Decision, Stop
from rmsd_core.lifecycle.inputs import Exited
from rmsd_core.model_time import NEVER_US
from rmsd_core.vocabulary import Cause
from rmsd_daemon.loop.mailbox import Arrival, Links, Report, Work
from rmsd_daemon.setup.clock import PacedClock

_BY_ITSELF = frozenset({Cause.EXIT, Cause.LIMIT})


class ClockStep(Enum):
    """A step of a paced clock that does not go on to another instant."""

    WAIT = auto()  # an agent or the driver has still to answer
    CONFIRM = auto()  # tell the core of the ends that it has ordered
    APPLY = auto()  # tell the core all that happens at this instant
    OVER = auto()  # nothing is left to happen


class Known(NamedTuple):
    """The knowledge of an instant.

    end_us: when the next timer of any agent ends; None until all agents have answered. submit_us:
    when the driver submits next; None: it has not said so. wake_us: when the core is to be woken;
    None: never. confirmed, ended: whether ends that the core has ordered, and other ends, wait to
    be applied.
    """

    now_us: int
    end_us: int | None
    submit_us: int | None
    wake_us: int | None
    confirmed: bool = False
    ended: bool = False


def next_step(known: Known) -> ClockStep | int:
    """Return what to do at an instant, or the next instant to go on to."""
    if known.end_us is None:
        return ClockStep.WAIT
    if known.confirmed:  # a simulation has the nodes confirm before anything else happens
        return ClockStep.CONFIRM
    if known.submit_us is None:
        return ClockStep.WAIT
    wake_us = NEVER_US if known.wake_us is None else known.wake_us
    next_us = min(known.end_us, known.submit_us, wake_us)
    if known.ended or next_us <= known.now_us:
        return ClockStep.APPLY
    return ClockStep.OVER if next_us >= NEVER_US else next_us


class Pacing:
    """Says which works the core is told next, and when the clock goes on.

    over: set while nothing is left to happen. A driver that has submitted is about to submit again,
    until it says that it runs out.
    """

    def __init__(self, clock: PacedClock) -> None:
        self.over = asyncio.Event()
        self._clock = clock
        self._runs_out = False
        self._ordered: dict[tuple[int, int, str], int] = {}  # the places of ordered ends

    def run_out(self) -> None:
        """Note that the driver submits nothing more."""
        self._runs_out = True

    def decided(self, decisions: Sequence[Decision]) -> None:
        """Note the order in which the core has ordered ends: a simulation confirms them in it."""
        for decision in decisions:
            if isinstance(decision, Stop):
                for node in decision.nodes:
                    key = (decision.job_id, decision.attempt, node)
                    self._ordered[key] = len(self._ordered)

    def next_works(
        self, works: Sequence[Work], links: Links, core: Core, wake_us: int | None
    ) -> tuple[list[Work] | None, list[Work]]:
        """Return the works of the next batch, in the order in which a simulation has them, and
        those that wait. No batch (None): somebody has still to answer, or nothing is left."""
        at_once = [work for work in works if not _is_paced(work)]
        waiting = [work for work in works if _is_paced(work)]
        if at_once:
            return at_once, waiting
        while True:
            step = self._step(waiting, links, core, wake_us)
            if not isinstance(step, int):
                break
            self._clock.advance(step)
        if step is ClockStep.OVER:
            self.over.set()
        if step is ClockStep.WAIT or step is ClockStep.OVER:
            return None, waiting
        confirms = step is ClockStep.CONFIRM
        now = [work for work in waiting if self._is_of_now(work, confirms=confirms)]
        later = [work for work in waiting if not self._is_of_now(work, confirms=confirms)]
        now.sort(key=lambda work: self._place(work, core))
        self._ordered.clear()
        return now, later

    def _step(
        self, waiting: Sequence[Work], links: Links, core: Core, wake_us: int | None
    ) -> ClockStep | int:
        now_us = self._clock.now_us()
        if any(node.link == "suspect" for node in core.nodes.values()):
            return ClockStep.WAIT  # the agent dials again, or the node is dead after a while
        ends = [work for work in waiting if _end_of(work) is not None]
        known = Known(
            now_us,
            links.next_end_us(now_us),
            self._submit_us(waiting),
            wake_us,
            confirmed=any(map(_is_ordered, ends)),
            ended=not all(map(_is_ordered, ends)),
        )
        return next_step(known)

    def _submit_us(self, waiting: Sequence[Work]) -> int | None:
        """Return when the driver submits next: its submit waits here until then."""
        times_us = [at_us for work in waiting if (at_us := _arrival_us(work)) is not None]
        if times_us:
            self._runs_out = False
            self.over.clear()
            return min(times_us)
        return NEVER_US if self._runs_out else None

    def _is_of_now(self, work: Work, *, confirms: bool) -> bool:
        """Return whether the core is told of the work now. What it decides nothing by, such as the
        start of a script, goes with the next call that there is anyway."""
        if (at_us := _arrival_us(work)) is not None:
            return not confirms and at_us <= self._clock.now_us()
        return not confirms or _is_ordered(work) or _end_of(work) is None

    def _place(self, work: Work, core: Core) -> tuple[int, int, int]:
        """Return the place of the work in a simulation: ordered ends in the order of the orders,
        other ends by job, and those of a job by the place of the node in it."""
        if (exited := _end_of(work)) is None:
            return (1, 0, 0)
        if _is_ordered(work):
            key = (exited.job_id, exited.attempt, exited.node)
            return (0, self._ordered.get(key, 0), exited.job_id)
        job = core.jobs.get(exited.job_id)
        nodes = [] if job is None else [piece.node for piece in job.allocation]
        return (0, exited.job_id, nodes.index(exited.node) if exited.node in nodes else 0)


def _is_paced(work: Work) -> bool:
    """Return whether the work belongs to an instant. Others, as of agents that dial in or of
    callers, are done at once."""
    return isinstance(work, Report) or _arrival_us(work) is not None


def _arrival_us(work: Work) -> int | None:
    return work.at_us if isinstance(work, Arrival) else None


def _end_of(work: Work) -> Exited | None:
    if isinstance(work, Report) and isinstance(work.input, Exited):
        return work.input
    return None


def _is_ordered(work: Work) -> bool:
    """Return whether the work is an end that the core has ordered."""
    exited = _end_of(work)
    return exited is not None and exited.outcome.cause not in _BY_ITSELF
