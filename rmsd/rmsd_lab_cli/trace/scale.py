"""Write a trace for another load or another machine. --load and --shrink change only the times
between arrivals, from the first job on that can be simulated. Run times, estimates and wait times
stay as they are. --procs leaves larger jobs out, and counts them, as CTC-336 is made.

Load is the processor time asked for per processor time between the first and the last arrival, as
in `rmsd simulate --load`. Only jobs that can be simulated on the machine count.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_lab.traces.header import Header
from rmsd_lab.traces.problems import Problems, Tolerance
from rmsd_lab.traces.reading import LogReader
from rmsd_lab.workloads.swf import TraceError, takes_part
from rmsd_lab.workloads.swf_log import LogJob, trace_job
from rmsd_lab.workloads.workload import OfferedLoad, divided_s, stretched_s, stretching
from rmsd_lab_cli.trace.source import (
    TRACE_HELP,
    add_procs_argument,
    add_tolerance_arguments,
    kept_nothing,
    known_machine_size,
    machine_size,
    reading,
    report_problems,
    rereadable,
    shown,
    tolerance_of,
)
from rmsd_lab_cli.trace.writing import Body, add_output_argument, changed, command_line

EPILOG = """\
examples:
  rmsd trace scale --load 0.9 KTH-SP2-1996-2.1-cln.swf.gz -o kth-90.swf.gz
  rmsd trace scale --shrink 0.75 trace.swf | rmsd simulate - --recipe dynp
  rmsd trace scale --procs 336 CTC-SP2-1996-3.1-cln.swf.gz -o CTC-336.swf.gz
"""

_UNBOUNDED = 1 << 62


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", type=Path, help=TRACE_HELP)
    arrivals = parser.add_mutually_exclusive_group()
    arrivals.add_argument(
        "--load", type=float, metavar="X", help="interarrival times such that the load is X"
    )
    arrivals.add_argument(
        "--shrink",
        type=float,
        metavar="F",
        help="interarrival times multiplied by F: the shrinking factor; below 1 the load grows "
        "(dynP, section 3; Selective, 4.2)",
    )
    add_procs_argument(parser, "a machine of N processors, without larger jobs")
    add_output_argument(parser)
    add_tolerance_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if args.load is None and args.shrink is None and args.procs is None:
        raise CommandUsageError("say what to change: --load, --shrink or --procs")
    problems = Problems(tolerance_of(args))
    with rereadable(args.trace) as path, Body() as body:
        move = _move(args, path)
        with reading(path, problems, args.trace) as log:
            scaled = _Scaled(log, move, args.procs or _UNBOUNDED)
            try:
                body.add(scaled)
            except TraceError:
                raise
            except ValueError as error:
                raise CommandUsageError(f"{_asked(args)}: {error}") from None
        if not body.jobs:
            raise kept_nothing(args.trace, scaled.read, f"that small: --procs {args.procs}")
        dropped = f": {scaled.dropped:,} larger jobs of {scaled.read:,} left out"
        note = command_line("scale", args, ("load", "shrink", "procs"))
        note += dropped if args.procs else ""
        header = changed(_resized(log.header, args.procs), body.jobs, problems, note)
        body.write(args.output, header, log.later)
    if args.procs:
        sys.stderr.write(f"{shown(args.trace)}{dropped}\n")
    report_problems(args.trace, problems)
    return 0


class _Scaled:
    """The jobs that fit, with their submit times moved; counts the others."""

    def __init__(self, log: LogReader, move: Callable[[int], int] | None, processors: int) -> None:
        self.read = 0
        self.dropped = 0
        self._log = log
        self._move = move
        self._processors = processors

    def __iter__(self) -> Iterator[LogJob]:
        move = self._move
        for job in self._log:
            self.read += 1
            if job.allocated > self._processors:
                self.dropped += 1
            elif move is None or job.submit_s < 0:
                yield job
            else:
                yield job._replace(submit_s=max(0, move(job.submit_s)))


def _move(args: argparse.Namespace, path: Path) -> Callable[[int], int] | None:
    """Return the function from old submit times to new ones; None if they stay.

    Raises:
        CommandUsageError: a load or a factor that cannot be, or a machine of unknown size.
        CommandError: no load can be made of this trace.
    """
    if args.load is None and args.shrink is None:
        return None
    if args.shrink is not None and not 0 < args.shrink < float("inf"):
        raise CommandUsageError(f"--shrink {args.shrink}: a factor must be above zero and finite")
    offered, processors = _offered(args, path)
    first_s = offered.first_s
    if args.shrink is not None:
        return lambda submit_s: divided_s(submit_s, first_s, 1 / args.shrink)
    try:
        factor = stretching(offered.on(processors), args.load)
    except ValueError as error:
        raise CommandUsageError(f"{_asked(args)}: {error}") from None
    return lambda submit_s: stretched_s(submit_s, first_s, factor)


def _offered(args: argparse.Namespace, path: Path) -> tuple[OfferedLoad, int]:
    """Return the load that the usable jobs offer, and the size of the machine."""
    offered, usable = OfferedLoad(), 0
    with reading(path, Problems(Tolerance.TOLERANT), args.trace) as log:
        if log.empty:
            raise kept_nothing(args.trace, 0, "")
        sized = machine_size if args.load is None else known_machine_size
        processors = sized(args, log.header) or _UNBOUNDED
        for job in map(trace_job, log):
            if takes_part(job, processors):
                usable += 1
                offered.add(job)
    if not usable:
        raise CommandError(f"{shown(args.trace)}: no job of it can be simulated")
    return offered, processors


def _asked(args: argparse.Namespace) -> str:
    return f"--shrink {args.shrink}" if args.load is None else f"--load {args.load}"


def _resized(header: Header, processors: int | None) -> Header:
    if processors is None:
        return header
    return header.without("MaxNodes").with_value("MaxProcs", processors)
