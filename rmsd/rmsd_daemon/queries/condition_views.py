"""The conditions of a job as the API tells them."""

from __future__ import annotations

from rmsd_core.jobs.conditions import Conditions, Dependency
from rmsd_core.jobs.job import Job
from rmsd_core.model_time import SECOND_US
from rmsd_wire.api.jobs import ConditionsView, DependencyView, UnmetView


def conditions_view(job: Job) -> ConditionsView | None:
    """Return what must still come true before a job may start, None if nothing must. Of an array
    whose tasks await those of another one (`aftercorr`), that other one is named."""
    conditions, array = job.conditions, job.array
    if array is None or array.corresponds is None or not array.blocked:
        return _view(conditions, []) if conditions.stand else None
    other = DependencyView("aftercorr", array.corresponds.array_id, 0.0, None)
    return _view(conditions, [other])


def _view(conditions: Conditions, others: list[DependencyView]) -> ConditionsView:
    return ConditionsView(
        conditions.held_by,
        conditions.begin_us,
        [*map(_dependency, conditions.dependencies), *others],
        conditions.any_of,
        conditions.never,
        [UnmetView(one.relation, one.job_id, one.state) for one in conditions.unmet],
    )


def _dependency(one: Dependency) -> DependencyView:
    return DependencyView(one.relation, one.job_id, one.delay_us / SECOND_US, one.due_us)
