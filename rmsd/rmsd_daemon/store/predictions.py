"""The predictions that jobs had in their lives, as the events tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, Text, select, text, type_coerce

from rmsd_daemon.store.tables import EVENT, EXPLAINING
from rmsd_wire.malformed import MALFORMED

LONGEST_SEARCH = 100_000
"""The number of events among which a submit is looked for, from the first one of its time on."""


class SubmittedJob(NamedTuple):
    """A job whose predictions are wanted. `prediction_us` is the latest one."""

    id: int
    submit_us: int
    prediction_us: int
    is_task: bool


class Prediction(NamedTuple):
    """A prediction that held from `since_us` on."""

    since_us: int
    prediction_us: int


def predictions_of(
    connection: Connection, jobs: Sequence[SubmittedJob]
) -> dict[int, list[Prediction]]:
    """Return the predictions of each of the jobs, which ascend by number. Jobs are left out whose
    events are deleted or damaged, and tasks of arrays whose predictions have changed: the events
    have the submit of their array.

    The events of a change are in an index. The submit is not, which would cost each commit a page;
    events ascend in time, so the search for it is a binary one.
    """
    oldest = connection.execute(_OLDEST).first()
    if oldest is None:
        return {}
    found: dict[int, list[Prediction]] = {}
    after = oldest.id - 1
    for job in jobs:
        if job.submit_us < oldest.model_us:
            continue
        try:
            changes = list(_changes(connection, job.id))
            if not changes:
                found[job.id] = [Prediction(job.submit_us, job.prediction_us)]
            elif not job.is_task and (submit := _submit(connection, job, after)) is not None:
                after, first_us = submit
                found[job.id] = [Prediction(job.submit_us, first_us), *changes]
        except (TypeError, KeyError, *MALFORMED):
            continue
    return found


_OLDEST = select(EVENT.c.id, EVENT.c.model_us).order_by(EVENT.c.id).limit(1)
_NEWEST = select(EVENT.c.id).order_by(EVENT.c.id.desc()).limit(1)
_PAYLOAD = type_coerce(EVENT.c.payload, Text)


def _changes(connection: Connection, job_id: int) -> Iterator[Prediction]:
    query = (
        select(EVENT.c.model_us, EVENT.c.kind, _PAYLOAD)
        .where(EVENT.c.job_id == job_id, text(EXPLAINING))
        .order_by(EVENT.c.id)
    )
    for since_us, kind, payload in connection.execute(query):
        if kind != "promise":
            yield Prediction(since_us, msgspec.json.decode(payload)["job"]["prediction_us"])


def _submit(connection: Connection, job: SubmittedJob, after: int) -> tuple[int, int] | None:
    """Return the number of the event that submitted the job, which is after the event `after`, and
    the prediction that it has; None if there is no such event."""
    first = max(first_since(connection, job.submit_us, after + 1), after + 1)
    query = (
        select(EVENT.c.id, EVENT.c.job_id, _PAYLOAD)
        .where(EVENT.c.kind == "submit", EVENT.c.id >= first, EVENT.c.id < first + LONGEST_SEARCH)
        .order_by(EVENT.c.id)
    )
    with connection.execute(query) as rows:
        for event_id, job_id, payload in rows:
            if job_id == job.id:
                return event_id, msgspec.json.decode(payload)["prediction_us"]
            if job_id > job.id:  # numbers ascend
                break
    return None


def first_since(connection: Connection, since_us: int, low: int) -> int:
    """Return the number of the first event at `since_us` or later, from the number `low` on."""
    high = (connection.execute(_NEWEST).scalar() or 0) + 1
    while low < high:
        middle = (low + high) // 2
        query = select(EVENT.c.model_us).where(EVENT.c.id >= middle).order_by(EVENT.c.id).limit(1)
        model_us = connection.execute(query).scalar()
        if model_us is None or model_us >= since_us:
            high = middle
        else:
            low = middle + 1
    return low
