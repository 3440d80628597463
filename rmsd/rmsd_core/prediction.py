"""Run-time predictions from a user's history, and their correction (thesis 4.3, 4.4)."""

from __future__ import annotations

from bisect import insort

from rmsd_core.job import SECOND_US
from rmsd_core.recipe import Recipe

WINDOW = 2
"""How many of a user's latest jobs a prediction looks at (thesis 4.3)."""


class RecentHistory:
    """Per user, the run times of the latest terminated jobs, latest in arrival order."""

    def __init__(self, recipe: Recipe) -> None:
        self._latest: dict[str, list[tuple[int, int]]] = {}  # user -> (seq, run_us), ascending

    def record(self, user: str, seq: int, run_us: int, estimate_us: int) -> None:
        """A job of `user`, the `seq`-th to arrive, terminated after `run_us`."""
        latest = self._latest.setdefault(user, [])
        if len(latest) < WINDOW:
            insort(latest, (seq, run_us))
        elif seq > latest[0][0]:
            latest[0] = (seq, run_us)
            latest.sort()

    def predict_us(self, user: str, estimate_us: int) -> int:
        """The mean of the window in whole seconds (floor), at least 1 s, at most the estimate.

        With a shorter history: the estimate, at least 1 s.
        """
        latest = self._latest.get(user, ())
        if len(latest) < WINDOW:
            return max(SECOND_US, estimate_us)
        mean_s = sum(run_us for _, run_us in latest) // (WINDOW * SECOND_US)
        return min(max(1, mean_s) * SECOND_US, estimate_us)


def correction_us(overruns: int) -> int:
    """How much longer a job is expected to run at its `overruns`-th correction past its estimate.

    One minute at first, then 15, 30, 60, ... minutes (thesis 4.4).
    """
    if overruns == 1:
        return 60 * SECOND_US
    return 15 * 60 * SECOND_US * int(2 ** (overruns - 2))
