"""The live arrays: found by the numbers of their tasks, and by how much free capacity they need to
unfold further."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from heapq import heappop, heappush

from rmsd_core.jobs.array import Array, id_of, rank_of
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Done, Ineligible, Phase, Unfolding, Waiting
from rmsd_core.lifecycle.followers import Followers
from rmsd_core.vocabulary import JobState


class ArrayIndex:
    """An index of the live arrays.

    ahead: the tasks of an array that are in the queue beside those that fit into the free capacity.
    live: the array jobs, by id. finished: those whose last task is over; `tasks.finish` ends them.
    followers: those whose tasks correspond to tasks of others.
    """

    def __init__(self, ahead: int) -> None:
        self.ahead = ahead
        self.live: dict[int, Job] = {}
        self.finished: list[Job] = []
        self.followers = Followers()
        self._ids: list[int] = []
        self._may_unfold: list[tuple[int, int]] = []  # heap of (key, id), some of them outdated
        self._stuck: dict[int, Job] = {}

    def add(self, job: Job) -> None:
        """Index an array that has arrived."""
        self.live[job.id] = job
        insort(self._ids, job.id)
        self.followers.add(job)

    def remove(self, job: Job) -> None:
        """Note that an array is over."""
        del self.live[job.id]
        del self._ids[bisect_left(self._ids, job.id)]
        self._stuck.pop(job.id, None)
        self.followers.remove(job)

    def of_task(self, task_id: int) -> Job | None:
        """Return the live array with a task of this number; None if there is none."""
        at = bisect_right(self._ids, task_id - 1) - 1
        if at < 0:
            return None
        job = self.live[self._ids[at]]
        return job if rank_of(job.id, task_id) < array_of(job).count else None

    def waiting(self, task_id: int) -> tuple[Job, int] | None:
        """Return the array and the rank of a task that waits and is no job of its own; None if the
        number is of no such task."""
        job = self.of_task(task_id)
        if job is None:
            return None
        rank = rank_of(job.id, task_id)
        return (job, rank) if array_of(job).waits(rank) else None

    def followed_by(self, job: Job) -> list[int]:
        """Return the numbers of the tasks of other arrays that await this task and are no jobs of
        their own."""
        if job.task is None:
            return []
        at = rank_of(job.task.array_id, job.id)
        followers = self.followers.of(job.task.array_id, [(at, at + 1)])
        index = job.task.array_index
        places = [(follower, array_of(follower).indices.rank(index)) for follower in followers]
        return [
            id_of(follower.id, rank)
            for follower, rank in places
            if rank is not None and rank in array_of(follower).blocked
        ]

    # ------------------------------------------------------------ tasks that are jobs

    def joined(self, task: Job) -> None:
        """Note that a task is a job of its own from now on."""
        parent = self.live[task_of(task)]
        array, rank = array_of(parent), rank_of(parent.id, task.id)
        array.tasks[rank] = task
        if not task.attempt:
            array.unstarted.add(task.id)
            if type(task.phase) is Waiting:
                array.fresh.add(task.id)
        if type(task.phase) is not Ineligible:
            array.active += 1
        elif not task.phase.conditions.is_to_come:
            array.waiting_turn.add(rank, rank + 1)

    def moved(self, task: Job, before: Phase) -> bool:
        """Note that the phase of a task has changed. Return whether the record of the array has
        changed as well."""
        parent = self.live[task_of(task)]
        array, rank = array_of(parent), rank_of(parent.id, task.id)
        after = task.phase
        if type(after) is Waiting and not task.attempt:
            array.fresh.add(task.id)  # a hold has ended, for one
        else:
            array.fresh.discard(task.id)
        if task.attempt:
            array.unstarted.discard(task.id)
        was_active = type(before) is not Ineligible
        is_active = type(after) is not Ineligible and type(after) is not Done
        array.active += is_active - was_active
        if not was_active:
            array.waiting_turn.take(rank, rank + 1)
        if type(after) is Ineligible and not after.conditions.is_to_come:
            array.waiting_turn.add(rank, rank + 1)
        told = False
        if type(after) is Done:
            array.unstarted.discard(task.id)
            del array.tasks[rank]
            told = after.state is not JobState.COMPLETED
            array.failed += told
            array.ended_cancelled += after.state is JobState.CANCELLED
            array.ended_late += after.state is JobState.DEADLINE
            array.exit_code = max(array.exit_code, after.outcome.exit_code or 0)
            self.look_for_the_end(parent)
        self.look_at(parent)
        return told

    def look_for_the_end(self, job: Job) -> None:
        """Have the array ended if it has no task left."""
        if array_of(job).is_over:
            self.finished.append(job)

    # ------------------------------------------------------------ arrays that may unfold

    def look_at(self, job: Job) -> None:
        """Note that the array may unfold further with less free capacity than before."""
        array = array_of(job)
        if not array.may_run_more or not (array.rest or array.waiting_turn):
            return
        # The task whose turn it is comes at once, but not before tasks of lower ranks.
        takes_turn = array.waiting_turn and not (
            array.rest and array.rest.first < array.waiting_turn.first
        )
        key = -1 if takes_turn else (len(array.fresh) - self.ahead) * job.size
        if array.key is None or key < array.key:
            array.key = key
            heappush(self._may_unfold, (key, job.id))

    def due(self, free: int) -> list[Job]:
        """Take out the arrays that should unfold further, given so much free capacity, in the order
        of their numbers: their keys may be lower than those of an index made anew."""
        found = []
        while self._may_unfold and self._may_unfold[0][0] <= free:
            key, array_id = heappop(self._may_unfold)
            job = self.live.get(array_id)
            if job is not None and array_of(job).key == key:
                array_of(job).key = None
                if type(job.phase) is Unfolding:
                    found.append(job)
        return sorted(found, key=_number)

    def wait_for_nodes(self, job: Job) -> None:
        """Look at the array again when nodes have come: none that is available can hold a task."""
        self._stuck[job.id] = job

    def nodes_changed(self) -> None:
        """Look again at the arrays that wait for nodes."""
        stuck, self._stuck = self._stuck, {}
        for job in stuck.values():
            self.look_at(job)


def _number(job: Job) -> int:
    return job.id


def array_of(job: Job) -> Array[Job]:
    """Return the tasks of an array job."""
    assert job.array is not None
    return job.array


def task_of(job: Job) -> int:
    """Return the number of the array of a task."""
    assert job.task is not None
    return job.task.array_id


def task_ids(job: Job) -> range:
    """Return the numbers of the tasks of an array."""
    return range(id_of(job.id, 0), id_of(job.id, array_of(job).count))
