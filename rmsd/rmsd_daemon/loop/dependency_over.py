"""The works whose jobs depend on others that have ended since these were looked up.

The core knows live jobs alone, and those that end in the same call. It would take a dependency on
any other job for one on a job whose record is lost. The callers look the job up again instead: its
end is stored before the next batch begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rmsd_core.lifecycle.inputs import AwaitAgain, Restart
from rmsd_daemon.domain.errors import DaemonError, DependencyOver, pruned_job
from rmsd_daemon.domain.submission import NewJob, awaited_ids, awaited_in
from rmsd_daemon.loop.cluster_state import ClusterState
from rmsd_daemon.loop.mailbox import (
    Amendment,
    Arrival,
    ReadyInputs,
    Reawaiting,
    Revival,
    Work,
    new_jobs,
)
from rmsd_daemon.loop.waiters import Waiters


def first_over(cluster: ClusterState, awaited: Iterable[int]) -> int | None:
    """Return the first of the awaited jobs that is not live; None if all of them are."""
    return next((job_id for job_id in awaited if not cluster.is_live(job_id)), None)


def first_with_tasks_over(cluster: ClusterState, jobs: Sequence[NewJob]) -> int | None:
    """Return the first array of which tasks have ended since they were looked up, if tasks of the
    new jobs await its tasks one by one; None if there is none."""
    for new in jobs:
        other = None if new.details.array is None else new.details.array.corresponding
        if other is not None and cluster.tasks_over(other) != other.seen:
            return other.array_id
    return None


def just_ended(job_id: int) -> DependencyOver:
    return DependencyOver(f"job {job_id} has just ended; ask for the same again")


def task_just_ended(array_id: int) -> DependencyOver:
    return DependencyOver(f"a task of array {array_id} has just ended; ask for the same again")


def with_live_dependencies(
    works: list[Work], cluster: ClusterState, waiters: Waiters
) -> list[Work]:
    """Refuse the works that depend on jobs that are over, and return the others. In a batch that
    follows on others a work may have waited for such an end."""
    left: list[Work] = []
    for work in works:
        if (why := _why_refused(work, cluster)) is None:
            left.append(work)
            continue
        waiters.refuse([work], why)
        for new in new_jobs([work]):
            cluster.shares.give_back(new.job, new.details.count, new.details)
    return left


def _why_refused(work: Work, cluster: ClusterState) -> DaemonError | None:
    if isinstance(work, Arrival):
        if (job_id := first_over(cluster, awaited_ids(work.jobs))) is not None:
            return just_ended(job_id)
        if (array_id := first_with_tasks_over(cluster, work.jobs)) is not None:
            return task_just_ended(array_id)
    elif isinstance(work, Amendment):
        awaits = work.update.awaits
        if awaits and (job_id := first_over(cluster, awaited_in(awaits))) is not None:
            return just_ended(job_id)
    elif isinstance(work, Revival | Reawaiting):
        if isinstance(work, Revival) and work.restart.job.id not in cluster.reviving:
            return pruned_job(work.restart.job.id)  # since it was looked up
        job_id = first_over(cluster, _awaited_by(work))
        return None if job_id is None else just_ended(job_id)
    return None


def _awaited_by(work: ReadyInputs) -> Iterator[int]:
    """Yield the jobs that are awaited from now on, but for one that is restarted now."""
    restarted = [item.job.id for item in work.inputs if isinstance(item, Restart)]
    for item in work.inputs:
        if isinstance(item, Restart | AwaitAgain):
            awaits = item.awaits if isinstance(item, AwaitAgain) else item.conditions.awaits
            yield from (job_id for job_id in awaited_in(awaits) if job_id not in restarted)
