"""The hours and weekdays of arrivals, where the machine was."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from rmsd_lab.traces.header import Header
from rmsd_lab.traces.survey import QUARTER_S

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

_DAY_S = 86400


def time_zone(header: Header) -> tzinfo:
    """Return the trace's time zone: TimeZoneString, else TimeZone (seconds), else UTC."""
    try:
        return ZoneInfo(header.values.get("TimeZoneString", ""))
    except (KeyError, ValueError, OSError):
        pass
    offset_s = header.number("TimeZone")
    if offset_s is None or not -_DAY_S < offset_s < _DAY_S:
        return UTC
    return timezone(timedelta(seconds=offset_s))


def local_time(unix_s: int, zone: tzinfo) -> datetime | None:
    """Return the local time of an instant; None if it is beyond the calendar's range."""
    try:
        return datetime.fromtimestamp(unix_s, zone)
    except (ValueError, OverflowError, OSError):
        return None


def cycles(arrivals: Mapping[int, int], zone: tzinfo) -> tuple[list[int], list[int]]:
    """Return arrivals by hour of the day and by weekday (from Monday). `arrivals` are counts by
    quarters of an hour since 1970."""
    hours, weekdays = [0] * 24, [0] * 7
    for quarter, count in arrivals.items():
        local = local_time(quarter * QUARTER_S, zone)
        if local is not None:
            hours[local.hour] += count
            weekdays[local.weekday()] += count
    return hours, weekdays
