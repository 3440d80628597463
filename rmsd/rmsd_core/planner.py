"""The one planner: which waiting jobs start now.

The planner decides; the core changes jobs and capacity through the `start` it hands in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rmsd_core.capacity import Capacity, Release
from rmsd_core.easy import EasyPass
from rmsd_core.job import Allocation, Job
from rmsd_core.memory import PlannerMemory
from rmsd_core.plan import PlanPass
from rmsd_core.recipe import Recipe, Switching
from rmsd_core.state import PlannerState, StartJob


class Planner:
    """Queue, release list and pass of one recipe over one capacity.

    order: by which the queue is sorted now; it changes under dynP.
    """

    def __init__(self, recipe: Recipe, capacity: Capacity) -> None:
        self._recipe = recipe
        self._state = PlannerState(recipe, capacity)
        alone = recipe.reserve in ("nobody", "head")
        self._plan = None if alone else PlanPass(self._state)
        self._easy = EasyPass(self._state) if alone else None
        self._waiting_us = 0  # the sum of the predictions that wait, for dynP
        self.order = "arrival" if recipe.order == "dynp" else recipe.order

    # ------------------------------------------------------------ the queue

    def head(self, now_us: int) -> Job | None:
        return self._state.queue.first(now_us)

    def waiting(self, now_us: int) -> list[Job]:
        """The jobs that wait, in queue order."""
        return list(self._state.queue.jobs(now_us))

    def enqueue(self, job: Job) -> None:
        self._state.enqueue(job)
        self._waiting_us += job.prediction_us
        if self._plan is not None:
            self._plan.watch(job)

    def dequeue(self, job: Job) -> None:
        """Raises KeyError if the job does not wait here."""
        self._state.dequeue(job)
        self._waiting_us -= job.prediction_us
        if self._plan is not None:
            self._plan.forget(job)

    # ------------------------------------------------------------ what runs

    def expect(self, job: Job) -> None:
        """`job` holds its allocation until `job.expected_end_us`."""
        self._state.expect(job)

    def forget(self, job: Job) -> None:
        """Undo `expect`, before `job.expected_end_us` changes."""
        self._state.forget(job)

    def count_start(self, job: Job) -> None:
        """Another start has been decided, the job's."""
        self._state.count_start(job)

    def ended(self, job: Job) -> None:
        """The job has terminated by itself or at its limit."""
        if self._plan is not None:
            self._plan.ended(job)

    def releases(self) -> list[Release]:
        """What is held, by expected end; not to be changed."""
        return self._state.releases

    # ------------------------------------------------------------ over a restart

    def memory(self) -> PlannerMemory:
        """What must be known again after a restart, beside the jobs."""
        memory = self._plan.memory() if self._plan is not None else PlannerMemory()
        order = self.order if self._recipe.order == "dynp" else ""
        return replace(memory, order=order, starts=self._state.starts)

    def restore(self, memory: PlannerMemory, jobs: Mapping[int, Job]) -> None:
        """Go on from there, before any job waits; `jobs` are the live ones, by id."""
        self._state.starts = memory.starts
        if self._recipe.order == "dynp" and memory.order:
            self._state.reorder(memory.order, 0)
            self.order = memory.order
        if self._plan is not None:
            self._plan.restore(memory, jobs)

    def promised(self) -> list[Job]:
        """Whom passes have promised a start for the first time, or promoted, since this was asked
        last."""
        promised, self._state.promised = list(self._state.promised), {}
        return promised

    # ------------------------------------------------------------ the pass

    @property
    def wake_us(self) -> int | None:
        """The earliest planned start in the future, an event; the next pass replaces it."""
        return self._plan.wake_us if self._plan is not None else None

    def run(self, now_us: int, start: StartJob, *, undisturbed: bool = False) -> None:
        """One scheduling pass; `undisturbed`: nothing but the time has changed since the last."""
        state = self._state
        if self._recipe.order == "dynp":
            self._switch(self._recipe.switching, now_us)
        if not len(state.queue):
            if self._plan is not None:
                self._plan.wake_us = None
            return

        def begin(job: Job, allocation: Allocation, behind: Job | None) -> None:
            self._waiting_us -= job.prediction_us
            start(job, allocation, behind)

        if self._easy is not None:
            self._easy.run(now_us, begin)
        elif self._plan is not None:
            self._plan.run(now_us, begin, undisturbed=undisturbed)

    def _switch(self, switching: Switching, now_us: int) -> None:
        """dynP, section 5: the mean prediction of the waiting jobs chooses the order."""
        number = len(self._state.queue)
        if number < switching.min_queue:
            return
        if self._waiting_us <= switching.lower_us * number:
            order = "shortest"
        elif self._waiting_us <= switching.upper_us * number:
            order = "arrival"
        else:
            order = "longest"
        if order != self.order:
            self._state.reorder(order, now_us)
            self.order = order
