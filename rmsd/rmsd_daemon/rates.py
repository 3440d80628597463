"""How often callers may ask: a token bucket for each. No I/O, no clock."""

from __future__ import annotations

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

    def _forget_full(self, now_s: float) -> None:
        full_s = now_s - self._burst_s
        self._due_s = {caller: due_s for caller, due_s in self._due_s.items() if due_s > full_s}
