"""The inputs of the core, back from the events that record them."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from rmsd_core.jobs.conditions import NO_CONDITIONS, Awaits, Conditions
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation
from rmsd_core.lifecycle import inputs
from rmsd_core.vocabulary import Fault, HeldBy
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.attempts import outcome_of
from rmsd_daemon.store.node_events import news_of
from rmsd_daemon.store.partitions import partitions_of
from rmsd_daemon.store.policies import policies_of
from rmsd_daemon.store.records import Row, given_values, job_of
from rmsd_daemon.store.reservations import reservation_of
from rmsd_daemon.store.updates import update_of


def input_of(kind: str, job_id: int | None, payload: Row) -> inputs.Input | None:
    """Return the input that an event records; None if the event records a decision.

    Raises:
        ValueError, KeyError, TypeError: the event is damaged.
    """
    if job_id is not None:
        return _job_input_of(kind, job_id, payload)
    if (news := news_of(kind, payload)) is not None:
        return news
    match kind:
        case "partitions":
            return inputs.SetPartitions(partitions_of(payload["partitions"]))
        case "policies":
            return inputs.SetPolicies(policies_of(payload["policies"]))
        case "reserve":
            made = reservation_of(payload)
            return inputs.AddReservation(made, payload["ignores_jobs"], payload["replaces"])
        case "set-member":
            return inputs.SetMember(payload["name"], payload["user"], payload["is_member"])
        case "unreserve":
            return inputs.DeleteReservation(payload["name"])
    return None


def _job_input_of(kind: str, job_id: int, payload: Row) -> inputs.Input | None:
    match kind:
        case "submit":
            return inputs.Submit(_submitted(payload))
        case "launched":
            return inputs.Launched(job_id, payload["attempt"])
        case "exited":
            outcome = outcome_of(payload)
            assert outcome is not None
            if (fault := payload.get("fault")) is not None:
                outcome = replace(outcome, fault=Fault(fault))
            attempt, node, end_us = payload["attempt"], payload["node"], payload["end_us"]
            return inputs.Exited(job_id, attempt, node, end_us, outcome)
        case "cancel":
            ranks = payload.get("ranks")
            named = None if ranks is None else tuple(map(tuple, ranks))
            return inputs.Cancel(job_id, named, payload.get("by", ""))
        case "hold":
            return inputs.Hold(job_id, HeldBy(payload["by"]))
        case "release":
            return inputs.Release(job_id)
        case "put-back":
            held_by = HeldBy(payload["by"]) if "by" in payload else None
            return inputs.PutBack(job_id, held_by)
        case "restart":
            conditions = payload["conditions"]
            return inputs.Restart(
                job_of(payload["ended"])[0],
                msgspec.convert(conditions, Conditions) if conditions else NO_CONDITIONS,
            )
        case "await-again":
            return inputs.AwaitAgain(job_id, msgspec.convert(payload["awaits"], Awaits))
        case "suspend":
            return inputs.Suspend(job_id)
        case "unsuspend":
            return inputs.Unsuspend(job_id)
        case "update":
            return update_of(job_id, payload["asked"])
        case "overtaken":
            outcome = outcome_of(payload)
            assert outcome is not None
            return inputs.Overtaken(job_id, payload["attempt"], payload["end_us"], outcome)
        case "found":
            allocation = msgspec.convert(payload["allocation"], Allocation)
            return inputs.Found(job_id, payload["attempt"], payload["start_us"], allocation)
    return None


def _submitted(row: Row) -> Job:
    """Return the job as it was before the core saw it."""
    details = msgspec.convert(row["details"], Details)
    return Job(**given_values(row, details), phase=details.first_phase)
