"""One pass of a third party's planner: it sees the queue and the machine, and says which jobs
start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rmsd_core.jobs.job import Job
from rmsd_core.machine.capacity import Release
from rmsd_core.planning.planless import PlanlessPass
from rmsd_core.planning.planner_state import PlannerState, StartJob
from rmsd_core.planning.start_windows import request_now
from rmsd_core.recipes.extensions import CustomPlanner


class PassView:
    """The present for a third party's planner; see `extensions.View`. It takes no attribute of a
    third party's: a compiled core has no place for one."""

    __slots__ = ("_started", "_state", "_waiting", "now_us", "wake_us")

    def __init__(self, state: PlannerState, now_us: int) -> None:
        self.now_us = now_us
        self.wake_us: int | None = None
        self._state = state
        self._started: set[Job] = set()
        self._waiting: set[Job] | None = None

    @property
    def free(self) -> int:
        """Return how many processors are free."""
        return self._state.capacity.free

    def waiting(self) -> Iterator[Job]:
        """Yield the waiting jobs that would pass no limit, in the order of the recipe."""
        now_us, refused = self.now_us, self._state.is_refused
        queue = self._state.queue.jobs(now_us)
        return (job for job in queue if job not in self._started and not refused(job, now_us))

    def running(self) -> Sequence[Release]:
        """Return what is held, by expected end: that end [us], the arrival number, and the job."""
        return tuple(self._state.releases)

    def fits(self, job: Job) -> bool:
        """Return whether the job can be placed on what is free now, and would pass no limit."""
        if self._state.is_refused(job, self.now_us):
            return False
        request = request_now(self._state.windows, job, self.now_us)
        return request is not None and self._state.capacity.fits(request)

    def can_start(self, job: Job) -> bool:
        """Return whether the job waits here, and fits."""
        if self._waiting is None:
            self._waiting = set(self._state.queue.jobs(self.now_us))
        return job in self._waiting and job not in self._started and self.fits(job)

    def started(self, job: Job) -> None:
        """Note that the pass has started the job."""
        self._started.add(job)


class CustomPass(PlanlessPass):
    """The pass of the recipes with a third party's planner."""

    def __init__(self, state: PlannerState, planner: CustomPlanner) -> None:
        self._state = state
        self._planner = planner

    def run(
        self,
        now_us: int,
        start: StartJob,
        *,
        undisturbed: bool,  # noqa: ARG002 - a planner may go by the time alone
    ) -> None:
        """Run one pass."""
        state, view = self._state, PassView(self._state, now_us)
        started: list[Job] = []
        for job in self._planner.starting(view):
            allocation = state.place(job, now_us)
            assert allocation is not None
            view.started(job)
            started.append(job)
            start(job, allocation, None)
        for job in started:
            state.dequeue(job)
        self.wake_us = view.wake_us
