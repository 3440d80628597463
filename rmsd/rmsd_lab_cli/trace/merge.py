"""Write several traces as one: all jobs in arrival order, numbered anew. Users, groups,
executables, queues and partitions are numbered anew too, so that those of different traces stay
apart; queue 0, for interactive jobs, is one. Second 0 of all traces is the same (with --by-date
they lie as they did in time). The machine is the largest of them, or --procs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_lab.traces.header import Header
from rmsd_lab.traces.merging import merged
from rmsd_lab.traces.problems import Problems
from rmsd_lab.traces.reading import LogReader
from rmsd_lab.traces.selection import in_arrival_order
from rmsd_lab.workloads.swf import TraceError
from rmsd_lab.workloads.swf_log import LogJob
from rmsd_lab_cli.trace.source import (
    TRACE_HELP,
    add_procs_argument,
    add_tolerance_arguments,
    kept_nothing,
    reading,
    report_problems,
    shown,
    tolerance_of,
)
from rmsd_lab_cli.trace.writing import Body, add_output_argument, changed
from rmsd_lab_cli.trace_file import STDIN

EPILOG = """\
examples:
  rmsd trace merge KTH-SP2-1996-2.1-cln.swf.gz CTC-SP2-1996-3.1-cln.swf.gz -o both.swf.gz
  rmsd trace merge --by-date --procs 228 KTH.swf SDSC.swf | rmsd trace info -
"""

_TIMES = ("UnixStartTime", "TimeZone", "TimeZoneString", "StartTime")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", nargs="+", type=Path, help=TRACE_HELP)
    parser.add_argument(
        "--by-date", action="store_true", help="place the traces by their UnixStartTime"
    )
    add_procs_argument(parser, "processors of the machine in the new header")
    add_output_argument(parser)
    add_tolerance_arguments(parser)


def run(args: argparse.Namespace) -> int:
    paths: list[Path] = args.trace
    if len(paths) < 2:
        raise CommandUsageError("give two traces or more")
    if paths.count(STDIN) > 1:
        raise CommandUsageError("standard input can be only one of the traces")
    problems = [Problems(tolerance_of(args)) for _ in paths]
    with Body() as body, ExitStack() as stack:
        logs = [
            stack.enter_context(reading(path, found))
            for path, found in zip(paths, problems, strict=True)
        ]
        offsets_s = _offsets_s(paths, logs) if args.by_date else [0] * len(logs)
        jobs = [_in_order(path, log) for path, log in zip(paths, logs, strict=True)]
        body.add(merged(jobs, offsets_s))
        header = changed(_header(args, logs, offsets_s), body.jobs, Problems())
        later = [line for log in logs for line in log.later]
        body.write(args.output, header, later)
    for path, found in zip(paths, problems, strict=True):
        found.settle("number twice", "all are numbered anew")
        report_problems(path, found)
    return 0


def _in_order(path: Path, log: LogReader) -> Iterator[LogJob]:
    """Yield the jobs of one trace. Raises CommandError, with this trace's name, if it has no jobs
    or is not in arrival order. Errors of the other traces, which are read meanwhile, pass
    unchanged."""
    read = 0
    try:
        for job in in_arrival_order(log):
            read += 1
            yield job
    except TraceError as error:
        raise CommandError(f"{shown(path)}, {error}") from None
    if not read:
        raise kept_nothing(path, 0, "")


def _offsets_s(paths: Sequence[Path], logs: Sequence[LogReader]) -> list[int]:
    """Return how much later each trace begins than the earliest [s]. Raises CommandUsageError if a
    trace does not say when it begins."""
    starts_s = []
    for path, log in zip(paths, logs, strict=True):
        start_s = log.header.number("UnixStartTime")
        if start_s is None:
            raise CommandUsageError(f"--by-date: {shown(path)} has no UnixStartTime")
        starts_s.append(start_s)
    return [start_s - min(starts_s) for start_s in starts_s]


def _header(
    args: argparse.Namespace, logs: Sequence[LogReader], offsets_s: Sequence[int]
) -> Header:
    """Return the header of the merged trace. Times count from the beginning of the earliest trace.
    All old headers are kept as comments, since some may be copied only whole."""
    first = logs[offsets_s.index(min(offsets_s))].header.values
    sizes = [log.header.processors for log in logs]
    processors = args.procs or max((size for size in sizes if size is not None), default=None)
    computers = [log.header.values.get("Computer", "not known") for log in logs]
    entries = [("Version", "2.2"), ("Computer", f"merged: {' + '.join(computers)}")]
    entries += [(key, first[key]) for key in _TIMES if key in first]
    if processors is not None:
        entries.append(("MaxProcs", str(processors)))
    entries.append(("Note", f"rmsd trace merge{' --by-date' if args.by_date else ''}"))
    for at, (path, log) in enumerate(zip(args.trace, logs, strict=True), 1):
        entries.append(("Note", f"trace {at} is {path.name}, {offsets_s[at - 1]} s later"))
        entries += [(f"trace {at}", line.lstrip("; \t")) for line in log.header.lines]
    return Header.of(entries)
