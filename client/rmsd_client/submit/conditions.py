"""Slurm's spelling of `--begin`, `--deadline` and `--dependency`. `rsub` loads this module only
when one of them is given."""

from __future__ import annotations

import re
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

UNITS_S = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
NAMED_HOURS = {"midnight": 0, "noon": 12, "elevenses": 11, "fika": 15, "teatime": 16}
_OFFSET = re.compile(r"now(?: *\+ *(\d{1,9}) *([a-z]*))?", re.ASCII)
_DATE = re.compile(
    r"(?:(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"
    r"|(?P<m2>\d{1,2})[./](?P<d2>\d{1,2})(?:[./](?P<y2>\d{2}))?"
    r"|(?P<m3>\d{2})(?P<d3>\d{2})(?P<y3>\d{2})?(?!\d))",
    re.ASCII,
)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)? ?(am|pm)?", re.ASCII)
_CLOCK_FIRST = re.compile(
    rf"(?P<clock>{'|'.join(NAMED_HOURS)}|[\d:.]+:[\d:.]+(?: ?[ap]m)?) +"
    r"(?P<date>today|tomorrow|[\d./]+|\d{4}-\d{1,2}-\d{1,2})",
    re.ASCII,
)
_FORMS = (
    "now+1hour, now+30 (seconds), 16:00, 4:30pm, noon, teatime, tomorrow, 2027-01-31, "
    "2027-01-31T08:00, 0131[27] or 01/31[/27]"
)

_DEPENDENCY = re.compile(r"(after|afterany|afterok|afternotok|aftercorr)((?::\S+)+)", re.ASCII)
_JOB = re.compile(r"(\d{1,18})(?:_(\d{1,7}))?(?:\+(\d{1,9}))?", re.ASCII)
_RELATIONS = (
    "after:JOB[+MINUTES], afterany:JOB, afterok:JOB, afternotok:JOB, aftercorr:ARRAY or singleton"
)


def parse_begin(text: str, now_s: float | None = None) -> Json:
    """Return the fields of a `ConditionsSpec` for a begin time.

    A time without a date that is over today is that of tomorrow, as in Slurm; a date without a year
    is the next such date. Times are local.

    Raises:
        ValueError: the text has none of Slurm's forms, or is no date.
    """
    lowered = text.strip().lower()
    if match := _OFFSET.fullmatch(lowered):
        return {"begin_in_s": _offset_s(text, *match.groups())}
    now_s = time.time() if now_s is None else now_s
    return {"begin_us": round(_local_s(text, lowered, now_s)) * 1_000_000}


def parse_deadline(text: str, now_s: float | None = None) -> Json:
    """Return the fields of a `SubmitSpec` for a deadline, which has the forms of a begin time.

    Raises:
        ValueError: the text has none of Slurm's forms, or is no date.
    """
    found = parse_begin(text, now_s)
    return {name.replace("begin", "deadline"): value for name, value in found.items()}


def _offset_s(text: str, count: str | None, unit: str | None) -> int:
    if count is None:
        return 0
    name = (unit or "second").removesuffix("s")
    found = [one for one in UNITS_S if name and one.startswith(name)]
    if not found:
        raise ValueError(f"'{text}': '{unit}' is not a unit; expected {', '.join(UNITS_S)}")
    return int(count) * UNITS_S[found[0]]


def _local_s(text: str, lowered: str, now_s: float) -> float:
    now = time.localtime(now_s)
    date, clock = _split(lowered)
    if (date is None and clock is None) or clock == "":
        raise ValueError(f"'{text}' is not a time; expected {_FORMS}")
    hour, minute, second = _clock(text, clock) if clock else (0, 0, 0)
    if date is None:
        begin_s = _epoch_s(text, now.tm_year, now.tm_mon, now.tm_mday, hour, minute, second)
        if begin_s <= now_s:
            begin_s = _epoch_s(text, now.tm_year, now.tm_mon, now.tm_mday + 1, hour, minute, second)
        return begin_s
    if date in ("today", "tomorrow"):
        day = now.tm_mday + (date == "tomorrow")
        if date == "today" and not clock:
            return now_s
        return _epoch_s(text, now.tm_year, now.tm_mon, day, hour, minute, second)
    year, month, day = _date(text, date, now)
    begin_s = _epoch_s(text, year or now.tm_year, month, day, hour, minute, second)
    if year is None and begin_s <= now_s:
        begin_s = _epoch_s(text, now.tm_year + 1, month, day, hour, minute, second)
    if time.localtime(begin_s).tm_mon != month:  # February has no 30th day
        raise ValueError(f"'{text}' is no date")
    return begin_s


def _split(lowered: str) -> tuple[str | None, str | None]:
    """Return the date and the time of day in a text, which may stand in either order; None for what
    is not there."""
    for word in ("today", "tomorrow"):
        if lowered == word:
            return word, None
        if lowered.startswith(word):
            return word, lowered[len(word) :].lstrip("t -")
    if lowered in NAMED_HOURS or _CLOCK.fullmatch(lowered):
        return None, lowered
    if turned := _CLOCK_FIRST.fullmatch(lowered):
        return turned["date"], turned["clock"]
    match = _DATE.match(lowered)
    if match is None:
        return None, None
    rest = lowered[match.end() :]
    if not rest:
        return match[0], None
    return (match[0], rest[1:]) if rest[0] in "t -" else (None, None)


def _clock(text: str, clock: str) -> tuple[int, int, int]:
    if clock in NAMED_HOURS:
        return NAMED_HOURS[clock], 0, 0
    match = _CLOCK.fullmatch(clock)
    if match is None:
        raise ValueError(f"'{text}': '{clock}' is not a time of day; expected HH:MM[:SS] [AM|PM]")
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    half = match[4]
    if half and not 1 <= hour <= 12:
        raise ValueError(f"'{text}': {hour} is no hour of {half.upper()}")
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(f"'{text}': {clock} is no time of day")
    return hour, minute, second


def _date(text: str, date: str, now: time.struct_time) -> tuple[int | None, int, int]:
    match = _DATE.fullmatch(date)
    if match is None:
        raise ValueError(f"'{text}': '{date}' is no date")
    found = match.groupdict()
    if found["year"]:
        return int(found["year"]), int(found["month"]), int(found["day"])
    century = now.tm_year // 100 * 100
    if found["m2"]:
        year = century + int(found["y2"]) if found["y2"] else None
        return year, int(found["m2"]), int(found["d2"])
    year = century + int(found["y3"]) if found["y3"] else None
    return year, int(found["m3"]), int(found["d3"])


def _epoch_s(
    text: str, year: int, month: int, day: int, hour: int, minute: int, second: int
) -> float:
    """Return the local time as seconds of the epoch. A day past the end of a month is one of the
    next month, which `tomorrow` needs."""
    if not (1970 <= year < 2200 and 1 <= month <= 12 and 1 <= day <= 32):
        raise ValueError(f"'{text}' is no date")
    return time.mktime((year, month, day, hour, minute, second, 0, 0, -1))


def parse_dependency(text: str) -> Json:
    """Return the fields of a `ConditionsSpec` for Slurm's `--dependency`.

    Commas between the dependencies mean that all must be fulfilled, question marks that one
    suffices.

    Raises:
        ValueError: the text is no such list.
    """
    if "," in text and "?" in text:
        raise ValueError(f"'{text}' has both ',' (all) and '?' (any); use one of them")
    found: list[Json] = []
    for one in re.split("[,?]", text):
        found += _dependencies(one.strip(), text)
    arrays = [one["job_id"] for one in found if one["relation"] == "aftercorr"]
    if not arrays:
        return {"dependencies": found, "any_of": "?" in text}
    if len(arrays) > 1 or "?" in text:
        raise ValueError(f"'{text}': aftercorr stands once, and no '?' goes with it")
    others = [one for one in found if one["relation"] != "aftercorr"]
    return {"dependencies": others, "any_of": False, "after_corr": arrays[0]}


def _dependencies(one: str, text: str) -> list[Json]:
    if one.lower() == "singleton":
        return [{"relation": "singleton"}]
    match = _DEPENDENCY.fullmatch(one.lower())
    if match is None:
        within = "" if one == text else f"'{text}': "
        raise ValueError(f"{within}'{one}' is not a dependency; expected {_RELATIONS}")
    relation, jobs = match.groups()
    return [_on_job(relation, job, text) for job in jobs[1:].split(":")]


def _on_job(relation: str, job: str, text: str) -> Json:
    match = _JOB.fullmatch(job)
    if match is None:
        raise ValueError(f"'{text}': '{job}' is not a job number")
    spec: Json = {"relation": relation, "job_id": int(match[1])}
    if match[2]:
        if relation == "aftercorr":
            raise ValueError(f"'{text}': aftercorr is on a whole array")
        spec["array_task_id"] = int(match[2])
    if match[3]:
        if relation != "after":
            raise ValueError(f"'{text}': '+{match[3]}' goes with after alone")
        spec["delay_s"] = int(match[3]) * 60
    return spec
