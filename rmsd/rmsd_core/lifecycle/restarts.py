"""Jobs that are over run again under their numbers, and the jobs that await them wait on."""

from __future__ import annotations

from dataclasses import replace

from rmsd_core.jobs.conditions import NO_CONDITIONS
from rmsd_core.jobs.job import Record, Remembered
from rmsd_core.jobs.phase import Ineligible
from rmsd_core.jobs.request import avoiding
from rmsd_core.lifecycle.eligibility import wait_for
from rmsd_core.lifecycle.inputs import AwaitAgain, Restart
from rmsd_core.lifecycle.state import CoreState


def restart(state: CoreState, item: Restart) -> None:
    """Let a job that is over wait again, as one that arrives now. It keeps the count of its starts,
    and of its life so far nothing else decides: no refusal by a node, no promise, no trial."""
    if item.job.id in state.jobs:
        state.refused.append(item)
        return
    job = replace(
        item.job,
        request=avoiding(item.job.request, frozenset()),
        expected_end_us=None,
        tried=False,
        refusals=(),
        partition=None,
        requeue_hold=None,
        remembered=Remembered(),
        record=Record(),
    )
    # Jobs for which the end of this one is not settled yet await its next end.
    state.dependents.over.pop(job.id, None)
    state.dependents.unsettled.pop(job.id, None)
    state.add(job)
    state.dependents.join(job, state.jobs.values())
    state.move(job, "restart", Ineligible(NO_CONDITIONS))
    wait_for(state, job, item.conditions)


def await_again(state: CoreState, item: AwaitAgain) -> None:
    """Let a job wait again for others, after its dependencies could never be fulfilled. It stays
    held, if it is."""
    job = state.jobs.get(item.job_id)
    if job is None or not job.conditions.never:
        return
    wait_for(state, job, job.conditions._replace(**item.awaits._asdict()))
