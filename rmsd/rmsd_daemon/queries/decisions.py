"""The decisions about jobs that are over, for metrics."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from rmsd_core.jobs.job import Job
from rmsd_core.model_time import duration_s
from rmsd_daemon.queries.history import Found, JobHistory
from rmsd_daemon.store.predictions import Prediction, SubmittedJob
from rmsd_wire.api.jobs import DecisionsView, PredictedView

_AT_ONCE = 100
"""The number of jobs whose events are read at a time."""


async def with_decisions(
    history: JobHistory, found: AsyncIterator[Found]
) -> AsyncIterator[tuple[Found, DecisionsView]]:
    """Yield jobs, which ascend by number, with the decisions about them. Some jobs at a time are in
    memory."""
    some: list[Found] = []
    async for one in found:
        some.append(one)
        if len(some) == _AT_ONCE:
            for decided in await _decided(history, some):
                yield decided
            some.clear()
    for decided in await _decided(history, some):
        yield decided


async def _decided(history: JobHistory, some: Sequence[Found]) -> list[tuple[Found, DecisionsView]]:
    over = [_submitted(job) for job, _ in some if job.state.terminal]
    known = await history.predictions(over) if over else {}
    return [(one, _decisions(one[0], known.get(one[0].id))) for one in some]


def _submitted(job: Job) -> SubmittedJob:
    return SubmittedJob(job.id, job.submit_us, job.prediction_us, job.task is not None)


def _decisions(job: Job, predictions: Sequence[Prediction] | None) -> DecisionsView:
    record, remembered = job.record, job.remembered
    told = None
    if predictions is not None:
        told = [PredictedView(at_us, duration_s(us)) for at_us, us in predictions]
    return DecisionsView(
        rank=remembered.rank,
        behind=record.behind,
        reserved_at_us=remembered.reserved_at_us,
        reserved_rank=record.reserved_rank,
        reserved_us=record.reserved_us,
        predictions=told,
    )
