"""Times and sizes as Slurm's commands print and read them."""

from __future__ import annotations

import os
import re
import time

from rmsd_client.submit.conditions import NAMED_HOURS, UNITS_S

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
    """Return `YYYY-MM-DDTHH:MM:SS` in local time, or as SLURM_TIME_FORMAT says."""
    if us is None:
        return none
    try:
        moment = time.localtime(us // 1_000_000)
        return time.strftime(_time_format(moment), moment)
    except (OverflowError, OSError, ValueError):
        return none


def _time_format(moment: time.struct_time) -> str:
    """Return the format of a time: the standard one, that of strftime in SLURM_TIME_FORMAT, or for
    the word `relative` one by its distance from today, as Slurm counts days."""
    chosen = os.environ.get("SLURM_TIME_FORMAT") or "standard"
    if chosen == "standard":
        return "%Y-%m-%dT%H:%M:%S"
    if chosen != "relative":
        return chosen
    now = time.localtime()
    days = 1000 * (moment.tm_year - now.tm_year) + moment.tm_yday - now.tm_yday
    if named := {-1: "Ystday %H:%M", 0: "%H:%M:%S", 1: "Tomorr %H:%M"}.get(days):
        return named
    if -1 <= days <= 6:
        return "%a %H:%M"
    return "%-d %b %H:%M" if -365 <= days <= 365 else "%-d %b %Y"


_RELATIVE = re.compile(r"now(?:([+-])(\d{1,9})([a-z]*))?", re.ASCII)
_DATES = (
    (re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII), (0, 1, 2)),
    (re.compile(r"(\d{1,2})[/.](\d{1,2})(?:[/.](\d{4}|\d{2}))?", re.ASCII), (2, 0, 1)),
    (re.compile(r"(\d{2})(\d{2})(\d{2})?(?![\d:])", re.ASCII), (2, 0, 1)),
)
"""The forms of a day, each with the places of its year, month and day."""
_DAYS = {"today": 0, "tomorrow": 1, "yesterday": -1}
_BETWEEN = "- \t"
"""The characters that may stand between a day and a time."""
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)? ?(am|pm)?", re.ASCII)
_EPOCH = re.compile(r"uts(\d{7,12})", re.ASCII)


def parse_time_us(text: str, now_s: float | None = None) -> int | None:
    """Return the instant of `now-2days`, `2026-11-21T01:00`, `1121`, `11/21/26-10:00`, `today`,
    `16:00` and the other forms of sacct's -S and -E; None if the text has none of them."""
    now_s = time.time() if now_s is None else now_s
    lowered = text.replace("T", " ").strip().lower()  # a capital T separates a day from a time
    if match := _RELATIVE.fullmatch(lowered):
        offset_s = _offset_s(*match.groups())
        return None if offset_s is None else int((now_s + offset_s) * 1_000_000)
    if match := _EPOCH.fullmatch(lowered):
        return int(match[1]) * 1_000_000
    day, rest = _date(lowered, time.localtime(now_s))
    clock = _time_of_day(rest.lstrip(_BETWEEN))
    return None if clock is None or not lowered else _local_us(*day, *clock)


def _date(text: str, now: time.struct_time) -> tuple[tuple[int, int, int], str]:
    """Return the year, month and day that a text begins with, today if with none, and the rest."""
    for word, shift in _DAYS.items():
        if text.startswith(word):
            return (now.tm_year, now.tm_mon, now.tm_mday + shift), text.removeprefix(word)
    for pattern, order in _DATES:
        if match := pattern.match(text):
            year, month, day = (match.groups()[i] for i in order)
            full_year = now.tm_year if year is None else int(year) + (2000 if len(year) < 4 else 0)
            return (full_year, int(month), int(day)), text[match.end() :]
    return (now.tm_year, now.tm_mon, now.tm_mday), text


def _time_of_day(text: str) -> tuple[int, int, int] | None:
    """Return hour, minute and second; midnight for an empty text, None for one without a time."""
    if (hour := NAMED_HOURS.get(text or "midnight")) is not None:
        return hour, 0, 0
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    hour = int(match[1]) % 12 + (12 if match[4] == "pm" else 0) if match[4] else int(match[1])
    return hour, int(match[2]), int(match[3] or 0)


def _offset_s(sign: str | None, count: str | None, unit: str | None) -> int | None:
    if count is None:
        return 0
    name = (unit or "second").removesuffix("s")
    found = [seconds for one, seconds in UNITS_S.items() if name and one.startswith(name)]
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
