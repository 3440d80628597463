"""Nodes whose agents are silent, and how long each may be."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

_LOOK_S = 1.0
_LOOKS = 10
"""Looks at a node before it is dead, if it may be silent for less than so many seconds."""
_LATE_S = 1.0
"""A look that comes later than this shows that the event loop stood still."""


class Silence:
    """The silent nodes. `dead` is told of each that was silent for `allowed_s`.

    Time in which the event loop stands still does not count: the daemon was stopped (SIGSTOP) or
    had a long pass, and could not hear an agent that dialed meanwhile. The jobs of its nodes would
    be started a second time beside themselves.
    """

    def __init__(self, allowed_s: float, dead: Callable[[str], None]) -> None:
        self._allowed_s = allowed_s
        self._look_s = min(_LOOK_S, allowed_s / _LOOKS)
        self._dead = dead
        self._dead_at_s: dict[str, float] = {}  # by node, the first first
        self._stood_still_s = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, node: str) -> None:
        """The node is silent from now on, or still is."""
        if node not in self._dead_at_s:
            if self._timer is None:
                self._look_later()
            self._dead_at_s[node] = self._now_s() + self._allowed_s

    def end(self, node: str) -> None:
        """The node is heard, or is no more."""
        self._dead_at_s.pop(node, None)

    def close(self) -> None:
        """Tell of no more nodes."""
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
