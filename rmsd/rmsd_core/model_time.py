"""Model time: an integer of microseconds. Seconds of a trace (SWF) convert exactly."""

from __future__ import annotations

SECOND_US = 1_000_000
DAY_US = 86_400 * SECOND_US

UNLIMITED_US = 1 << 53
"""Stands for "no limit" in the core, which computes with durations (285 years; exact in JSON and
SQLite). Elsewhere no limit is None; `duration_us` and `duration_s` convert."""

NEVER_US = UNLIMITED_US * 2
"""An instant that does not come: no shadow, no arrival and no planned start is as late."""

BOUND_S = 10
"""Run times below this count as this in the bounded slowdown (thesis 2.4)."""


def duration_us(seconds: float | None) -> int:
    """Return the core's number for a duration; None is no limit."""
    return UNLIMITED_US if seconds is None else round(seconds * SECOND_US)


def duration_s(us: int) -> float | None:
    """Return the seconds of the core's number for a duration; None is no limit."""
    return None if us >= UNLIMITED_US else us / SECOND_US
