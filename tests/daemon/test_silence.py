"""Silent nodes are dead after a time in which they could have been heard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from rmsd_daemon.agents.silence import Silence


class _Time:
    """The time of the running loop, which the test moves; the loop's own timers are never due."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        loop = asyncio.get_running_loop()
        self.now_s = loop.time()
        self._timers: list[asyncio.TimerHandle] = []

        def call_at(
            at_s: float, call: Callable[..., object], *arguments: object
        ) -> asyncio.TimerHandle:
            self._timers.append(asyncio.TimerHandle(at_s, call, arguments, loop))
            return self._timers[-1]

        monkeypatch.setattr(loop, "time", lambda: self.now_s)
        monkeypatch.setattr(loop, "call_at", call_at)

    def go_on(self, seconds: float) -> None:
        """Have every timer run in time for so long."""
        until_s = self.now_s + seconds
        while self._timers and self._timers[0].when() <= until_s:
            self.now_s = self._timers[0].when()
            self._timers.pop(0)._run()
        self.now_s = until_s

    def stand_still(self, seconds: float) -> None:
        """Have no timer run for so long."""
        self.now_s += seconds
        self._timers.pop(0)._run()


async def test_a_node_is_dead_when_it_was_silent_for_so_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        time = _Time(patch)
        dead: list[str] = []
        silence = Silence(300.0, dead.append)
        for node in ("n1", "n2"):
            silence.begin(node)
        silence.end("n2")
        time.go_on(299.0)
        assert dead == []
        time.go_on(2.0)
        assert dead == ["n1"]
        silence.close()


async def test_time_in_which_nobody_could_be_heard_does_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The daemon was stopped for ten minutes; the agent had been away for one."""
    with monkeypatch.context() as patch:
        time = _Time(patch)
        dead: list[str] = []
        silence = Silence(300.0, dead.append)
        silence.begin("n1")
        time.go_on(60.0)
        time.stand_still(600.0)
        assert dead == []
        time.go_on(230.0)
        assert dead == []
        time.go_on(15.0)
        assert dead == ["n1"]
        silence.close()
