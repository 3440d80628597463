"""Write the first jobs of a trace, in the order of the file."""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path

from rmsd_cli.errors import CommandUsageError
from rmsd_lab.traces.problems import Problems
from rmsd_lab_cli.trace.source import (
    TRACE_HELP,
    add_tolerance_arguments,
    kept_nothing,
    reading,
    report_problems,
    tolerance_of,
)
from rmsd_lab_cli.trace.writing import Body, add_output_argument, changed

EPILOG = """\
example:
  rmsd trace head -n 1000 KTH-SP2-1996-2.1-cln.swf.gz | rmsd simulate - --recipe easy
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", type=Path, help=TRACE_HELP)
    parser.add_argument(
        "-n",
        "--jobs",
        type=int,
        default=1000,
        metavar="K",
        help="the number of jobs (default: 1000)",
    )
    add_output_argument(parser)
    add_tolerance_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if args.jobs < 1:
        raise CommandUsageError(f"--jobs {args.jobs}: ask for at least one job")
    problems = Problems(tolerance_of(args))
    with Body() as body:
        with reading(args.trace, problems) as log:
            body.add(islice(log, args.jobs))
        if not body.jobs:
            raise kept_nothing(args.trace, 0, "")
        note = f"rmsd trace head --jobs {args.jobs}: the first {body.jobs:,} jobs"
        body.write(args.output, changed(log.header, body.jobs, problems, note), log.later)
    report_problems(args.trace, problems)
    return 0
