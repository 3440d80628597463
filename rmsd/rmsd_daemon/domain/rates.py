"""The rates at which callers may ask and agents may dial. No I/O, no clock."""

from __future__ import annotations

import math

_FORGOTTEN_AT = 1024
"""The number of buckets at which full ones are dropped: a new one is full, too."""


class Rates:
    """Token buckets: every caller has one, which holds `burst` tokens and gets `rate` new ones a
    second.

    A bucket is stored as the time at which it would have been empty, had it been filled and drained
    evenly (the generic cell rate algorithm). This is one number a caller, and none for a caller who
    has been quiet.
    """

    def __init__(self, rate: float, burst: float) -> None:
        self._token_s = 1.0 / rate
        self._burst_s = burst / rate
        self._due_s: dict[str, float] = {}

    @property
    def callers(self) -> int:
        """Return how many callers have a bucket that is held."""
        return len(self._due_s)

    def wait_s(self, caller: str, tokens: float, now_s: float, longest_s: float) -> float:
        """Take `tokens` from the bucket, or all that it holds if they are more. Return the seconds
        until they are in it.

        If that is longer than `longest_s`, nothing is taken.
        """
        if len(self._due_s) >= _FORGOTTEN_AT:
            self._forget_full(now_s)
        full_s = now_s - self._burst_s
        cost_s = min(tokens * self._token_s, self._burst_s)
        due_s = max(self._due_s.get(caller, full_s), full_s) + cost_s
        wait_s = max(0.0, due_s - now_s)
        if wait_s <= longest_s:
            self._due_s[caller] = due_s
        return wait_s

    def take(self, caller: str, tokens: float, now_s: float) -> None:
        """Take `tokens` from the bucket, whatever is in it. `owed_s` returns how long the bucket is
        overdrawn."""
        self.wait_s(caller, tokens, now_s, math.inf)

    def owed_s(self, caller: str, now_s: float) -> float:
        """Return the seconds until the bucket has refilled what was taken beyond its content."""
        return self.wait_s(caller, 0, now_s, 0.0)

    def _forget_full(self, now_s: float) -> None:
        full_s = now_s - self._burst_s
        self._due_s = {caller: due_s for caller, due_s in self._due_s.items() if due_s > full_s}


_FIRST_PAUSE_S = 0.01
"""An agent whose link has broken dials again after 50 ms at the earliest."""
_PAUSE_GROWTH = 1.5
_LEVEL_S = 5.0
"""The time after which one link is forgotten, and so the pause in the long run."""


class Pauses:
    """The pauses of agents before they may open another link.

    Each link raises the agent's level by 1, and the level falls evenly with time. The pause after a
    link grows exponentially with the level: ten links in a second are possible, and later about one
    in `_LEVEL_S`.
    """

    def __init__(self) -> None:
        # each level, and the time in seconds when it was measured
        self._levels: dict[str, tuple[float, float]] = {}
        self._forget_at = _FORGOTTEN_AT

    @property
    def agents(self) -> int:
        """Return how many agents have a level that is held."""
        return len(self._levels)

    def wait_s(self, agent: str, now_s: float) -> float:
        """Note a link that the agent opens now, and return 0. If it is too early for a link, note
        nothing and return the seconds that are left."""
        level, since_s = self._levels.get(agent, (0.0, now_s))
        if level and (left_s := since_s + _pause_s(level) - now_s) > 0:
            return left_s
        if len(self._levels) >= self._forget_at:
            self._forget_quiet(now_s)
        self._levels[agent] = (_fallen(level, now_s - since_s) + 1, now_s)
        return 0.0

    def _forget_quiet(self, now_s: float) -> None:
        self._levels = {
            agent: (level, since_s)
            for agent, (level, since_s) in self._levels.items()
            if _fallen(level, now_s - since_s)
        }
        # Look seldom: thousands of agents dial at once after a start of the daemon. A look at all
        # agents for each of them would block the event loop.
        self._forget_at = max(_FORGOTTEN_AT, 2 * len(self._levels))


def _pause_s(level: float) -> float:
    return _FIRST_PAUSE_S * math.pow(_PAUSE_GROWTH, level - 1)


def _fallen(level: float, after_s: float) -> float:
    return max(0.0, level - after_s / _LEVEL_S)
