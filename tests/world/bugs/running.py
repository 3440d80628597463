"""Bugs in how agents run, end and limit what they were told to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rmsd_agent.attempts.timers import Timers
from rmsd_agent.reports import Key
from rmsd_core.jobs.job import Job
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.loop import launch
from rmsd_wire.link import Launch, StopAttempt


def _confirm_before_the_kill() -> None:
    """Let an agent say at once that an attempt has ended which it is told to end; it runs on."""

    def stop(self: Timers, stop: StopAttempt, key: Key) -> None:
        timer = self._timers[key]
        if timer.end_us is not None:
            timer.end_us, timer.cause = None, stop.cause
            self._reports.exited(key, timer.status(), None)

    Timers.stop = stop
    Timers.forget = lambda *_: None


def _ignore_the_limit() -> None:
    make = Timers._make

    def unlimited(self: Timers, launch: Launch, *suspended: Any) -> Any:
        made = make(self, launch, *suspended)
        if made.end_us is not None and launch.emulation is not None:
            made.end_us = launch.model_start_us + launch.emulation.run_us
        return made

    Timers._make = unlimited


def _never_stop() -> None:
    """Never end an attempt that is told to end."""

    def stop(self: Timers, stop: StopAttempt, key: Key) -> None:  # noqa: ARG001
        self._timers[key].end_us = None

    Timers.stop = stop


def _let_suspended_limits_run() -> None:
    """Let a suspended job come to its end and to its limit as if it ran."""
    make = Timers._make

    def running(self: Timers, launch: Launch, since_us: int | None, before_us: int) -> Any:
        made = make(self, launch, None, before_us)
        made.since_us = since_us
        return made

    Timers._make = running


def _launch_with_the_old_limit() -> None:
    """Launch a job that was changed while it waited with the limit of its submit."""
    limit_s = launch.real_time_limit_s

    def old(job: Job, details: Details, rate: float) -> float | None:
        first = next((one for one in details.changes if one.field == "time_limit_s"), None)
        if first is None:
            return limit_s(job, details, rate)
        return float(first.before) / rate

    launch.real_time_limit_s = old


BUGS: dict[str, Callable[[], None]] = {
    "confirm-before-the-kill": _confirm_before_the_kill,
    "ignore-the-limit": _ignore_the_limit,
    "never-stop": _never_stop,
    "let-suspended-limits-run": _let_suspended_limits_run,
    "launch-with-the-old-limit": _launch_with_the_old_limit,
}
