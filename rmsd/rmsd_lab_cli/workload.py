"""The jobs to run, of a trace file and command-line options; shared by simulate and replay."""

from __future__ import annotations

import argparse
import contextlib
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_core.recipes.extensions import PartError
from rmsd_lab.simulation.virtual import NothingStarts, NotReserved, TooLong
from rmsd_lab.workloads.swf import Trace, TraceError, TraceJob, parse_swf, takes_part
from rmsd_lab.workloads.workload import (
    cut_at_estimate,
    predecessors,
    scaled_to_load,
    with_exact_estimates,
)
from rmsd_lab_cli.trace_file import STDIN, UNREADABLE, open_trace, reason_of


@dataclass(frozen=True, slots=True)
class Workload:
    """The jobs to run, all of which fit `processors`. `read` counts the jobs of the trace,
    `dropped` those that cannot take part. `following`: in a closed loop, how many jobs
    come after the end of another; 0: an open loop."""

    trace: str
    processors: int
    jobs: list[TraceJob]
    read: int
    dropped: int
    following: int = 0


def add_workload_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for one trace and the changes to it."""
    group = parser.add_argument_group("workload")
    group.add_argument(
        "trace",
        metavar="TRACE",
        type=Path,
        help="an SWF file, .swf or .swf.gz; - is standard input",
    )
    add_workload_options(group)


def add_workload_options(group: argparse._ArgumentGroup) -> None:
    """Add the options that change a trace before it is run."""
    group.add_argument(
        "--procs",
        type=int,
        metavar="N",
        help="processors of the machine (default: MaxProcs of the trace's header); larger jobs "
        "are dropped and counted",
    )
    group.add_argument(
        "--strict", action="store_true", help="refuse a trace that has such jobs instead"
    )
    group.add_argument("--jobs", type=int, metavar="K", help="only the first K jobs")
    group.add_argument(
        "--load",
        type=float,
        metavar="X",
        help="multiply interarrival times so that the offered load (processor time asked for "
        "per processor time between first and last arrival) is X",
    )
    group.add_argument(
        "--closed-loop",
        action="store_true",
        help="submit a job that names a preceding one (SWF field 17) its think time (18) after the "
        "end of that, instead of at its submit time",
    )
    group.add_argument(
        "--estimates",
        choices=("user", "exact"),
        default="user",
        help="the users' estimates (default), or run times in their place",
    )
    group.add_argument(
        "--kill-at-estimate",
        action="store_true",
        help="cut jobs that run longer than their estimate; otherwise they run on, as in the "
        "literature",
    )


def load_workload(
    args: argparse.Namespace, processors: int | None = None, read: Trace | None = None
) -> Workload:
    """Return the workload that the options ask for; `processors`, if given, is the machine's size.
    `read` is the trace, if it has been read already.

    Raises:
        CommandError: the file cannot be read or is no SWF; with --strict: has jobs too large.
        CommandUsageError: options that contradict the trace, or no jobs left.
    """
    trace = told_trace(args.trace) if read is None else read
    if processors is None:
        processors = trace.processors if args.procs is None else args.procs
    if processors is None:
        raise CommandUsageError(
            f"{args.trace}: the header has no usable MaxProcs or MaxNodes; give the machine's size "
            "with --procs"
        )
    if processors < 1:
        raise CommandUsageError(f"--procs {processors}: a machine has at least one processor")
    jobs = [job for job in trace.jobs if takes_part(job, processors)]
    dropped = len(trace.jobs) - len(jobs)
    if args.strict:
        _refuse_wide(args.trace, trace.jobs, processors)
    if args.jobs is not None:
        if args.jobs < 1:
            raise CommandUsageError(f"--jobs {args.jobs}: ask for at least one job")
        jobs = jobs[: args.jobs]
    if not jobs:
        raise CommandError(
            f"{args.trace}: no job can take part: {len(trace.jobs)} jobs read, none with a size "
            f"between 1 and {processors} and known times"
        )
    if args.estimates == "exact":
        jobs = with_exact_estimates(jobs)
    if args.kill_at_estimate:
        jobs = cut_at_estimate(jobs)
    if args.load is not None:
        try:
            jobs = scaled_to_load(jobs, processors, args.load)
        except ValueError as error:
            raise CommandUsageError(f"--load {args.load}: {error}") from None
    following = _following(args, jobs) if args.closed_loop else 0
    name = args.trace.name.removesuffix(".gz").removesuffix(".swf")
    return Workload(name, processors, jobs, len(trace.jobs), dropped, following)


def _following(args: argparse.Namespace, jobs: Sequence[TraceJob]) -> int:
    """Return how many jobs come after the end of another job, in a closed loop.

    Raises:
        CommandUsageError: the load is asked for as well.
        CommandError: there are none, or it is not clear after which.
    """
    if args.load is not None:
        raise CommandUsageError(
            "--load stretches submit times, and --closed-loop does without: give one"
        )
    try:
        following = sum(at >= 0 for at in predecessors(jobs))
    except ValueError as error:
        raise CommandError(f"{args.trace}: --closed-loop: {error}") from None
    if not following:
        raise CommandError(
            f"{args.trace}: --closed-loop: no job names a preceding one among those that take part "
            "(SWF fields 17 and 18); leave out --closed-loop"
        )
    return following


def _refuse_wide(path: Path, jobs: Sequence[TraceJob], processors: int) -> None:
    wide = [job for job in jobs if job.size > processors]
    if wide:
        largest = max(job.size for job in wide)
        raise CommandError(
            f"{path}: --strict: {len(wide):,} of {len(jobs):,} jobs are larger than the machine of "
            f"{processors:,} processors; the first is job {wide[0].number} with {wide[0].size:,}. "
            f"Without --strict they are dropped; --procs {largest} holds all"
        )


def told_trace(path: Path) -> Trace:
    """Return the trace as `read_trace` does, and write its oddities in a line to standard error."""
    trace = read_trace(path)
    if trace.oddities:
        sys.stderr.write(
            f"{path}: {'; '.join(trace.oddities)} (`rmsd trace info` shows all that is odd)\n"
        )
    return trace


def read_trace(path: Path) -> Trace:
    """Read an SWF file, gzipped or not. Headers may be in any encoding.

    Raises:
        CommandError: it cannot be read, or has no job; the message names file, line and reason.
    """
    try:
        with open_trace(path) as lines:
            trace = parse_swf(lines)
    except TraceError as error:
        raise CommandError(f"{path}, {error}") from None
    except (EOFError, zlib.error) as error:
        line = f", line {_readable_lines(path) + 1}" if path != STDIN else ""
        raise CommandError(
            f"cannot read {path}{line}: {reason_of(error)} (`rmsd trace convert --tolerant "
            "TRACE -o OUT.swf` saves what is before that)"
        ) from None
    except OSError as error:
        raise CommandError(f"cannot read {path}: {reason_of(error)}") from None
    if not trace.jobs:
        raise CommandError(f"{path}: there is no job in it")
    return trace


@contextlib.contextmanager
def simulating(trace: str) -> Iterator[None]:
    """Turn errors that prevent a schedule into a CommandError that names the trace."""
    try:
        yield
    except (TooLong, NothingStarts, NotReserved, PartError) as error:
        raise CommandError(f"{trace}: {error}") from None


def _readable_lines(path: Path) -> int:
    """Return how many lines can be read before the damage."""
    number = 0
    with contextlib.suppress(*UNREADABLE), open_trace(path) as lines:
        for _ in lines:
            number += 1
    return number
