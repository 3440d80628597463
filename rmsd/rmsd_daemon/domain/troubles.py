"""What fails again and again in a running daemon, and which inputs were left out for it."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass

_PAUSE_S = (0.25, 5.0)
"""The pause after the first failure, which doubles with each further one, and the longest pause."""
_DOUBLINGS = 10
"""More of them than lead to the longest pause."""
_KEPT = 20
"""How many of the latest inputs that were left out can be asked for."""


@dataclass(slots=True)
class Trouble:
    """Something that has failed `times` times in a row. `since_us` is UTC, `again_s` of the
    monotonic clock: when it is tried again."""

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
    """What fails now, each thing by its name, and the latest inputs that were left out."""

    def __init__(self) -> None:
        self._failing: dict[str, Trouble] = {}
        self.left_out: deque[LeftOut] = deque(maxlen=_KEPT)
        self.left_out_count = 0

    @property
    def failing(self) -> list[Trouble]:
        """What fails now, the first to have begun first."""
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
        """Note that it has succeeded."""
        self._failing.pop(what, None)

    def leave_out(self, what: str, error: str) -> None:
        """Note that an input was left out."""
        self.left_out.append(LeftOut(_utc_us(), what, error))
        self.left_out_count += 1


def _utc_us() -> int:
    return time.time_ns() // 1000
