"""Write a trace with every arrival moved a little, at random: input shaking. The differences
between runs with different seeds show the effect of chance on results (thesis 6.4). Everything but
the submit times stays as it is. Jobs are in arrival order again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rmsd_cli.errors import CommandUsageError
from rmsd_lab.traces.problems import Problems
from rmsd_lab.traces.selection import in_arrival_order
from rmsd_lab.workloads.workload import shaking
from rmsd_lab_cli.trace.source import (
    TRACE_HELP,
    add_tolerance_arguments,
    kept_nothing,
    reading,
    report_problems,
    tolerance_of,
)
from rmsd_lab_cli.trace.times import seconds
from rmsd_lab_cli.trace.writing import Body, add_output_argument, changed

EPILOG = """\
example:
  for s in 1 2 3 4 5; do
    rmsd trace shake --seed $s trace.swf | rmsd simulate - --recipe easy++
  done
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", type=Path, help=TRACE_HELP)
    parser.add_argument(
        "--most",
        type=seconds,
        default=30,
        metavar="T",
        help="the most an arrival is moved, to either side (default: 30 s)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed (default: 1)")
    add_output_argument(parser)
    add_tolerance_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if args.seed < 0:
        raise CommandUsageError(f"--seed {args.seed}: a seed is at least 0")
    problems = Problems(tolerance_of(args))
    with Body() as body:
        with reading(args.trace, problems) as log:
            body.add(shaking(in_arrival_order(log), args.seed, args.most))
        if not body.jobs:
            raise kept_nothing(args.trace, 0, "")
        note = f"rmsd trace shake --most {args.most} --seed {args.seed}"
        body.write(args.output, changed(log.header, body.jobs, problems, note), log.later)
    report_problems(args.trace, problems)
    return 0
