"""Write a trace without what cannot be simulated, with a report: jobs without submit time, run time
or number of processors, and those larger than the machine are left out, and so is what cannot be
read. Jobs are in arrival order (submit, then position); a number that occurs again is replaced by
one above all others. A trace that is in order is not held in memory.

Flurries and other anomalies are left alone: that is a matter of judgement.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rmsd_cli.trace.source import (
    TRACE_HELP,
    add_procs_argument,
    kept_nothing,
    known_machine_size,
    problem_lines,
    reading,
    rereadable,
    shown,
)
from rmsd_cli.trace.writing import Body, add_output_argument, changed
from rmsd_core.swf_log import LogJob
from rmsd_core.traces.numbers import Numbers
from rmsd_core.traces.problems import Problems, Tolerance
from rmsd_core.traces.reading import LogReader
from rmsd_core.traces.selection import why_not_simulated

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
        problems = Problems(Tolerance.TOLERANT)
        with reading(path, problems, args.trace) as log:
            processors = known_machine_size(args, log.header)
            highest = max((job.number for job in log), default=0)
        with reading(path, Problems(Tolerance.TOLERANT), args.trace) as log:
            cleaning = _Cleaning(log, processors, highest)
            jobs: Iterator[LogJob] | list[LogJob] = iter(cleaning)
            if problems.counts["not in arrival order"]:
                jobs = sorted(jobs, key=lambda job: job.submit_s)  # stable: then by position
            body.add(jobs)
        if not body.jobs:
            raise kept_nothing(args.trace, cleaning.read, "fit to be simulated")
        note = f"rmsd trace clean --procs {processors}: {cleaning.said(body.jobs)}"
        body.write(args.output, changed(log.header, body.jobs, problems, note), log.later)
    sys.stderr.write(f"{shown(args.trace)}: {cleaning.said(body.jobs)}\n")
    for line in problem_lines(problems):
        sys.stderr.write(f"{shown(args.trace)}, {line}\n")
    return 0


class _Cleaning:
    """The jobs that are fit, with numbers of their own; counts the others by what they lack."""

    def __init__(self, log: LogReader, processors: int, highest: int) -> None:
        self.read = 0
        self.renumbered = 0
        self.dropped: Counter[str] = Counter()
        self._log = log
        self._processors = processors
        self._highest = highest

    def __iter__(self) -> Iterator[LogJob]:
        numbers = Numbers()
        for job in self._log:
            self.read += 1
            reason = why_not_simulated(job, self._processors)
            if reason is not None:
                self.dropped[reason] += 1
            elif numbers.is_new(job.number):
                yield job
            else:
                self.renumbered += 1
                yield job._replace(number=self._highest + self.renumbered)

    def said(self, kept: int) -> str:
        dropped = ", ".join(f"{count:,} {reason}" for reason, count in self.dropped.items())
        return (
            f"{kept:,} of {self.read:,} jobs kept, {self.renumbered:,} numbered anew; left out: "
            f"{dropped or 'none'}"
        )
