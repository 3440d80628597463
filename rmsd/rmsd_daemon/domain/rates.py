"""How often callers may ask, and agents may dial. No I/O, no clock."""

from __future__ import annotations

import math

_FORGOTTEN_AT = 1024
"""With so many buckets, the full ones are thrown away: a new one is full, too."""


class Rates:
    """Every caller has a bucket that holds `burst` tokens and gets `rate` new ones a second.

    A bucket is the time at which it would have been empty, had it been filled and drained evenly
    (the generic cell rate algorithm): one number a caller, and none for who has been quiet.
    """

    def __init__(self, rate: float, burst: float) -> None:
        self._token_s = 1.0 / rate
        self._burst_s = burst / rate
        self._due_s: dict[str, float] = {}

    def wait_s(self, caller: str, tokens: float, now_s: float, longest_s: float) -> float:
        """Take `tokens` from the bucket, all that it holds if they are more, and say how long to
        wait until they are in it (seconds).

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
        """Take `tokens` from the bucket, whatever is in it: `owed_s` tells when it is paid."""
        self.wait_s(caller, tokens, now_s, math.inf)

    def owed_s(self, caller: str, now_s: float) -> float:
        """Return how long it takes until what was taken beyond the bucket's content is in it."""
        return self.wait_s(caller, 0, now_s, 0.0)

    def _forget_full(self, now_s: float) -> None:
        full_s = now_s - self._burst_s
        self._due_s = {caller: due_s for caller, due_s in self._due_s.items() if due_s > full_s}


_FIRST_PAUSE_S = 0.01
"""An agent whose link has broken dials again after 50 ms at the earliest."""
_PAUSE_GROWTH = 1.5
_LEVEL_S = 5.0
"""A link more in so many seconds is forgotten; so this is the pause in the long run."""


class Pauses:
    """How long each agent must wait before it opens another link.

    Each link raises the agent's level by 1, and the level falls evenly with time. The pause after
    a link grows exponentially with the level: ten links in a second are possible, and later about
    one in `_LEVEL_S`.
    """

    def __init__(self) -> None:
        self._levels: dict[str, tuple[float, float]] = {}  # level, and when it was that, in seconds
        self._forget_at = _FORGOTTEN_AT

    def wait_s(self, agent: str, now_s: float) -> float:
        """Note a link that the agent opens now, and return 0. If it is too early for one, note
        nothing, and return the seconds that are left."""
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
        # Thousands of agents dial at once after a start of the daemon; looking at all for each of
        # them would stop the loop.
        self._forget_at = max(_FORGOTTEN_AT, 2 * len(self._levels))


def _pause_s(level: float) -> float:
    return _FIRST_PAUSE_S * math.pow(_PAUSE_GROWTH, level - 1)


def _fallen(level: float, after_s: float) -> float:
    return max(0.0, level - after_s / _LEVEL_S)
