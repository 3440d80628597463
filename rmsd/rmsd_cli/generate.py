"""Write a synthetic trace in the Standard Workload Format to standard output: users in sessions,
sizes that are powers of two, round estimates above the run times. The same arguments give the same
trace. For trying things out and for tests; for research take a recorded log.
"""

from __future__ import annotations

import argparse
import sys

from rmsd_cli.errors import UsageError
from rmsd_core.sample import sample_trace
from rmsd_core.swf import format_swf

EPILOG = """\
example:
  rmsd generate --jobs 400 --procs 64 --seed 7 > sample.swf
  rmsd simulate sample.swf --recipe easy++
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, default=400, metavar="N", help="jobs (default: 400)")
    parser.add_argument(
        "--procs", type=int, default=64, metavar="P", help="processors of the machine (default: 64)"
    )
    parser.add_argument(
        "--load", type=float, default=0.95, metavar="X", help="offered load (default: 0.95)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed (default: 1)")


def run(args: argparse.Namespace) -> int:
    try:
        jobs = sample_trace(args.jobs, args.procs, args.seed, args.load)
    except ValueError as error:
        raise UsageError(str(error)) from None
    header = {
        "Version": "2.2",
        "Computer": "none: a synthetic workload",
        "Note": f"rmsd generate --jobs {args.jobs} --procs {args.procs} --load {args.load} "
        f"--seed {args.seed}",
        "MaxJobs": str(len(jobs)),
        "MaxProcs": str(args.procs),
    }
    sys.stdout.writelines(format_swf(jobs, header))
    return 0
