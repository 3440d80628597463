"""Units that are not over when they should be, since their shepherd was stopped (SIGSTOP), or hangs
where it should have started them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

import structlog

from rmsd_agent.shepherd.standalone import ending, processes

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

SLACK_S = 2.0  # the time that a shepherd may take beyond the agreed one
AWAKE_S = 3.0  # the time for a shepherd to end its unit once it has been continued
_START_S = 12.0  # the time for a shepherd to start its unit on a machine that may just be busy


class Overdue:
    """Continues a stopped shepherd whose unit is overdue, and kills it if it is stopped again.

    One that has started its unit and is at work is left alone: it finds the unit's processes better
    than any other. A shepherd that has not is killed, with the process that shall become the unit.
    That process waits for a file system, or was stopped by its user, and would go on without a
    shepherd. `shepherd_of` tells the pid and the start of the shepherd that has a unit, None if
    there is none, as an orphan has none.
    """

    def __init__(self, shepherd_of: Callable[[str], tuple[int, int] | None]) -> None:
        self._shepherd_of = shepherd_of
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._started: set[str] = set()

    def started(self, unit: str) -> None:
        """Record that the shepherd has started the unit."""
        self._started.add(unit)

    def expect_end(self, unit: str, in_s: float) -> None:
        """Note that a unit shall be over in so many seconds, or earlier if that was said before."""
        at_s = asyncio.get_running_loop().time() + in_s + SLACK_S
        timer = self._timers.get(unit)
        if timer is None or at_s < timer.when():
            self._look(unit, at_s, signal.SIGCONT)

    def expect_no_end(self, unit: str) -> None:
        """Note that the unit need not be over by the time that was said before."""
        self._cancel(unit)

    def expects_end(self, unit: str) -> bool:
        """Return whether the unit will be looked at if it is not over by then."""
        return unit in self._timers

    def forget(self, unit: str) -> None:
        """Forget a unit that is over, or was not started."""
        self._started.discard(unit)
        self._cancel(unit)

    def _cancel(self, unit: str) -> None:
        timer = self._timers.pop(unit, None)
        if timer is not None:
            timer.cancel()

    def _look(self, unit: str, at_s: float, number: signal.Signals) -> None:
        self._cancel(unit)
        loop = asyncio.get_running_loop()
        self._timers[unit] = loop.call_at(at_s, self._see_to, unit, number)

    def _see_to(self, unit: str, number: signal.Signals) -> None:
        try:
            self._act(unit, number)
        except OSError:  # no file can be opened now
            self._look(unit, asyncio.get_running_loop().time() + AWAKE_S, number)

    def _act(self, unit: str, number: signal.Signals) -> None:
        now_s = asyncio.get_running_loop().time()
        again_at_s = now_s + AWAKE_S
        shepherd = self._shepherd_of(unit)
        found = processes.process(shepherd[0]) if shepherd is not None else None
        if found is None or shepherd != (found.pid, found.start_ticks) or found.zombie:
            del self._timers[unit]
            return
        if found.stopped:
            log.warning("shepherd-stopped", unit=unit, pid=found.pid, signal=number.name)
            ending.send_to(found, number)
            number = signal.SIGKILL
        elif unit not in self._started:
            if number is signal.SIGKILL:
                log.warning("shepherd-hung", unit=unit, pid=found.pid)
                _kill_with_children(found.pid)
            number, again_at_s = signal.SIGKILL, now_s + _START_S
        self._look(unit, again_at_s, number)


def _kill_with_children(shepherd: int) -> None:
    """Send SIGKILL to a shepherd and to all processes below it."""
    try:
        ending.kill(lambda: processes.descendants(shepherd) | {shepherd})
    except OSError:  # no file can be opened now; the next look tries again
        return
