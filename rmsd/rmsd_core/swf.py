"""The Standard Workload Format: 18 fields a line, `;` comments, -1 for what is missing.

Reading rules: "Reading a trace" of the simulation rules (see docs/simulation-rules.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

FIELDS = 18

MOST = 2**32
"""Numbers beyond this are out of range: as seconds they are 136 years."""

_MOST_DIGITS = 18


class TraceJob(NamedTuple):
    """A job of a trace. Times in whole seconds; `submit_s` counts from the trace's start.

    `preceding` is the number of the job whose end its user waited for, and `think_s` the time from
    that end to the submit; below 0: not known.
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


@dataclass(slots=True)
class Trace:
    """A parsed trace: header as written, jobs in arrival order (submit, then position)."""

    header: dict[str, str] = field(default_factory=dict)
    jobs: list[TraceJob] = field(default_factory=list)

    @property
    def processors(self) -> int | None:
        """The machine's size according to the header (MaxProcs, else MaxNodes).

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
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields:
            continue
        if fields[0].startswith(";"):
            entry = header_entry(line)
            if entry is not None:
                trace.header.setdefault(*entry)
            continue
        if len(fields) < FIELDS:
            raise TraceError(f"line {number}: {len(fields)} fields, an SWF job has {FIELDS}")
        try:
            jobs.append(_job(fields))
        except (ValueError, OverflowError) as error:
            raise TraceError(f"line {number}: {error}") from None
    jobs.sort(key=lambda job: job.submit_s)  # stable: then by position
    return trace


def leading_number(text: str) -> int | None:
    """The whole number that a header value begins with; None: it begins with something else."""
    words = text.split()
    number = words[0].replace(",", "") if words else ""
    digits = number.removeprefix("-")
    known = digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS
    return int(number) if known else None


def header_entry(line: str) -> tuple[str, str] | None:
    """Key and value of a comment line; None: it has no colon."""
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
    )


def _whole(text: str) -> int:
    """Fractions are cut off."""
    try:
        return int(text)
    except ValueError:
        return int(float(text))


def takes_part(job: TraceJob, processors: int) -> bool:
    """Whether a job can be simulated on `processors`; the others are dropped and counted."""
    return job.submit_s >= 0 and job.run_s >= 0 and 0 < job.size <= processors


def format_swf(jobs: Iterable[TraceJob], header: dict[str, str]) -> Iterator[str]:
    """The lines of an SWF file; what a `TraceJob` does not know is -1."""
    for key, value in header.items():
        yield f"; {key}: {value}\n"
    for job in jobs:
        fields: list[object] = [-1] * FIELDS
        fields[0], fields[1], fields[3], fields[4] = job.number, job.submit_s, job.run_s, job.size
        fields[7], fields[8], fields[10], fields[11] = (
            job.size,
            job.estimate_s,
            job.status,
            job.user,
        )
        fields[16], fields[17] = job.preceding, job.think_s
        yield " ".join(map(str, fields)) + "\n"
