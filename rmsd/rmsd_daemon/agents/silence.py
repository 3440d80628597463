"""The nodes whose agents are silent, and how long each may be silent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

_LOOK_S = 1.0
_LOOKS = 10
"""The number of looks at a node before it is dead, if it may be silent for less than this many
seconds."""
_LATE_S = 1.0
"""A look that comes later than this shows that the event loop stood still."""


class Silence:
    """The silent nodes. `dead` is called with each node that was silent for `allowed_s` seconds.

    Time in which the event loop stands still does not count. The daemon was stopped (SIGSTOP) or
    had a long pass, and could not hear an agent that dialed meanwhile. Otherwise the jobs of these
    nodes would start a second time while their first attempts still run.
    """

    def __init__(self, allowed_s: float, dead: Callable[[str], None]) -> None:
        self._allowed_s = allowed_s
        self._look_s = min(_LOOK_S, allowed_s / _LOOKS)
        self._dead = dead
        self._dead_at_s: dict[str, float] = {}  # key: node; the earliest time first
        self._stood_still_s = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, node: str) -> None:
        """Note that the node is silent from now on, or still is."""
        if node not in self._dead_at_s:
            if self._timer is None:
                self._look_later()
            self._dead_at_s[node] = self._now_s() + self._allowed_s

    def end(self, node: str) -> None:
        """Note that the node is linked again, or is gone."""
        self._dead_at_s.pop(node, None)

    def close(self) -> None:
        """Report no further nodes."""
        self._dead_at_s.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _now_s(self) -> float:
        return asyncio.get_running_loop().time() - self._stood_still_s

    def _look_later(self) -> None:
        loop = asyncio.get_running_loop()
        due_s = loop.time() + self._look_s
        self._timer = loop.call_at(due_s, self._look, due_s)

    def _look(self, due_s: float) -> None:
        late_s = asyncio.get_running_loop().time() - due_s
        if late_s > _LATE_S:
            self._stood_still_s += late_s
        now_s = self._now_s()
        for node in [node for node, at_s in self._dead_at_s.items() if at_s <= now_s]:
            del self._dead_at_s[node]
            self._dead(node)
        self._timer = None
        if self._dead_at_s:
            self._look_later()
