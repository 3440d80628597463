"""Adoption of the attempts that nodes know after a restore, and that were decided after the backup.

The decisions of that time are lost. Their results reach the core as inputs. `Overtaken` says that
an attempt is over, and that its job went on. `Found` says that an attempt has begun. The nodes take
no work until the core has these inputs.
"""

from __future__ import annotations

from rmsd_core.jobs.attempt import begun
from rmsd_core.jobs.phase import Ineligible, Preempted, Running
from rmsd_core.lifecycle import reboots
from rmsd_core.lifecycle.effects import Adopt
from rmsd_core.lifecycle.ending import end_trial, give_back, requeue
from rmsd_core.lifecycle.inputs import Found, Overtaken
from rmsd_core.lifecycle.starting import confirmed, void_claim
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.lifecycle.suspending import wake
from rmsd_core.lifecycle.tasks import find
from rmsd_core.lifecycle.trials import note_tried
from rmsd_core.lifecycle.waiting import unqueue
from rmsd_core.machine.partitions import partition_of


def overtaken(state: CoreState, item: Overtaken) -> None:
    """End an attempt that is over on all its nodes; its job waits again."""
    job = state.jobs.get(item.job_id)
    attempt = job.phase.attempt if job is not None else None
    if job is None or attempt is None or job.attempt != item.attempt:
        return
    state.deadlines.rest = False
    wake(state, job, item.end_us)
    _void_claims(state)
    draining = False
    if state.trials is not None:
        end_trial(state, job)
        draining = job.draining
    for piece in attempt.holding():
        give_back(state, piece, draining=draining)
    attempt.open_nodes = frozenset()
    attempt.outcome, attempt.end_us = item.outcome, item.end_us
    if not draining:
        state.planner.forget(job)
    if type(job.phase) is Preempted:
        unqueue(state, job)
    note_tried(job)
    requeue(state, job, attempt)
    if draining:
        assert state.trials is not None
        confirmed(state, state.trials, job)


def found(state: CoreState, item: Found) -> None:
    """Adopt an attempt: the waiting job runs in it. Promises since the backup are not known."""
    job = find(state, item.job_id)
    if job is None or item.attempt <= job.attempt or job.open_nodes:
        return
    state.deadlines.rest = False
    _void_claims(state)
    if type(job.phase) is Ineligible:
        state.dependents.remove(job)
    else:
        unqueue(state, job)
    for piece in item.allocation:
        reboots.came_back(state, piece.node)
        state.capacity.take((piece,))
    attempt = begun(item.allocation, item.start_us)
    attempt.launched = True
    job.attempt = item.attempt
    note_tried(job)
    job.partition = partition_of(state.partitions, job, [piece.node for piece in item.allocation])
    state.move(job, "adopt", Running(attempt))
    state.expect(job, item.start_us + job.prediction_us)
    state.dependents.started(job)
    state.disturbed = True
    state.decide(Adopt(job.id, item.attempt, item.start_us, item.allocation))


def _void_claims(state: CoreState) -> None:
    """Drop the claims of the backup, since other jobs may run there now. The jobs are planned
    anew."""
    if state.trials is not None:
        for claimant in state.trials.claiming():
            void_claim(state, claimant)
