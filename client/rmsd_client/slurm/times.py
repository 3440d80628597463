"""Times and sizes as Slurm's commands print and read them."""

from __future__ import annotations

import re
import time

UNKNOWN = "Unknown"


def short_duration(seconds: float | None, no_limit: str = "UNLIMITED") -> str:
    """Return `0:05`, `1:02:03` or `1-02:03:04`, as squeue prints it."""
    if seconds is None:
        return no_limit
    days, rest = divmod(max(0, int(seconds)), 86400)
    hours, minutes, left = rest // 3600, rest // 60 % 60, rest % 60
    if days:
        return f"{days}-{hours:02d}:{minutes:02d}:{left:02d}"
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"


def long_duration(seconds: float | None, no_limit: str = "UNLIMITED") -> str:
    """Return `00:00:05` or `1-02:03:04`, as sacct and scontrol print it."""
    if seconds is None:
        return no_limit
    days, rest = divmod(max(0, int(seconds)), 86400)
    clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return f"{days}-{clock}" if days else clock


def cpu_time(seconds: float | None) -> str:
    """Return `00:02.583`, or `01:02:03` of an hour and more, as sacct prints TotalCPU."""
    if seconds is None:
        return "00:00:00"
    if seconds >= 3600:
        return long_duration(seconds)
    return f"{int(seconds) // 60:02d}:{int(seconds) % 60:02d}.{int(seconds * 1000) % 1000:03d}"


def stamp(us: int | None, none: str = UNKNOWN) -> str:
    """Return `YYYY-MM-DDTHH:MM:SS` in local time."""
    if us is None:
        return none
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(us // 1_000_000))
    except (OverflowError, OSError, ValueError):
        return none


_RELATIVE = re.compile(r"now(?:([+-])(\d{1,9})([a-z]*))?", re.ASCII)
_ISO = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?", re.ASCII
)
_SLASHED = re.compile(
    r"(\d{1,2})[/.](\d{1,2})(?:[/.](\d{2}|\d{4}))?(?:-(\d{1,2}):(\d{2})(?::(\d{2}))?)?", re.ASCII
)
_DIGITS = re.compile(r"(\d{2})(\d{2})(\d{2})?(?:-(\d{1,2}):(\d{2})(?::(\d{2}))?)?", re.ASCII)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))? ?(am|pm)?", re.ASCII)
_UNITS_S = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_HOURS = {"midnight": 0, "noon": 12, "elevenses": 11, "fika": 15, "teatime": 16}


def parse_time_us(text: str, now_s: float | None = None) -> int | None:
    """Return the instant of `now-2days`, `2026-11-21T01:00`, `1121`, `11/21/26-10:00`, `today`,
    `16:00` and the other forms of sacct's -S and -E; None if the text has none of them."""
    now_s = time.time() if now_s is None else now_s
    lowered = text.strip().lower()
    if match := _RELATIVE.fullmatch(lowered):
        offset_s = _offset_s(*match.groups())
        return None if offset_s is None else int((now_s + offset_s) * 1_000_000)
    now = time.localtime(now_s)
    for pattern, order in ((_ISO, (0, 1, 2)), (_SLASHED, (2, 0, 1)), (_DIGITS, (2, 0, 1))):
        if match := pattern.fullmatch(text.strip()):
            parts = match.groups()
            year, month, day = (parts[i] for i in order)
            full_year = now.tm_year if year is None else int(year) + (2000 if len(year) < 4 else 0)
            return _local_us(full_year, int(month), int(day), *(int(p or 0) for p in parts[3:6]))
    if lowered in ("today", "tomorrow", "yesterday"):
        shift = {"today": 0, "tomorrow": 1, "yesterday": -1}[lowered]
        return _local_us(now.tm_year, now.tm_mon, now.tm_mday + shift, 0, 0, 0)
    if (hour := _HOURS.get(lowered)) is not None:
        return _local_us(now.tm_year, now.tm_mon, now.tm_mday, hour, 0, 0)
    if match := _CLOCK.fullmatch(lowered):
        hour = int(match[1]) % 12 + (12 if match[4] == "pm" else 0) if match[4] else int(match[1])
        second = int(match[3] or 0)
        return _local_us(now.tm_year, now.tm_mon, now.tm_mday, hour, int(match[2]), second)
    return None


def _offset_s(sign: str | None, count: str | None, unit: str | None) -> int | None:
    if count is None:
        return 0
    name = (unit or "second").removesuffix("s")
    found = [seconds for one, seconds in _UNITS_S.items() if name and one.startswith(name)]
    return (int(count) * found[0] * (-1 if sign == "-" else 1)) if found else None


def _local_us(year: int, month: int, day: int, hour: int, minute: int, second: int) -> int | None:
    usable = 1970 <= year < 2200 and 1 <= month <= 12 and 0 <= day <= 32
    if not (usable and hour <= 24 and minute < 60 and second < 61):
        return None
    return int(time.mktime((year, month, day, hour, minute, second, 0, 0, -1))) * 1_000_000


def mem_text(mib: int) -> str:
    """Return `200M` or `4G`, as Slurm prints what was asked for."""
    for unit, size in (("T", 1 << 20), ("G", 1 << 10)):
        if mib and mib % size == 0:
            return f"{mib // size}{unit}"
    return f"{mib}M"
