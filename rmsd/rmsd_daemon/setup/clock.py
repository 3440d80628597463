"""Model time for the daemon: real, accelerated, or paced.

Times are microseconds since the epoch. CLOCK_MONOTONIC advances a real and an accelerated clock, so
that a step of the wall clock never makes model time run backwards. A paced clock is advanced from
instant to instant (`loop.pacing`).
"""

from __future__ import annotations

import math
import time
from typing import Protocol

from rmsd_core.model_time import NEVER_US
from rmsd_process.model_clock import boot_id
from rmsd_wire.link import Clock
from rmsd_wire.link_values import PACED

_STEP_US = 1_000_000
"""The most that UTC may be ahead before the real clock follows it (a machine that slept, a clock
set)."""

_LATE_US = 10_000_000
"""The most model time by which a wake is late that counts as in time."""
_OVERDUE_US = 1_000_000
_REPORT_US = 50_000
_MOST_STARTS = 250
"""A start takes 0.1 ms of the core, on thousands of nodes more."""
_MOST_LOOKS = 2000
"""A look of a plan takes some 10 to 40 microseconds, by the size of racks."""


class DaemonClock(Protocol):
    """A clock of model time. `rate`: model seconds per real second, or `PACED`. `steps`: how often
    the clock was set or stood still."""

    rate: float
    scaled: bool
    steps: int

    def now_us(self) -> int: ...


class RealClock:
    """UTC. The clock follows the wall clock forwards over a step, and never goes back."""

    rate = 1.0
    scaled = False

    def __init__(self) -> None:
        self._base_us = _utc_us() - _monotonic_us()
        self.steps = 0

    def now_us(self) -> int:
        now = self._base_us + _monotonic_us()
        if (ahead := _utc_us() - now) > _STEP_US:
            self._base_us += ahead
            self.steps += 1
            now += ahead
        return now


class ScaledClock:
    """A clock that advances `rate` times as fast as real time, from `start_us` on."""

    scaled = True
    steps = 0

    def __init__(self, rate: float, start_us: int) -> None:
        self.rate = rate
        self._start_us = start_us
        self._start_ns = time.monotonic_ns()

    def now_us(self) -> int:
        return self._start_us + int((time.monotonic_ns() - self._start_ns) * self.rate / 1000)


class PacedClock:
    """A clock that stands still between the instants to which it is advanced. It begins with the
    epoch, so that the times of a trace are its own."""

    rate = PACED
    scaled = True
    steps = 0

    def __init__(self, start_us: int) -> None:
        self._now_us = start_us

    def now_us(self) -> int:
        return self._now_us

    def advance(self, to_us: int) -> None:
        """Show `to_us` from now on."""
        self._now_us = max(self._now_us, to_us)


def make_clock(rate: float, position_us: int, was_scaled: bool) -> DaemonClock:
    """Return the clock for a state directory whose last commit was at `position_us` (0: none).

    An accelerated or paced clock goes on where it stood, since no model time passes while the
    daemon is down. A state directory that is ahead of UTC keeps its own time even at rate 1: the
    past of its jobs must not lie in the future.
    """
    now = _utc_us()
    if rate == PACED:
        return PacedClock(position_us)
    if rate == 1.0:
        return ScaledClock(1.0, position_us) if position_us > now + _STEP_US else RealClock()
    return ScaledClock(rate, position_us if was_scaled else max(now, position_us))


def clock_message(clock: DaemonClock) -> Clock:
    """Return what agents and clients need to compute model time by themselves."""
    return Clock(clock.rate, clock.now_us(), time.monotonic_ns(), boot_id())


def real_delay_s(clock: DaemonClock, until_us: int) -> float:
    """Return the real seconds until the clock shows `until_us`; 0 if it does already. A paced clock
    does not come to it by itself."""
    if clock.rate == PACED:
        return math.inf
    return max(0.0, (until_us - clock.now_us()) / 1e6 / clock.rate)


def as_of_wake(now_us: int, wake_us: int | None) -> int:
    """Return the model time of what is done for a wake, when nothing else has come in. A wake that
    is a little late counts as in time: passes that follow one another by a second are then exactly
    a second apart, and the core recognises those that repeat themselves."""
    return wake_us if wake_us is not None and now_us - _LATE_US <= wake_us <= now_us else now_us


def slip_us(rate: float) -> int:
    """Return how far a reservation may be postponed before it is void, in model microseconds. The
    slip is the time that a plan gives a job that should be over (a second), and the time of a kill
    and a report (50 ms of real time). On a paced clock neither takes time, as in simulation."""
    if rate == PACED:
        return 0
    return _OVERDUE_US + round(_REPORT_US * rate)


def most_starts(rate: float) -> int:
    """Return how many jobs a pass may start: other work is done before the next one goes on. On a
    paced clock it is any number, as in simulation: jobs that take no time would end meanwhile."""
    return NEVER_US if rate == PACED else _MOST_STARTS


def most_looks(rate: float) -> int:
    """Return how many looks a pass may plan with, as `most_starts` does for starts."""
    return NEVER_US if rate == PACED else _MOST_LOOKS


def _utc_us() -> int:
    return time.time_ns() // 1000


def _monotonic_us() -> int:
    return time.monotonic_ns() // 1000
