"""`rjob`: hold, release and requeue jobs."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence

from rmsd_client import cli
from rmsd_client.errors import EXIT_OK, ApiError

_PROGRAM = "rjob"

_EXAMPLES = """\
  rjob hold 42 43     two waiting jobs do not start
  rjob release 42     one of them takes its place in the queue
  rjob hold 45_[3-5]  three tasks of an array do not start; 'rjob hold 45' is all of it
  rjob requeue 44     a running job is ended, and runs again from its beginning"""

_EXIT_CODES = """\
  0    done
  1    a job is not there, or not in a state in which this can be done; it is done to the others
  2    wrong usage
  75   the daemon cannot be reached
  77   not permitted"""


def main() -> int:
    return cli.run(_PROGRAM, rjob)


def rjob(argv: Sequence[str]) -> int:
    """Change jobs; returns the exit code."""
    args = _parser().parse_args(argv)
    ids = list(dict.fromkeys(cli.task_names(cli.job_names(args.jobs))))
    code = EXIT_OK
    changed = []
    with cli.connect(args, _PROGRAM) as client:
        for job_id in ids:
            try:
                changed.append(client.change(job_id, args.action))
            except ApiError as error:
                cli.complain(_PROGRAM, str(error))
                code = error.exit_code
    if args.json:
        print(json.dumps({"schema": "rmsd.jobs/1", "jobs": changed}))
    return code


def _parser() -> ArgumentParser:
    parser = cli.make_parser(
        _PROGRAM,
        "rjob [options] {hold | release | requeue} JOB...",
        "Hold waiting jobs, so that they do not start; release them, so that they take their\n"
        "places in the queue; or requeue running jobs: they are ended as rdel does it, keep\n"
        "their numbers, and run again. What an operator holds only an operator can release.",
        examples=_EXAMPLES,
        exit_codes=_EXIT_CODES,
    )
    add = parser.add_argument
    add("action", choices=("hold", "release", "requeue"), help="what is done to the jobs")
    add(
        "jobs",
        nargs="+",
        metavar="JOB",
        help="job numbers; ARRAY_INDEX and ARRAY_[LIST] are tasks of an array",
    )
    add("--json", action="store_true", help="print the jobs as they are then, as JSON")
    return parser
