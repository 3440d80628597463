"""Repeated failures in a running daemon, and the inputs that were left out because of them."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass

_PAUSE_S = (0.25, 5.0)
"""The pause after the first failure, which doubles with each further one, and the longest pause."""
_DOUBLINGS = 10
"""A number of doublings beyond those that lead to the longest pause."""
_KEPT = 20
"""The number of the latest left-out inputs that are kept for callers."""


@dataclass(slots=True)
class Trouble:
    """Something that has failed `times` times in a row. `since_us` is UTC. `again_s` is when it is
    tried again, on the monotonic clock."""

    what: str
    since_us: int
    times: int = 0
    error: str = ""
    again_s: float = 0.0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An input that the scheduler could not apply. `at_us` is UTC."""

    at_us: int
    what: str
    error: str


class Troubles:
    """The present failures by name, and the latest inputs that were left out."""

    def __init__(self) -> None:
        self._failing: dict[str, Trouble] = {}
        self.left_out: deque[LeftOut] = deque(maxlen=_KEPT)
        self.left_out_count = 0

    @property
    def failing(self) -> list[Trouble]:
        """Return the present failures, in the order in which they began."""
        return list(self._failing.values())

    def failed(self, what: str, error: object, pause_s: float | None = None) -> float:
        """Count a failure. Returns the pause before the next attempt, which grows with each
        failure if `pause_s` is not given."""
        trouble = self._failing.setdefault(what, Trouble(what, _utc_us()))
        if pause_s is None:
            pause_s = min(_PAUSE_S[0] * 2 ** min(trouble.times, _DOUBLINGS), _PAUSE_S[1])
        trouble.times += 1
        trouble.error = str(error)
        trouble.again_s = time.monotonic() + pause_s
        return pause_s

    def over(self, what: str) -> None:
        """Note that an action has succeeded, so that it fails no longer."""
        self._failing.pop(what, None)

    def leave_out(self, what: str, error: str) -> None:
        """Note that an input was left out."""
        self.left_out.append(LeftOut(_utc_us(), what, error))
        self.left_out_count += 1


def _utc_us() -> int:
    return time.time_ns() // 1000
