"""Emulated jobs without a process: timers on the daemon's model clock.

A timer ends exactly at its model start + run time, however late the agent reports this. On a paced
clock every node of a job ends by itself, so that all report the same instant.
"""

from __future__ import annotations

import asyncio
import ctypes
import heapq
import os
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from rmsd_agent.reports import Key, Reports, held_as
from rmsd_agent.state.records import UnitStatus, status_now
from rmsd_core.vocabulary import Cause
from rmsd_process.model_clock import ModelClock, PacedModelClock
from rmsd_wire.link import Clock, HeldAttempt, Launch, StopAttempt
from rmsd_wire.link_values import PACED

_CLOCK_MONOTONIC = 1
_TFD_TIMER_ABSTIME = 1
_TFD_FLAGS = os.O_NONBLOCK | os.O_CLOEXEC


class Alarm:
    """A timerfd: an event loop's own timers are late by up to a millisecond, which is seconds of
    model time at a high rate."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.fd: int = self._libc.timerfd_create(_CLOCK_MONOTONIC, _TFD_FLAGS)
        if self.fd < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create")

    def set(self, monotonic_ns: int | None) -> None:
        """Make the alarm go off at this time (at once if it is past), or never."""
        # struct itimerspec: interval, then value, each as seconds and nanoseconds; 0 disarms.
        seconds, nanoseconds = divmod(max(1, monotonic_ns or 0), 1_000_000_000)
        if monotonic_ns is None:
            seconds = nanoseconds = 0
        spec = (ctypes.c_long * 4)(0, 0, seconds, nanoseconds)
        if self._libc.timerfd_settime(self.fd, _TFD_TIMER_ABSTIME, spec, None) != 0:
            raise OSError(ctypes.get_errno(), "timerfd_settime")

    def clear(self) -> None:
        """Make the alarm unreadable again after it went off."""
        try:
            os.read(self.fd, 8)
        except BlockingIOError:
            return

    def close(self) -> None:
        os.close(self.fd)


@dataclass(slots=True, eq=False)
class _Timer:
    launch: Launch
    end_us: int | None  # None if only `StopAttempt` ends the timer
    cause: Cause
    over: bool = False
    since_us: int | None = None  # when the timer was suspended; None: it runs
    before_us: int = 0  # the time of earlier suspensions

    def status(self) -> UnitStatus:
        ended = status_now(self.cause)
        code = 0 if self.cause is Cause.EXIT else None
        return msgspec.structs.replace(ended, exit_code=code, cpu_s=0.0)


class Timers:
    """All timers of this agent. They stand still without a link: the daemon's clock may, too."""

    def __init__(self, reports: Reports) -> None:
        self._reports = reports
        self._timers: dict[Key, _Timer] = {}
        self._heap: list[tuple[int, Key]] = []
        self._alarm = Alarm()
        self.clock: ModelClock | PacedModelClock | None = None
        asyncio.get_running_loop().add_reader(self._alarm.fd, self._ring)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._alarm.fd)
        self._alarm.close()

    def __contains__(self, key: Key) -> bool:
        return key in self._timers

    def launch(self, key: Key, launch: Launch) -> None:
        """Start a timer, or say again that it runs."""
        if key not in self._timers:
            timer = self._make(launch, launch.suspended_since_us, launch.suspended_us)
            self._timers[key] = timer
            if timer.end_us is not None:
                heapq.heappush(self._heap, (timer.end_us, key))
        if launch.batch and not self._timers[key].over:
            self._reports.launched(key, None)
        self._rearm()

    def stop(self, stop: StopAttempt, key: Key) -> None:
        timer = self._timers[key]
        if not timer.over:
            timer.end_us, timer.cause = None, stop.cause
            self._finish(key, timer)

    def set_limit(self, key: Key, time_limit_s: float | None) -> None:
        """Give a timer another limit, if it is here. If the new limit is past, the timer ends now;
        if its end is past, the limit comes too late."""
        timer = self._timers.get(key)
        if timer is None or timer.over or timer.launch.time_limit_s == time_limit_s:
            return
        now_us = round(self.clock.now_us()) if self.clock is not None else None
        if now_us is not None and timer.end_us is not None and timer.end_us <= now_us:
            return
        launch = msgspec.structs.replace(timer.launch, time_limit_s=time_limit_s)
        again = self._make(launch, timer.since_us, timer.before_us)
        if again.end_us is not None and now_us is not None:
            again.end_us = max(again.end_us, now_us)
            heapq.heappush(self._heap, (again.end_us, key))
        self._timers[key] = again
        self._rearm()

    def set_suspended(self, key: Key, since_us: int | None, before_us: int) -> None:
        """Suspend a timer, or let it go on, if it is here. One whose end has come by then ends."""
        timer = self._timers.get(key)
        if timer is None or timer.over:
            return
        if (timer.since_us, timer.before_us) == (since_us, before_us):
            return
        now_us = self.clock.now_us() if self.clock is not None else 0
        if timer.end_us is not None and timer.end_us <= now_us:
            return
        again = self._make(timer.launch, since_us, before_us)
        if again.end_us is not None:
            heapq.heappush(self._heap, (again.end_us, key))
        self._timers[key] = again
        self._rearm()

    def forget(self, key: Key) -> None:
        timer = self._timers.get(key)
        if timer is not None and timer.over:
            del self._timers[key]

    def held(self) -> Iterator[HeldAttempt]:
        """Return the timers that are here, also those whose end is not acknowledged yet."""
        return (
            held_as(timer.launch, over=timer.over, suspended=timer.since_us is not None)
            for timer in self._timers.values()
        )

    def running(self) -> Iterator[tuple[Key, Launch]]:
        """Return the key and the launch of each timer that is not over."""
        return ((key, timer.launch) for key, timer in self._timers.items() if not timer.over)

    def ended_while_suspended(self) -> Iterator[Key]:
        """Return the keys of timers that have ended by themselves though they were suspended."""
        return (
            key
            for key, timer in self._timers.items()
            if timer.over and timer.end_us is not None and timer.since_us is not None
        )

    def launch_of(self, key: Key) -> Launch | None:
        timer = self._timers.get(key)
        return timer.launch if timer else None

    def link_up(self, clock: Clock) -> None:
        """Plan all ends again by the clock of the new session."""
        if clock.rate == PACED:
            self.clock = PacedModelClock(clock.model_us)
        else:
            self.clock = ModelClock(clock.rate, clock.model_us, clock.monotonic_ns, clock.boot_id)
        self._rearm()

    def advance(self, to_us: int) -> int | None:
        """Have the paced clock show `to_us` and the timers end that end by then. Returns when the
        next one ends; None if there is none."""
        if isinstance(self.clock, PacedModelClock):
            self.clock.advance(to_us)
        self._end_due()
        while self._heap and not self._is_planned(*self._heap[0]):
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def link_lost(self) -> None:
        """Take back the ends that were not acknowledged: on the next session's clock they have not
        happened yet."""
        self.clock = None
        untold: set[Key] = set()
        for key, timer in self._timers.items():
            if timer.over and timer.end_us is not None:
                untold.add(key)
                timer.over = False
                heapq.heappush(self._heap, (timer.end_us, key))
        self._reports.withdraw_exits(untold)
        self._rearm()

    def _make(self, launch: Launch, since_us: int | None = None, before_us: int = 0) -> _Timer:
        """Make a timer that is suspended since `since_us`, if that is given, and was for
        `before_us` before."""
        emulation, clock = launch.emulation, self.clock
        is_paced = isinstance(clock, PacedModelClock)
        stands = since_us is not None or not (launch.batch or is_paced)
        if stands or emulation is None or clock is None:
            return _Timer(launch, None, Cause.EXIT, since_us=since_us, before_us=before_us)
        began_us = launch.model_start_us + before_us
        end_us = began_us + emulation.run_us
        if (kill_s := launch.killed_after_s) is not None:  # real seconds
            deadline_us = began_us + round(kill_s * 1e6 * clock.rate)
            if deadline_us < end_us:
                return _Timer(launch, deadline_us, Cause.LIMIT, before_us=before_us)
        return _Timer(launch, end_us, Cause.EXIT, before_us=before_us)

    def _ring(self) -> None:
        self._alarm.clear()
        self._end_due()
        self._rearm()

    def _end_due(self) -> None:
        """End the timers whose end has come."""
        if self.clock is not None:
            now_us = self.clock.now_us()
            while self._heap and self._heap[0][0] <= now_us:
                end_us, key = heapq.heappop(self._heap)
                if self._is_planned(end_us, key):
                    self._finish(key, self._timers[key])

    def _is_planned(self, end_us: int, key: Key) -> bool:
        """Return whether a timer is here that is still to end at this time."""
        timer = self._timers.get(key)
        return timer is not None and timer.end_us == end_us and not timer.over

    def _finish(self, key: Key, timer: _Timer) -> None:
        timer.over = True
        self._reports.exited(key, timer.status(), timer.end_us)

    def _rearm(self) -> None:
        if isinstance(self.clock, ModelClock) and self._heap:
            self._alarm.set(self.clock.monotonic_ns(self._heap[0][0]))
        else:
            self._alarm.set(None)
