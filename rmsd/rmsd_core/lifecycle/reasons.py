"""The reasons for which jobs wait, in Slurm's words."""

from __future__ import annotations

from collections.abc import Callable

from rmsd_core.jobs.conditions import held_words
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Ineligible, Trial, Waiting
from rmsd_core.lifecycle import advance
from rmsd_core.lifecycle.state import CoreState


def reason(state: CoreState, job: Job, heads: Callable[[], list[Job]]) -> str:
    """Return what `Core.reason` does. `heads` returns the heads of the queue."""
    phase = job.phase
    if isinstance(phase, Ineligible):
        return phase.conditions.reason
    if job.array is not None:
        if (task := job.array.waiting_task) is not None:
            return reason(state, state.jobs[task], heads)
        waits = job.array.reason == "Priority"
        return (waits and _outside(state, job)) or job.array.reason
    if job.claim is not None:
        return "Claimed"
    if isinstance(phase, Trial):
        if job.is_speculation:
            return "Speculation"
        return "Trial" if phase.end_us > state.now_us else "TrialExpired"
    if not isinstance(phase, Waiting):
        return "None" if job.requeue_hold is None else held_words(job.requeue_hold)
    if state.is_late(job):
        return "DeadLine"
    if (why := _outside(state, job)) is not None:
        return why
    if job.id in state.set_aside:
        return state.why_closed(job) or "ReqNodeNotAvail"
    if (limit := state.planner.limits.refusal(job)) is not None:
        return limit
    if (kind := advance.closed_by(state, job)) is not None:
        return "ReservedForMaintenance" if kind.is_maintenance else "ReservedForOthers"
    passes_all = state.trials is not None and state.trials.gives(job)
    return "Resources" if passes_all or job in heads() else "Priority"


def _outside(state: CoreState, job: Job) -> str | None:
    """Return Slurm's word for why a job cannot start inside its advance reservation now; None if it
    can, or has none."""
    if not job.reservation or advance.is_possible(state, job, job.request):
        return None
    is_there = job.reservation in state.reservations.by_name
    return "Reservation" if is_there else "ReservationDeleted"
