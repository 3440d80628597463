"""Write a trace in another form, with all its jobs in their order. The input is a trace, or the
output of `sacct -P` (known by its first line). The name of -o, or --to, tells the form of the
output. All are compressed if the name ends with .gz:

  swf       the Standard Workload Format
  csv       the job set that evalys reads (JobSet.from_csv), Batsim's jobs.csv
  batsim    a workload of Batsim, JSON; jobs are delays (default for NAME.json)
  perfetto  a schedule for https://ui.perfetto.dev or chrome://tracing, JSON

csv and perfetto tell what happened, so jobs without wait time, run time or processors are left out,
and counted. The processors of a job are made up by first fit. --schedule takes times from what
`rmsd simulate --schedule` has written: the trace as that scheduler would have made it. batsim lacks
jobs that took no time.

For sacct:
  sacct -a -P -S 2024-01-01 -E 2024-02-01 --format=JobIDRaw,User,Group,Submit,Start,End,\\
    ElapsedRaw,TimelimitRaw,AllocCPUS,ReqCPUS,NNodes,ReqMem,TotalCPU,State,JobName,Partition,QOS
Steps and jobs that are not over are left out. Users, groups, job names, QOS (queues) and partitions
are numbered in order of appearance; the header says which is which.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_lab.traces.header import Header
from rmsd_lab.traces.problems import Problems
from rmsd_lab.workloads.swf import Trace
from rmsd_lab.workloads.swf_log import LogJob, nearest_s, trace_job
from rmsd_lab_cli.history.schedule import read_schedule
from rmsd_lab_cli.trace.forms import FORMS, form_of, usable, write_form
from rmsd_lab_cli.trace.local_time import local_time
from rmsd_lab_cli.trace.sacct import FORMAT, header_of, is_sacct, read_sacct, why_no_sacct
from rmsd_lab_cli.trace.source import (
    TRACE_HELP,
    add_procs_argument,
    add_tolerance_arguments,
    kept_nothing,
    lines_of,
    reading,
    report_problems,
    rereadable,
    shown,
    tolerance_of,
)
from rmsd_lab_cli.trace.writing import Body, add_output_argument, changed, with_problems, writing

_ASKED = re.sub("((?:[^,]*,){6})", r"\1\\\n", FORMAT)
EPILOG = f"""\
the fields of sacct:
  sacct -a -P --format={_ASKED}

examples:
  rmsd trace convert trace.swf -o trace.swf.gz
  rmsd trace convert SDSC-SP2-1998-4.2-cln.swf.gz -o jobs.csv
  sacct -a -P --format=... | rmsd trace convert - --timezone Europe/Berlin -o ours.swf.gz
  rmsd simulate t.swf --recipe easy++ --schedule s.csv
  rmsd trace convert t.swf --schedule s.csv -o jobs.csv
  rmsd trace convert t.swf --schedule s.csv --to perfetto -o schedule.json.gz
  rmsd trace convert t.swf -o workload.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "trace", metavar="TRACE", type=Path, help=f"{TRACE_HELP}; or sacct's output"
    )
    parser.add_argument(
        "--to",
        choices=FORMS,
        help="the form to write (default: by the name of -o, else swf)",
    )
    parser.add_argument(
        "--schedule",
        type=Path,
        metavar="S.csv",
        help="submit, wait and run times from this schedule of the trace (job_id,submit,start,end)",
    )
    add_procs_argument(parser, "processors of the machine (default: the header's)")
    group = parser.add_argument_group("for sacct's output")
    group.add_argument(
        "--timezone",
        metavar="ZONE",
        help="the time zone of sacct's times, as Europe/Berlin (default: UTC)",
    )
    group.add_argument(
        "--anonymous", action="store_true", help="leave out names of users, groups and jobs"
    )
    add_output_argument(parser)
    add_tolerance_arguments(parser)


def run(args: argparse.Namespace) -> int:
    form = args.to or form_of(args.output)
    problems = Problems(tolerance_of(args))
    with rereadable(args.trace) as path, _read(args, path, problems) as (header, jobs, later):
        if args.schedule is not None:
            header, jobs = _scheduled(args, header, jobs, problems)
        if form != "swf":
            _write_all(args, form, header, jobs)
        else:
            with Body() as body:
                body.add(jobs)
                if not body.jobs:
                    raise kept_nothing(args.trace, 0, "")
                body.write(args.output, _completed(args, header, problems), later)
    report_problems(args.trace, problems)
    return 0


def _completed(args: argparse.Namespace, header: Header, problems: Problems) -> Header:
    """Return the header of an SWF file, once all jobs have been read."""
    if args.procs is not None:
        header = header.with_value("MaxProcs", args.procs)
        header = header.with_notes(f"rmsd trace convert --procs {args.procs}")
    return with_problems(header, problems)


Log = tuple[Header, Iterator[LogJob], list[str]]
"""Header, jobs, and the comments between them (all there when the jobs are read)."""


@contextmanager
def _read(args: argparse.Namespace, path: Path, problems: Problems) -> Iterator[Log]:
    with lines_of(path, args.trace) as lines:
        first = next(lines, "")
    of_sacct = is_sacct(first)
    if not of_sacct and (why := why_no_sacct(first)):
        raise CommandError(f"{shown(args.trace)}: {why}")
    given = [
        name
        for name, value in (("--timezone", args.timezone), ("--anonymous", args.anonymous))
        if value
    ]
    if of_sacct:
        header, jobs = _from_sacct(args, path, problems)
        yield header, iter(jobs), []
    elif given:
        raise CommandUsageError(f"{given[0]} is for sacct's output, and {shown(args.trace)} is not")
    else:
        with reading(path, problems, args.trace) as log:
            yield log.header, iter(log), log.later


def _from_sacct(
    args: argparse.Namespace, path: Path, problems: Problems
) -> tuple[Header, list[LogJob]]:
    zone: tzinfo = UTC
    if args.timezone is not None:
        try:
            zone = ZoneInfo(args.timezone)
        except (KeyError, ValueError, OSError):
            raise CommandUsageError(
                f"--timezone {args.timezone}: no such zone is known here"
            ) from None
    with lines_of(path, args.trace) as lines:
        found = read_sacct(lines, zone, problems)
    if not found.jobs:
        left_out = ", ".join(f"{count:,} {reason}" for reason, count in found.left_out.items())
        raise CommandError(f"{shown(args.trace)}: no job that is over (left out: {left_out})")
    header = header_of(
        found,
        args.procs,
        args.timezone or "UTC",
        anonymous=args.anonymous,
        began=local_time(found.start_s, zone),
    )
    return changed(header, len(found.jobs), Problems()), found.jobs


def _scheduled(
    args: argparse.Namespace, header: Header, jobs: Iterator[LogJob], problems: Problems
) -> tuple[Header, Iterator[LogJob]]:
    """Return the jobs of the schedule, with its times, in arrival order, and their header."""
    logged = list(jobs)
    if problems.counts["number twice"]:
        raise CommandError(
            f"--schedule: {shown(args.trace)} has a job number twice, so it is not clear whose "
            "times are whose; `rmsd trace clean` numbers anew, then simulate that"
        )
    by_number = {job.number: job for job in logged}
    schedule = read_schedule(args.schedule, Trace(jobs=[trace_job(job) for job in logged]))
    run = []
    for times in schedule:
        submit_s, start_s = nearest_s(times.submit_us), nearest_s(times.start_us)
        run.append(
            by_number[times.job_id]._replace(
                submit_s=submit_s,
                wait_s=start_s - submit_s,
                run_s=nearest_s(times.end_us) - start_s,
            )
        )
    note = f"rmsd trace convert --schedule {args.schedule.name}"
    absent = len(logged) - len(run)
    if absent:
        left_out = f"left out: {absent:,} of {len(logged):,} jobs, which are not in it"
        sys.stderr.write(f"{args.schedule}: {left_out}\n")
        note += f": {left_out}"
    return changed(header, len(run), Problems(), note), iter(run)


def _write_all(args: argparse.Namespace, form: str, header: Header, jobs: Iterator[LogJob]) -> None:
    """Write a form other than SWF, which needs all jobs at once."""
    read = list(jobs)
    if not read:
        raise kept_nothing(args.trace, 0, "")
    kept, lacking = usable(read, form)
    if not kept:
        raise CommandError(
            f"{shown(args.trace)}: no job can be written, all are without {lacking}; if it is not "
            "known when they started, simulate the trace with --schedule S.csv, and give that as "
            "--schedule here"
        )
    processors = args.procs or header.processors or max(job.allocated for job in kept)
    name = args.trace.name.removesuffix(".gz").removesuffix(".swf")
    with writing(args.output) as out:
        write_form(out, form, kept, processors, name)
    if len(kept) < len(read):
        sys.stderr.write(
            f"{shown(args.trace)}: {len(read) - len(kept):,} of {len(read):,} jobs without "
            f"{lacking} left out\n"
        )
