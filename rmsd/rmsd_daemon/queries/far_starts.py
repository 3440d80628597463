"""The expected starts of jobs far behind in the queue, found beside the daemon's other work.

The first jobs of the queue are placed for each caller (`expected_starts`). To place 100,000
takes seconds, so the others are placed a few milliseconds at a time. Their starts are of an earlier
plan then.
"""

from __future__ import annotations

import asyncio

from rmsd_core.planning.expected import ExpectedStarts
from rmsd_core.planning.expected_starts import Projection
from rmsd_daemon.domain.slices import Sliced

_PAUSE_TIMES = 9
"""The pause after a slice, as a multiple of its length: a tenth of the daemon's time at most is
used."""
MOST_S = 10.0
"""The most time that a plan takes, without pauses. It bounds the age of a plan (100 s), and with
the steps of its profile its memory."""


class FarStarts:
    """The latest plan that goes far behind. starts: None before the first one."""

    def __init__(self, most_s: float = MOST_S) -> None:
        self.starts: ExpectedStarts | None = None
        self._most_s = most_s
        self._task: asyncio.Task[None] | None = None

    @property
    def is_planning(self) -> bool:
        """Return whether a plan is being made."""
        return self._task is not None and not self._task.done()

    def follow(self, projection: Projection) -> asyncio.Task[None] | None:
        """Place the jobs that the projection has left out, and return the task of that. If
        a plan is being made, it is finished first; callers that come then begin another."""
        if self.is_planning or not projection.starts.left_out or projection.starts is self.starts:
            return None
        self._task = asyncio.get_running_loop().create_task(self._plan(projection))
        return self._task

    async def _plan(self, projection: Projection) -> None:
        if self.starts is None:
            self.starts = projection.starts  # callers see the first plan grow
        placing = Sliced(projection.placing())
        while not placing.is_whole and placing.worked_s < self._most_s:
            took_s = placing.go_on()
            await asyncio.sleep(_PAUSE_TIMES * took_s)
        self.starts = projection.starts
