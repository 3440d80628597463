"""A survey of a trace in one pass, in the memory of its distinct users, sizes and times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import compress
from operator import eq
from typing import NamedTuple

from rmsd_lab.measures.categories import CATEGORIES
from rmsd_lab.traces.header import Header
from rmsd_lab.traces.problems import SHOWN
from rmsd_lab.workloads.swf import FIELDS, takes_part
from rmsd_lab.workloads.swf_log import LogJob, trace_job
from rmsd_lab.workloads.workload import OfferedLoad

QUARTER_S = 900
"""Arrivals are counted by quarters of an hour, so that every time zone can be made of them."""

LONG_S = 3600
"""Jobs that run longer are long (Selective, Table 1)."""

WIDE = 8
"""Larger jobs are wide (Selective, Table 1)."""

_UNBOUNDED = 1 << 62
_UNKNOWN = (-1,) * FIELDS

ODDITIES = {
    "run over estimate": "run time above the requested time",
    "CPU over run": "CPU time above the run time",
    "too large": "more processors than the machine has",
    "no processors": "ran, but on no known number of processors",
    "no run time": "on processors, but for no known time",
    "never ran": "neither run time nor processors",
}
"""The oddities that single jobs can have and no job should, by the names they are counted as."""


class Amount(NamedTuple):
    """A number of jobs, and the processor seconds they took."""

    jobs: int = 0
    work_s: int = 0

    def plus(self, work_s: int) -> Amount:
        return Amount(self.jobs + 1, self.work_s + work_s)


class Survey:
    """Fed job by job, each with its line number.

    `processors` is the machine's size; None: not known, then nothing is too large.
    Fields are by their name in `LogJob`. Work is that of jobs that can take part in a simulation.
    """

    def __init__(self, processors: int | None) -> None:
        self.processors = processors
        self.jobs = 0
        self.usable = 0
        self.load = OfferedLoad()
        self.last_end_s = -1
        self.sizes: Counter[int] = Counter()
        self.runs_s: Counter[int] = Counter()
        self.estimates_s: Counter[int] = Counter()
        self.accuracy_sum = 0.0
        self.accuracy_jobs = 0
        self.users: dict[int, Amount] = {}
        self.categories = {name: Amount() for name in CATEGORIES}
        self.statuses: Counter[int] = Counter()
        self.arrivals: Counter[int] = Counter()
        self._unknown: Counter[tuple[bool, ...]] = Counter()
        self.odd: Counter[str] = Counter()
        self.odd_lines: dict[str, list[int]] = {}

    def add(self, job: LogJob, line: int, start_s: int) -> None:
        """Count a job. `start_s` is the trace's second 0 in Unix time, 0 if it is not known."""
        self.jobs += 1
        self._unknown[tuple(map(eq, job, _UNKNOWN))] += 1
        self._look_at(job, line)
        self.statuses[job.status] += 1
        if job.submit_s >= 0:
            self.arrivals[(start_s + job.submit_s) // QUARTER_S] += 1
            end_s = job.submit_s + max(0, job.wait_s) + max(0, job.run_s)
            self.last_end_s = max(self.last_end_s, end_s)
        work_s = self._measure(job)
        self.users[job.user] = self.users.get(job.user, Amount()).plus(work_s)

    @property
    def missing(self) -> dict[str, int]:
        """Return, for each field, the number of jobs in which it is not known."""
        counts = dict.fromkeys(LogJob._fields, 0)
        for pattern, jobs in self._unknown.items():  # few: logs lack the same fields in many jobs
            for name in compress(LogJob._fields, pattern):
                counts[name] += jobs
        return counts

    def _measure(self, job: LogJob) -> int:
        """Count a job that can take part, and return its processor seconds; 0 if it cannot."""
        simulated = trace_job(job)
        if not takes_part(simulated, self.processors or _UNBOUNDED):
            return 0
        size, run_s = simulated.size, simulated.run_s
        self.usable += 1
        self.load.add(simulated)
        self.sizes[size] += 1
        self.runs_s[run_s] += 1
        if job.estimate_s > 0:
            self.estimates_s[job.estimate_s] += 1
            self.accuracy_sum += min(1.0, run_s / job.estimate_s)
            self.accuracy_jobs += 1
        name = ("L" if run_s > LONG_S else "S") + ("W" if size > WIDE else "N")
        self.categories[name] = self.categories[name].plus(size * run_s)
        return size * run_s

    def _look_at(self, job: LogJob, line: int) -> None:
        for name in self._oddities(job):
            self.odd[name] += 1
            lines = self.odd_lines.setdefault(name, [])
            if len(lines) < SHOWN:
                lines.append(line)

    def _oddities(self, job: LogJob) -> Iterator[str]:
        if job.run_s > job.estimate_s > 0:
            yield "run over estimate"
        if job.cpu_s > job.run_s >= 0:
            yield "CPU over run"
        if self.processors is not None and job.allocated > self.processors:
            yield "too large"
        if job.allocated <= 0 and job.run_s <= 0 and job.cpu_s <= 0:
            yield "never ran"
        elif job.allocated <= 0:
            yield "no processors"
        elif job.run_s < 0 and job.cpu_s < 0:
            yield "no run time"


def header_faults(header: Header, survey: Survey) -> list[str]:
    """Return where the header contradicts the jobs, or lacks what a simulation needs."""
    faults = []
    records = header.number("MaxRecords")
    for key in ("MaxRecords",) if records is not None else ("MaxJobs",):
        told = header.number(key)
        if told is not None and told >= 0 and told != survey.jobs:
            faults.append(f"{key} is {told:,}, but there are {survey.jobs:,} jobs")
    if header.processors is None:
        faults.append("there is no usable MaxProcs or MaxNodes: the machine's size is not known")
    if header.number("UnixStartTime") is None:
        faults.append("there is no UnixStartTime: hours and weekdays are not known")
    return faults


def quantile(counts: Mapping[int, int], share: float) -> int | None:
    """Return the smallest value that a `share` of all values, 0 to 1, does not exceed; None if
    there are no values."""
    wanted = share * sum(counts.values())
    reached = 0
    for value in sorted(counts):
        reached += counts[value]
        if reached >= wanted:
            return value
    return None
