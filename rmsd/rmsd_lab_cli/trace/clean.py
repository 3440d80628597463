"""Write a trace with the jobs that can be simulated, and a report. Jobs without submit time, run
time or number of processors, and those larger than the machine, are left out. Lines that cannot be
read are left out, too. Jobs are in arrival order (submit, then position); a number that occurs
again is replaced by one above all others. A trace that is in order is not held in memory.

Flurries and other anomalies are left alone: their removal is a matter of judgement.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rmsd_lab.traces.numbers import NumberRanges
from rmsd_lab.traces.problems import Problems, Tolerance
from rmsd_lab.traces.reading import LogReader
from rmsd_lab.traces.selection import why_not_simulated
from rmsd_lab.workloads.swf_log import LogJob
from rmsd_lab_cli.trace.source import (
    TRACE_HELP,
    add_procs_argument,
    kept_nothing,
    known_machine_size,
    reading,
    report_problems,
    rereadable,
    shown,
)
from rmsd_lab_cli.trace.writing import Body, add_output_argument, changed

EPILOG = """\
examples:
  rmsd trace clean raw.swf.gz -o clean.swf.gz
  rmsd trace clean --procs 430 CTC-SP2-1996-3.1-cln.swf.gz | rmsd trace info -
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", type=Path, help=TRACE_HELP)
    add_procs_argument(parser, "processors of the machine (default: the header's)")
    add_output_argument(parser)


def run(args: argparse.Namespace) -> int:
    with rereadable(args.trace) as path, Body() as body:
        seen = Problems(Tolerance.TOLERANT)
        with reading(path, seen, args.trace) as log:
            if log.empty:
                raise kept_nothing(args.trace, 0, "")
            processors = known_machine_size(args, log.header)
            highest = max((job.number for job in log), default=0)
        problems = Problems(Tolerance.TOLERANT)
        with reading(path, problems, args.trace) as log:
            cleaning = _Cleaning(log, problems, processors, highest)
            jobs: Iterator[LogJob] | list[LogJob] = iter(cleaning)
            if seen.counts["not in arrival order"]:
                jobs = sorted(jobs, key=lambda job: job.submit_s)  # stable: then by position
            body.add(jobs)
        if not body.jobs:
            raise kept_nothing(args.trace, cleaning.read, "fit to be simulated")
        note = f"rmsd trace clean --procs {processors}: {cleaning.said(body.jobs)}"
        body.write(args.output, changed(log.header, body.jobs, problems, note), log.later)
    sys.stderr.write(f"{shown(args.trace)}: {cleaning.said(body.jobs)}\n")
    report_problems(args.trace, problems)
    return 0


class _Cleaning:
    """The jobs that are fit, with new numbers. It counts the other jobs by what they lack, and says
    of each problem what became of its job."""

    def __init__(self, log: LogReader, problems: Problems, processors: int, highest: int) -> None:
        self.renumbered = 0
        self._jobs = 0
        self._dropped: Counter[str] = Counter()
        self._log = log
        self._problems = problems
        self._processors = processors
        self._highest = highest

    @property
    def read(self) -> int:
        """Return the number of jobs read, including lines that have too few fields."""
        return self._jobs + self._problems.counts["too few fields"]

    def __iter__(self) -> Iterator[LogJob]:
        numbers = NumberRanges()
        for job in self._log:
            self._jobs += 1
            reason = why_not_simulated(job, self._processors)
            if reason is not None:
                self._dropped[reason] += 1
                self._settle(f"the job is left out: {reason}", *self._problems.first)
                continue
            self._settle("put in its place", "not in arrival order")
            if numbers.is_new(job.number):
                self._settle("kept, the other is left out", "number twice")
                yield job
            else:
                self.renumbered += 1
                number = self._highest + self.renumbered
                self._settle(f"numbered {number} instead", "number twice")
                yield job._replace(number=number)

    def _settle(self, done: str, *kinds: str) -> None:
        """Record how the problems of the line that was read last were handled, if it has any."""
        if self._problems.last_line == self._log.line:
            for kind in kinds:
                self._problems.settle(kind, done, self._log.line)

    def said(self, kept: int) -> str:
        dropped = self._dropped + Counter({"too few fields": self.read - self._jobs})
        lacking = ", ".join(f"{count:,} {reason}" for reason, count in dropped.items())
        return (
            f"{kept:,} of {self.read:,} jobs kept, {self.renumbered:,} numbered anew; left out: "
            f"{lacking or 'none'}"
        )
