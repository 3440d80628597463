"""Model time: an integer of microseconds. Seconds of a trace (SWF) convert exactly."""

from __future__ import annotations

SECOND_US = 1_000_000

UNLIMITED_US = 1 << 53
"""Stands for "no limit" wherever a duration is asked for (285 years; exact in JSON and SQLite)."""

NEVER_US = UNLIMITED_US * 2
"""An instant that does not come: no shadow, no arrival and no planned start is as late."""

BOUND_S = 10
"""Run times below this count as this in the bounded slowdown (thesis 2.4)."""
