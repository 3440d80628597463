"""The Standard Workload Format: 18 fields a line, `;` comments, -1 for what is missing.

Reading rules: "Reading a trace" of the simulation rules (see docs/simulation-rules.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import NamedTuple

NAMES = (
    *("job number", "submit time", "wait time", "run time", "allocated processors"),
    *("CPU time", "used memory", "requested processors", "requested time", "requested memory"),
    *("status", "user", "group", "executable", "queue", "partition", "preceding job", "think time"),
)
"""The names of the fields, in messages."""

FIELDS = len(NAMES)

MOST = 2**32
"""Numbers beyond this are out of range: as seconds they are 136 years."""

_MOST_DIGITS = 18
_READ = (0, 1, 3, 4, 5, 8, 10, 16, 17)  # the fields of a TraceJob that are numbers
_SHOWN = 20  # characters of a word that is none


class TraceJob(NamedTuple):
    """A job of a trace. Times in whole seconds; `submit_s` counts from the trace's start.

    `preceding` is the number of the job whose end its user waited for, and `think_s` the time from
    that end to the submit; below 0: not known. `group` is the user's group, "-1" if not known: the
    account of the job, for recipes that divide shares by accounts.
    """

    number: int
    submit_s: int
    run_s: int
    size: int
    estimate_s: int
    user: str
    status: int
    preceding: int = -1
    think_s: int = -1
    group: str = "-1"

    @property
    def account(self) -> str:
        """Return the account of the job; "" if it has none."""
        return "" if self.group == "-1" else self.group


@dataclass(slots=True)
class Trace:
    """A parsed trace: header as written, jobs in arrival order (submit, then position).

    oddities: what could be read, but is odd: how often, and on which line first.
    """

    header: dict[str, str] = field(default_factory=dict)
    jobs: list[TraceJob] = field(default_factory=list)
    oddities: list[str] = field(default_factory=list)

    @property
    def processors(self) -> int | None:
        """Return the machine's size according to the header (MaxProcs, else MaxNodes).

        Text may follow the number. None if there is neither, or if what there is is no number: a
        wrong size would be worse.
        """
        for key in ("MaxProcs", "MaxNodes"):
            number = leading_number(self.header.get(key) or "-1")
            if number != -1:
                return number if number is not None and number > 0 else None
        return None


class TraceError(ValueError):
    """A line that is not SWF; the message says which and why."""


def parse_swf(lines: Iterable[str]) -> Trace:
    """Read a trace. The first value of a header key that occurs twice is kept.

    Raises:
        TraceError: a line with fewer than 18 fields, or with one that is not a number, or out of
            range.
    """
    trace = Trace()
    jobs = trace.jobs
    no_jobs: list[int] = []
    too_long: list[int] = []
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields:
            no_jobs.append(number)
            continue
        if fields[0].startswith(";"):
            entry = header_entry(line)
            if entry is not None:
                trace.header.setdefault(*entry)
            no_jobs.append(number)
            continue
        if len(fields) != FIELDS:
            if len(fields) < FIELDS:
                raise TraceError(f"line {number}: {len(fields)} fields, an SWF job has {FIELDS}")
            too_long.append(number)
        try:
            jobs.append(_job(fields))
        except (ValueError, OverflowError) as error:
            raise TraceError(f"line {number}: {_bad_field(fields) or error}") from None
    trace.oddities = list(_oddities(jobs, no_jobs, too_long))
    jobs.sort(key=lambda job: job.submit_s)  # stable: then by position
    return trace


def _bad_field(fields: list[str]) -> str | None:
    """Return which field is not a number or is out of range, and its text; None if all are good."""
    for at in _READ:
        try:
            whole = _whole(fields[at])
        except (ValueError, OverflowError):
            return f"field {at + 1} ({NAMES[at]}) is not a number: {short(fields[at])!r}"
        if whole > MOST:
            return f"field {at + 1} ({NAMES[at]}) is out of range: {short(fields[at])}"
    return None


def short(word: str) -> str:
    """Return a word, shortened for a message."""
    return word if len(word) <= _SHOWN else f"{word[:_SHOWN]}..."


def _oddities(jobs: list[TraceJob], no_jobs: list[int], too_long: list[int]) -> Iterator[str]:
    """Yield the oddities of jobs that are in the order of the file. The slow searches run only if
    there is something to find."""
    if too_long:
        yield f"{_lines(too_long)} with more than {FIELDS} fields, the rest of which is left out"
    submits_s = [job.submit_s for job in jobs]
    if any(after < before for before, after in pairwise(submits_s)):
        late, latest_s = [], 0
        for line, submit_s in zip(_job_lines(no_jobs), submits_s, strict=False):
            latest_s = max(latest_s, submit_s)
            if 0 <= submit_s < latest_s:
                late.append(line)
        if late:
            yield f"{_lines(late)} not in arrival order, sorted"
    if len({job.number for job in jobs}) < len(jobs):
        seen: set[int] = set()
        again = []
        for line, job in zip(_job_lines(no_jobs), jobs, strict=False):
            if job.number in seen:
                again.append(line)
            seen.add(job.number)
        yield f"{_lines(again)} with the number of an earlier job, kept"


def _job_lines(others: list[int]) -> Iterator[int]:
    """Return the numbers of all lines except `others`, without end."""
    passed = set(others)
    return (line for line in count(1) if line not in passed)


def _lines(found: list[int]) -> str:
    noun = "line" if len(found) == 1 else "lines"
    return f"{len(found):,} {noun} (the first is {found[0]:,})"


def leading_number(text: str) -> int | None:
    """Return the whole number that a header value begins with; None if it begins with other
    text."""
    words = text.split()
    number = words[0].replace(",", "") if words else ""
    digits = number.removeprefix("-")
    known = digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS
    return int(number) if known else None


def header_entry(line: str) -> tuple[str, str] | None:
    """Return the key and value of a comment line; None if the line has no colon."""
    key, colon, value = line.lstrip("; \t").partition(":")
    return (key.strip(), value.strip()) if colon else None


def _job(fields: list[str]) -> TraceJob:
    run_s = _whole(fields[3])
    if run_s == -1:
        run_s = _whole(fields[5])
    submit_s, size, estimate_s = _whole(fields[1]), _whole(fields[4]), _whole(fields[8])
    if max(submit_s, run_s, size, estimate_s) > MOST:
        raise ValueError(f"a number above {MOST:,} is out of range")
    return TraceJob(
        _whole(fields[0]),
        submit_s,
        run_s,
        size,
        estimate_s if estimate_s > 0 else max(1, run_s),
        fields[11],
        _whole(fields[10]),
        _whole(fields[16]),
        _whole(fields[17]),
        fields[12],
    )


def _whole(text: str) -> int:
    """Return the whole number of a text; a fraction is cut off."""
    try:
        return int(text)
    except ValueError:
        return int(float(text))


def takes_part(job: TraceJob, processors: int) -> bool:
    """Return whether a job can be simulated on `processors`. Other jobs are dropped and counted."""
    return job.submit_s >= 0 and job.run_s >= 0 and 0 < job.size <= processors


def format_swf(jobs: Iterable[TraceJob], header: dict[str, str]) -> Iterator[str]:
    """Yield the lines of an SWF file. Fields that a `TraceJob` does not have are -1."""
    for key, value in header.items():
        yield f"; {key}: {value}\n"
    for job in jobs:
        fields: list[object] = [-1] * FIELDS
        fields[0], fields[1], fields[3], fields[4] = job.number, job.submit_s, job.run_s, job.size
        fields[7], fields[8], fields[10] = job.size, job.estimate_s, job.status
        fields[11], fields[12] = job.user, job.group
        fields[16], fields[17] = job.preceding, job.think_s
        yield " ".join(map(str, fields)) + "\n"
