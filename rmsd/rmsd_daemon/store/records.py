"""Inputs, decisions, jobs and nodes as the rows of the database, and jobs back from their rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from rmsd_core.jobs.array import ArrayTask
from rmsd_core.jobs.attempt import Attempt, Outcome, Refusal
from rmsd_core.jobs.conditions import Conditions
from rmsd_core.jobs.job import RECORDED, REMEMBERED, Job
from rmsd_core.jobs.phase import (
    UNFOLDING,
    WAITING,
    Done,
    Ineligible,
    Phase,
    Preempted,
    Running,
    Stopping,
    Suspended,
    with_claim,
)
from rmsd_core.jobs.request import Allocation, Component, Request, avoiding
from rmsd_core.lifecycle import effects, inputs
from rmsd_core.lifecycle.node_news import NodeNews
from rmsd_core.vocabulary import (
    FOR_HIGHER_TIERS,
    OVERDRAWN,
    TERMINAL_STATES,
    UNSTOPPED_STATES,
    Cause,
    Fault,
    HeldBy,
    JobState,
    Used,
)
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.attempts import outcome_of, outcome_row, pieces_of, requested
from rmsd_daemon.store.decision_events import decision_event
from rmsd_daemon.store.node_events import node_event
from rmsd_daemon.store.partitions import partition_rows
from rmsd_daemon.store.policies import policies_row
from rmsd_daemon.store.reservations import reservation_event
from rmsd_daemon.store.tables import EVENT_VERSION
from rmsd_daemon.store.trials import claim_of, trial_end_column_us, trial_of
from rmsd_daemon.store.updates import asked_of

Row = dict[str, Any]

CHANGING_COLUMNS = (
    "seq",
    "eligible_us",
    "conditions",
    "requeue_hold",
    "array",
    "state",
    "live",
    "attempt",
    "prediction_us",
    "corrections",
    "overruns",
    "rank",
    "backfilled",
    "behind",
    "cancelled_by",
    "reserved_at_us",
    "reserved_rank",
    "reserved_us",
    "promoted_us",
    "tried",
    "refusals",
    "avoids",
    "trial_end_us",
    "lost_us",
    "survived_us",
    "start_us",
    "suspended_us",
    "suspended_since_us",
    "expected_end_us",
    "end_us",
    "partition",
    "allocation",
    "open_nodes",
    "claim",
    "awaits",
    "draining",
    "stop_cause",
    "cause",
    "exit_code",
    "signal",
    "cpu_s",
    "max_rss_mib",
    "message",
)


def changing_columns(job: Job) -> Row:
    """Return the columns of a job's row that change in its life."""
    record, remembered, claim = job.record, job.remembered, job.claim
    return {
        "seq": job.seq,
        "eligible_us": job.eligible_us,
        "conditions": _conditions(job.conditions),
        "requeue_hold": None if job.requeue_hold is None else job.requeue_hold.value,
        "array": {} if job.array is None else job.array.kept(),
        "state": job.state.value,
        "live": job.state not in TERMINAL_STATES,
        "attempt": job.attempt,
        "prediction_us": job.prediction_us,
        "corrections": remembered.corrections,
        "overruns": remembered.overruns,
        "rank": remembered.rank,
        "backfilled": record.backfilled,
        "behind": record.behind,
        "cancelled_by": record.cancelled_by,
        "reserved_at_us": remembered.reserved_at_us,
        "reserved_rank": record.reserved_rank,
        "reserved_us": record.reserved_us,
        "promoted_us": remembered.promoted_us,
        "tried": job.tried,
        "refusals": [list(one) for one in job.refusals],
        "avoids": sorted(job.request.avoid),
        "trial_end_us": trial_end_column_us(job),
        "lost_us": remembered.lost_us,
        "survived_us": remembered.survived_us,
        "start_us": job.start_us,
        "suspended_us": job.suspended_us,
        "suspended_since_us": job.suspended_since_us,
        "expected_end_us": job.expected_end_us,
        "end_us": job.end_us,
        "partition": job.partition_name,
        "allocation": pieces_of(job.allocation),
        "open_nodes": sorted(job.open_nodes),
        "claim": pieces_of(claim.place) if claim is not None else [],
        "awaits": sorted(job.awaits),
        "draining": job.draining,
        "stop_cause": job.stop_cause.value if job.stop_cause else None,
        **outcome_row(job.outcome),
        **job.used._asdict(),
        **({"message": job.stop_message} if job.stop_message else {}),
    }


_LAUNCHED = UNSTOPPED_STATES - {JobState.CONFIGURING}

AMENDED_COLUMNS = ("name", "estimate_us", "deadline_us", "requeue", "request", "size", "details")


def amended_columns(job: Job, details: Details) -> Row:
    """Return the columns that an update changes."""
    given = given_columns(job, details)
    return {name: given[name] for name in AMENDED_COLUMNS}


def given_columns(job: Job, details: Details) -> Row:
    """Return the columns that a submit fixes; some of them may be changed by updates."""
    return {
        "id": job.id,
        "user": job.user,
        "name": details.name,
        "submit_us": job.submit_us,
        "estimate_us": job.estimate_us,
        "deadline_us": job.deadline_us,
        "requeue": job.requeue,
        "restartable": job.restartable,
        "request": requested(job.request),
        "size": job.size,
        "details": msgspec.to_builtins(details),
        "array_id": _array_id(job),
        "array_index": None if job.task is None else job.task.array_index,
    }


def _array_id(job: Job) -> int | None:
    if job.task is not None:
        return job.task.array_id
    return None if job.array is None else job.id


_GIVEN = ("id", "user", "name", "submit_us", "estimate_us", "deadline_us", "requeue", "restartable")
_NAMED = ("account", "qos", "nice", "licenses", "reservation")


def _conditions(conditions: Conditions) -> list[Any]:
    return list(msgspec.to_builtins(conditions)) if conditions.stand else []


def job_of(row: Mapping[str, Any]) -> tuple[Job, Details]:
    """Return the job of a row.

    Raises:
        ValueError, KeyError, TypeError: the row is damaged.
    """
    details = msgspec.convert(row["details"], Details)
    job = Job(
        **given_values(row, details),
        seq=row["seq"],
        eligible_us=row["eligible_us"],
        prediction_us=row["prediction_us"],
        expected_end_us=row["expected_end_us"],
        attempt=row["attempt"],
        tried=row["tried"],
        refusals=msgspec.convert(row["refusals"], tuple[Refusal, ...]),
        requeue_hold=HeldBy(row["requeue_hold"]) if row["requeue_hold"] else None,
        phase=_phase_of(row),
    )
    if row["partition"] in job.request.partitions:  # a waiting job may name several
        job.partition = row["partition"]
    if row["avoids"]:
        job.request = avoiding(job.request, frozenset(row["avoids"]))
    for kept, names in ((job.record, RECORDED), (job.remembered, REMEMBERED)):
        for name in names:  # the columns have the names of the facts
            setattr(kept, name, row[name])
    if job.array is not None:
        job.array.take_up(**row["array"])
    return job, details


def _phase_of(row: Mapping[str, Any]) -> Phase:
    """Return the phase of the job of a row. A trial that has expired expires anew after a
    restart."""
    state = JobState(row["state"])
    stop_cause = Cause(row["stop_cause"]) if row["stop_cause"] else None
    claim = claim_of(row)
    if row["conditions"]:
        return Ineligible(msgspec.convert(row["conditions"], Conditions))
    if state is JobState.PENDING and row["array"]:
        return UNFOLDING
    if state is JobState.PENDING:
        return with_claim(WAITING, claim)
    attempt = _attempt_of(row) if row["start_us"] is not None else None
    if state.terminal:
        outcome = outcome_of(row)
        if outcome is None:
            raise ValueError("the job is over, and has no outcome")
        return Done(state, outcome, row["end_us"], attempt, stop_cause)
    if attempt is None:
        raise ValueError(f"the job is {state.value}, and was not started")
    if state is JobState.SUSPENDED:
        return Suspended(attempt, row["suspended_since_us"])
    if state is not JobState.COMPLETING:
        trial_end_us = row["trial_end_us"]
        return Running(attempt) if trial_end_us is None else trial_of(attempt, trial_end_us)
    if row["draining"] and stop_cause is Cause.TRIAL:
        return Preempted(attempt, claim, row["message"] or "")
    message = (row["message"] or "") if stop_cause in OVERDRAWN | FOR_HIGHER_TIERS else ""
    return Stopping(attempt, stop_cause, row["draining"], message)


def _attempt_of(row: Mapping[str, Any]) -> Attempt:
    """Return the attempt of a job that was started and does not wait."""
    return Attempt(
        msgspec.convert(row["allocation"], Allocation),
        row["start_us"],
        frozenset(row["open_nodes"]),
        launched=row["state"] in _LAUNCHED,
        outcome=_outcome_of_attempt(row),
        end_us=row["end_us"],
        used=Used(row["cpu_s"], row["max_rss_mib"]),
        suspended_us=row["suspended_us"],
    )


def _outcome_of_attempt(row: Mapping[str, Any]) -> Outcome | None:
    """Return the outcome of the present attempt, with the fault that its refusal tells."""
    outcome, refusals = outcome_of(row), row["refusals"]
    if outcome is None or outcome.cause is not Cause.LAUNCH or not refusals:
        return outcome
    attempt, _, fault = refusals[-1]
    return replace(outcome, fault=Fault(fault)) if attempt == row["attempt"] else outcome


# ---------------------------------------------------------------- events


def events(
    batch: int,
    now_us: int,
    taken: Iterable[inputs.Input],
    decisions: Iterable[effects.Decision],
    columns: Mapping[int, Row],
    new: Mapping[int, Details],
    amended: Mapping[int, Row],
    nodes: Mapping[str, Row],
) -> list[Row]:
    """Return the event rows of one call of the core: its inputs in the order of effect, then its
    decisions. A call without any gives a row as well, since time alone may change later decisions.

    `columns` are the `changing_columns` of the jobs after the call, `new` has the details of jobs
    submitted or restarted in this batch, `amended` the `amended_columns` of jobs that were changed,
    `nodes` the rows of nodes that came up.
    """
    in_order = sorted(taken, key=lambda item: item.phase)
    pairs = [_input(item, new, amended, nodes) for item in in_order]
    pairs += [decision_event(decision, columns) for decision in decisions]
    pairs = pairs or [(NO_OP, None, {})]
    return [event_row(batch, now_us, kind, job_id, payload) for kind, job_id, payload in pairs]


RESTART = "restart"
PRUNED = "pruned"
SNAPSHOT = "snapshot"
EXTERNAL_CHANGE = "external-change"
RESTORED = "restored"
NO_OP = "no-op"

RESTORED_KEY = "restored"
"""The key in `meta` of a restored backup, until the nodes have been heard."""


def event_row(batch: int, now_us: int, kind: str, job_id: int | None, payload: Row) -> Row:
    return {
        "batch": batch,
        "model_us": now_us,
        "kind": kind,
        "job_id": job_id,
        "version": EVENT_VERSION,
        "payload": payload,
    }


def _input(
    item: inputs.Input,
    new: Mapping[int, Details],
    amended: Mapping[int, Row],
    nodes: Mapping[str, Row],
) -> tuple[str, int | None, Row]:
    match item:
        case inputs.Submit(job):
            first = {"seq": job.seq, "prediction_us": job.prediction_us}
            return "submit", job.id, given_columns(job, new[job.id]) | first
        case inputs.Launched(job_id, attempt):
            return "launched", job_id, {"attempt": attempt}
        case inputs.Exited(job_id, attempt, node, end_us, outcome):
            ended: Row = {"attempt": attempt, "node": node, "end_us": end_us}
            if outcome.fault is not None:
                ended["fault"] = outcome.fault.value
            return "exited", job_id, ended | outcome_row(outcome)
        case inputs.Cancel(job_id, ranks, by):
            meant: Row = {} if ranks is None else {"ranks": [list(one) for one in ranks]}
            return "cancel", job_id, meant | ({"by": by} if by else {})
        case inputs.Hold(job_id, by):
            return "hold", job_id, {"by": by.value}
        case inputs.Release(job_id):
            return "release", job_id, {}
        case inputs.PutBack(job_id, held_by):
            return "put-back", job_id, {} if held_by is None else {"by": held_by.value}
        case inputs.Restart(job, conditions):
            ended = given_columns(job, new[job.id]) | changing_columns(job)
            return RESTART, job.id, {"ended": ended, "conditions": _conditions(conditions)}
        case inputs.AwaitAgain(job_id, awaits):
            return "await-again", job_id, {"awaits": list(msgspec.to_builtins(awaits))}
        case inputs.Suspend(job_id):
            return "suspend", job_id, {}
        case inputs.Unsuspend(job_id):
            return "unsuspend", job_id, {}
        case inputs.Update():
            return "update", item.job_id, amended[item.job_id] | {"asked": asked_of(item)}
        case inputs.Overtaken(job_id, attempt, end_us, outcome):
            over = {"attempt": attempt, "end_us": end_us}
            return "overtaken", job_id, over | outcome_row(outcome)
        case inputs.Found(job_id, attempt, start_us, allocation):
            found = {"attempt": attempt, "start_us": start_us, "allocation": pieces_of(allocation)}
            return "found", job_id, found
    if isinstance(item, NodeNews):
        kind, payload = node_event(item, nodes)
        return kind, None, payload
    return _cluster_input(item)


def _cluster_input(item: inputs.Input) -> tuple[str, int | None, Row]:
    """Return what `_input` does for an input that is about no job and no node."""
    match item:
        case inputs.SetPartitions(partitions):
            return "partitions", None, {"partitions": partition_rows(partitions)}
        case inputs.SetPolicies(policies):
            return "policies", None, {"policies": policies_row(policies)}
        case inputs.AddReservation() | inputs.SetMember() | inputs.DeleteReservation():
            return reservation_event(item)
    raise AssertionError(f"{item} has no event")


def as_submitted(job: Job, details: Details) -> Job:
    """Return a copy of the job as it was before the core saw it."""
    given = {name: getattr(job, name) for name in (*_GIVEN, *_NAMED)}
    array = None if details.array is None else details.array.made()
    return Job(request=job.request, phase=details.first_phase, array=array, **given)


def given_values(row: Mapping[str, Any], details: Details) -> dict[str, Any]:
    """Return the values that the submit fixed, from the `given_columns` of a job."""
    index = row["array_index"]
    return {
        "task": None if index is None else ArrayTask(row["array_id"], index),
        "array": None if details.array is None else details.array.made(),
        "request": Request(msgspec.convert(row["request"], tuple[Component, ...])),
        **{name: getattr(details, name) for name in _NAMED},
        **{name: row[name] for name in _GIVEN},
    }
