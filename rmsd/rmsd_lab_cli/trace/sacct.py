"""Slurm's accounting as a trace: what `sacct --parsable2` (-P) or `--parsable` (-p) prints.

The fields are those of sacct(1); its --format decides which are there, and they are found by name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from itertools import chain

from rmsd_lab.traces.header import Header
from rmsd_lab.traces.problems import Problems, TraceProblem
from rmsd_lab.workloads.swf import MOST, TraceError
from rmsd_lab.workloads.swf_log import LogJob

FORMAT = "JobIDRaw,User,Group,Submit,Start,End,ElapsedRaw,TimelimitRaw,AllocCPUS,ReqCPUS,NNodes,"
FORMAT += "ReqMem,TotalCPU,State,JobName,Partition,QOS"
"""The fields to ask sacct for."""
_FORMAT = FORMAT.lower().split(",")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}T", re.ASCII)

_NONE = ("", "unknown", "none", "n/a", "invalid")
_NO_LIMIT = ("unlimited", "partition_limit", "infinite")
_COMPLETED, _FAILED, _CANCELLED = 1, 0, 5
_STATUS = {"COMPLETED": _COMPLETED, "CANCELLED": _CANCELLED} | dict.fromkeys(
    ("FAILED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE"),
    _FAILED,
)
_NOT_OVER = ("PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "STOPPED", "SIGNALING")
_KIB = {"K": 1, "M": 1024, "G": 1024**2, "T": 1024**3, "P": 1024**4}


@dataclass(slots=True)
class Names:
    """The numbers of names: 1, 2, ... in order of appearance; -1 for none."""

    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> int:
        if name.lower() in _NONE:
            return -1
        return self.numbers.setdefault(name, len(self.numbers) + 1)


@dataclass(slots=True)
class Accounting:
    """The jobs in arrival order, submitted from second 0 on.

    start_s: that second, in Unix time. left_out: how many records are no job that is over, by
    reason. processors: the most that were in use at a time.
    """

    jobs: list[LogJob] = field(default_factory=list)
    start_s: int = 0
    cluster: str = ""
    left_out: Counter[str] = field(default_factory=Counter)
    users: Names = field(default_factory=Names)
    groups: Names = field(default_factory=Names)
    executables: Names = field(default_factory=Names)
    queues: Names = field(default_factory=Names)
    partitions: Names = field(default_factory=Names)

    @property
    def processors(self) -> int:
        changes = []
        for job in self.jobs:
            if job.allocated > 0 and job.run_s > 0:
                start_s = job.submit_s + max(0, job.wait_s)
                changes += [(start_s, job.allocated), (start_s + job.run_s, -job.allocated)]
        most = used = 0
        for _, change in sorted(changes):  # at equal instants, ends come before starts
            used += change
            most = max(most, used)
        return most


def is_sacct(first_line: str) -> bool:
    """Return whether a file with this first line is sacct's."""
    names = first_line.strip().lower().split("|")
    return not {"jobid", "jobidraw"}.isdisjoint(names) or is_record(first_line)


def is_record(line: str) -> bool:
    """Return whether the line has the fields of FORMAT: `sacct --noheader` begins with one."""
    values = line.rstrip("\r\n").removesuffix("|").split("|")
    if len(values) != len(_FORMAT) or not values[0][:1].isdecimal():
        return False
    submit = values[_FORMAT.index("submit")]
    return submit.isdecimal() or _DATE.match(submit) is not None


def why_no_sacct(first_line: str) -> str:
    """Return why a file with this first line, which looks like a record of sacct's, is not read; ""
    if it does not look so."""
    if first_line.startswith(";") or first_line.count("|") < 2:
        return ""
    return (
        "line 1 names no field JobIDRaw or JobID: leave out sacct's --noheader, or ask for "
        f"--format={FORMAT}"
    )


def read_sacct(lines: Iterable[str], zone: tzinfo, problems: Problems) -> Accounting:
    """Return the jobs of sacct's lines. Without a line of names, the fields are those of FORMAT.
    Times without a zone are of `zone`; seconds since 1970 (SLURM_TIME_FORMAT=%s) are accepted too.

    Raises:
        TraceError: a column is missing that is needed, or a problem is not tolerated.
    """
    found = Accounting()
    rows: Iterator[tuple[int, str]] = enumerate(lines, 1)
    first = next(rows, (1, ""))
    names = [name.lower() for name in first[1].rstrip("\r\n").split("|")]
    if is_record(first[1]):
        rows = chain([first], rows)
        names = [*_FORMAT, *([""] if len(names) > len(_FORMAT) else [])]
    _check(names)
    record = _Record(found, zone)
    for number, line in rows:
        values = line.rstrip("\r\n").split("|")
        if values == [""]:
            continue
        if len(values) != len(names):
            what = f"{len(values)} fields, the first line names {len(names)}"
            problems.add(
                TraceProblem(number, "too few or many fields", what, _DROPPED, readable=False)
            )
            continue
        try:
            job = record.job(dict(zip(names, values, strict=True)))
        except (ValueError, OverflowError) as error:
            problems.add(
                TraceProblem(number, "not understood", str(error), _DROPPED, readable=False)
            )
            continue
        if job is not None:
            found.jobs.append(job)
    _from_second_0(found)
    return found


_DROPPED = "the line is left out"


def _check(names: Sequence[str]) -> None:
    for one_of in (("jobidraw", "jobid"), ("submit",), ("start",), ("state",), _SIZE, _RUN):
        if not set(one_of) & set(names):
            raise TraceError(
                f"line 1: no column {' or '.join(one_of)}; ask for it: sacct -P --format={FORMAT}"
            )


_SIZE = ("alloccpus", "ncpus")
_RUN = ("elapsedraw", "elapsed", "end")


class _Record:
    """A converter of sacct's lines to jobs, whose submit is Unix time and whose number may be
    -1."""

    def __init__(self, found: Accounting, zone: tzinfo) -> None:
        self._found = found
        self._zone = zone

    def job(self, row: Mapping[str, str]) -> LogJob | None:
        """Return the job of a row; None for a step, and for a job that is not over. Raises
        ValueError if the row is not understood."""
        found = self._found
        name = row.get("jobidraw") or row.get("jobid", "")
        if "." in name:
            found.left_out["steps"] += 1
            return None
        state = (row["state"].split() or [""])[0].rstrip("+").upper()
        if state in _NOT_OVER:
            found.left_out["not over"] += 1
            return None
        if state not in _STATUS:
            found.left_out[f"state {state or 'empty'}"] += 1
            return None
        submit_s = self._instant_s(row["submit"])
        if submit_s is None:
            raise ValueError("there is no submit time")
        if not 0 <= submit_s <= MOST:
            raise ValueError(f"the submit time is out of range: {row['submit']}")
        found.cluster = found.cluster or row.get("cluster", "")
        start_s, end_s = self._instant_s(row["start"]), self._instant_s(row.get("end", ""))
        size = _whole(row.get("alloccpus") or row.get("ncpus", "")) or -1
        job = LogJob(
            int(name) if name.isascii() and name.isdecimal() else -1,
            submit_s,
            -1 if start_s is None else max(0, start_s - submit_s),
            -1 if start_s is None else _run_s(row, start_s, end_s),
            size if start_s is not None else -1,
            requested=_whole(row.get("reqcpus", "")) or -1,
            estimate_s=_time_limit_s(row),
            status=_STATUS[state],
            user=found.users.number(row.get("user") or row.get("uid", "")),
            group=found.groups.number(row.get("group") or row.get("gid", "")),
            executable=found.executables.number(row.get("jobname", "")),
            queue=found.queues.number(row.get("qos", "")),
            partition=found.partitions.number(row.get("partition", "")),
        )
        return _in_range(
            job._replace(
                cpu_s=_cpu_s(row.get("totalcpu", ""), job.allocated),
                requested_kib=_memory_kib(row, max(job.allocated, job.requested)),
            )
        )

    def _instant_s(self, text: str) -> int | None:
        """Return an instant in Unix time; None if the text has none."""
        if text.lower() in _NONE:
            return None
        if text.isascii() and text.isdecimal():
            return int(text)
        local = datetime.fromisoformat(text)
        return round((local if local.tzinfo else local.replace(tzinfo=self._zone)).timestamp())


def _in_range(job: LogJob) -> LogJob:
    """Return the job. Raises ValueError if a trace with it could not be read again."""
    for name, value in zip(LogJob._fields, job, strict=True):
        if not -1 <= value <= MOST:
            raise ValueError(f"{name} is out of range: {value}")
    return job


def _run_s(row: Mapping[str, str], start_s: int, end_s: int | None) -> int:
    """Return the elapsed time without suspension [s], else the time from start to end; -1 if
    neither is known."""
    if row.get("elapsedraw"):
        return int(row["elapsedraw"])
    if row.get("elapsed"):
        return round(_duration_s(row["elapsed"]))
    return -1 if end_s is None else max(0, end_s - start_s)


def _duration_s(text: str) -> float:
    """Return the seconds of `[D-]HH:MM:SS[.mmm]` or `MM:SS[.mmm]`."""
    days, _, clock = text.rpartition("-")
    seconds = 0.0
    for part in clock.split(":"):
        seconds = seconds * 60 + float(part)
    return (int(days) if days else 0) * 86400 + seconds


def _time_limit_s(row: Mapping[str, str]) -> int:
    raw, text = row.get("timelimitraw", ""), row.get("timelimit", "")
    if raw.lower() not in _NONE and raw.lower() not in _NO_LIMIT:
        return int(raw) * 60
    if text.lower() in _NONE or text.lower() in _NO_LIMIT:
        return -1
    return round(_duration_s(text))


def _cpu_s(text: str, size: int) -> float:
    """Return the average CPU time of a job's processors [s]; -1 if it is not known."""
    return -1 if text.lower() in _NONE or size < 1 else round(_duration_s(text) / size, 2)


def _memory_kib(row: Mapping[str, str], processors: int) -> int:
    """Return the memory of one processor [KiB]; -1 if it is not known. ReqMem is the job's, with n
    a node's, and with c a processor's."""
    text = row.get("reqmem", "").upper()
    per = text[-1:] if text[-1:] in ("N", "C") else ""
    amount = text.removesuffix(per)
    unit = amount[-1:]
    if unit not in _KIB or processors < 1:
        return -1
    kib = float(amount[:-1]) * _KIB[unit]
    if per == "N":
        kib *= _whole(row.get("nnodes") or row.get("allocnodes", "")) or 1
    return round(kib if per == "C" else kib / processors) or -1


def _whole(text: str) -> int:
    return 0 if text.lower() in _NONE else int(text)


def _from_second_0(found: Accounting) -> None:
    """Put the jobs into arrival order, from second 0 on. Number the jobs that have no number (parts
    of arrays in files without JobIDRaw)."""
    jobs = sorted(found.jobs, key=lambda job: job.submit_s)
    found.start_s = jobs[0].submit_s if jobs else 0
    number = max((job.number for job in jobs), default=0)
    found.jobs = []
    for job in jobs:
        number += job.number < 0
        found.jobs.append(
            job._replace(
                submit_s=job.submit_s - found.start_s,
                number=number if job.number < 0 else job.number,
            )
        )


def header_of(
    found: Accounting,
    processors: int | None,
    zone_name: str,
    *,
    anonymous: bool,
    began: datetime | None,
) -> Header:
    """Return the header of the trace. `processors` is the machine's size; None: the most processors
    that were in use at a time."""
    entries = [
        ("Version", "2.2"),
        ("Computer", found.cluster or "a cluster under Slurm"),
        ("UnixStartTime", str(found.start_s)),
        ("TimeZoneString", zone_name),
        *([("StartTime", f"{began:%a %b %d %H:%M:%S %Z %Y}")] if began else []),
        ("MaxProcs", str(processors or found.processors)),
        ("Note", "from sacct; status 0 is failed, killed at a limit or lost, 5 cancelled"),
    ]
    if processors is None:
        entries.append(("Note", "MaxProcs is the most that was in use at a time"))
    left_out = ", ".join(f"{count} {reason}" for reason, count in found.left_out.items())
    entries.append(("Note", f"left out: {left_out or 'nothing'}"))
    entries += _names("Queue", found.queues, "{number} {name}")
    entries += _names("Partition", found.partitions, "{number} {name}")
    if not anonymous:
        entries += _names("Note", found.users, "user {number} is {name}")
        entries += _names("Note", found.groups, "group {number} is {name}")
        entries += _names("Note", found.executables, "executable {number} is {name}")
    return Header.of(entries)


def _names(key: str, names: Names, text: str) -> Iterator[tuple[str, str]]:
    for name, number in names.numbers.items():
        yield key, text.format(number=number, name=" ".join(name.split()))
