"""`rjob`: hold, release, requeue, suspend and change jobs."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from rmsd_client.console import cli
from rmsd_client.errors import EXIT_OK, ApiError, UsageError
from rmsd_client.submit.job_updates import UPDATED, longer_by_s, update_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rmsd_client.api import Client, JobName, Json

_PROGRAM = "rjob"

_EXAMPLES = """\
  rjob hold 42 43           two waiting jobs do not start
  rjob release 42           one of them takes its place in the queue
  rjob hold 45_[3-5]        three tasks of an array do not start; 'rjob hold 45' is all of it
  rjob requeue 44           a running job is ended, and runs again from its beginning
  rjob requeue --hold 44    it is ended, and runs again once 'rjob release 44' says so
  rjob suspend 44           its processes stand still, until 'rjob resume 44' (operators)
  rjob update 43 -t 2:00:00 -n 8
                            a waiting job asks for another limit and size
  rjob update 44 -t +30     a running job may run for half an hour more"""

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
    args = command_parser().parse_args(argv)
    ids = list(dict.fromkeys(cli.task_names(cli.job_names(args.jobs))))
    if args.hold and args.action != "requeue":
        raise UsageError(f"--hold goes with requeue, and not with {args.action}")
    asked = update_of(args.action, {name: getattr(args, name) for name in UPDATED})
    code = EXIT_OK
    changed = []
    with cli.connect(args, _PROGRAM) as client:
        for job_id in ids:
            try:
                changed.append(_change(client, job_id, args, asked))
            except ApiError as error:
                cli.complain(_PROGRAM, str(error))
                code = error.exit_code
    if args.json:
        print(json.dumps({"schema": "rmsd.jobs/1", "jobs": changed}))
    return code


def _change(client: Client, job_id: JobName, args: Namespace, asked: Json) -> Json:
    if args.action != "update":
        return client.change(job_id, args.action, hold=args.hold)
    if (more_s := longer_by_s(args.time)) is not None:
        time_limit_s = client.job(job_id)["time_limit_s"]
        asked = {**asked, "time_limit_s": None if time_limit_s is None else time_limit_s + more_s}
    return client.update(job_id, asked)


def command_parser() -> ArgumentParser:
    """Return the parser of the command line."""
    parser = cli.make_parser(
        _PROGRAM,
        "rjob [options] {hold | release | requeue | suspend | resume | update} JOB...",
        "Hold waiting jobs, so that they do not start, and running ones, so that they do not\n"
        "start again; release them, so that they take their places in the queue; or requeue\n"
        "running jobs: they are ended as rdel does it, keep their numbers, and run again.\n"
        "What an operator holds only an operator can release.\n"
        "Operators suspend running jobs, which keep what they have, and resume them.\n"
        "Or update jobs: what a waiting job asks for, or the limit of a running one, which only\n"
        "an operator can make longer. 'rstat JOB' shows what was changed.",
        examples=_EXAMPLES,
        exit_codes=_EXIT_CODES,
    )
    add = parser.add_argument
    actions = ("hold", "release", "requeue", "suspend", "resume", "update")
    add("action", choices=actions, help="what is done to the jobs")
    add(
        "jobs",
        nargs="+",
        metavar="JOB",
        help="job numbers; ARRAY_INDEX and ARRAY_[LIST] are tasks of an array",
    )
    add("--hold", action="store_true", help="hold the jobs that are requeued")
    add("--json", action="store_true", help="print the jobs as they are then, as JSON")
    group = parser.add_argument_group("what update changes")
    for name, (short, meta, meaning) in UPDATED.items():
        flags = [f"-{short}"] if short else []
        group.add_argument(*flags, f"--{name}", dest=name, metavar=meta, help=meaning)
    return parser
