"""`rdel`: cancel jobs."""

from __future__ import annotations

import contextlib
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from rmsd_client.api import MOST_AT_ONCE, Client
from rmsd_client.console import cli
from rmsd_client.errors import EXIT_FAILURE, EXIT_OK, ApiError, UsageError
from rmsd_client.show.job_fields import Job, check_states
from rmsd_core.vocabulary import CODES, TERMINAL_STATES

_PROGRAM = "rdel"

_EXAMPLES = """\
  rdel 42 43          cancel two jobs
  rdel --me -t PD     cancel my jobs that wait
  rdel 44_[3-5,7]     cancel tasks of an array; 'rdel 44' cancels all of it
  rdel -n nightly     cancel the jobs of this name"""

_EXIT_CODES = """\
  0    done
  1    a job is not there, or was over already; the others are cancelled all the same
  2    wrong usage
  75   the daemon cannot be reached
  77   not permitted"""


def main() -> int:
    return cli.run(_PROGRAM, rdel)


def rdel(argv: Sequence[str]) -> int:
    """Cancel jobs; returns the exit code."""
    args = command_parser().parse_args(argv)
    selective = bool(args.user or args.me or args.states or args.name)
    if not (args.jobs or selective or args.all):
        raise UsageError("which jobs? Give numbers, or --user, --me, --states, --name or --all")
    if (args.all and (args.jobs or selective)) or (args.me and args.user):
        raise UsageError("--all stands alone, and --me and --user exclude each other")
    names = cli.job_names(args.jobs) if args.jobs else None
    states = None if args.states is None else _live_states(",".join(args.states))
    with cli.connect(args, _PROGRAM) as client:
        if names is None or selective:
            return _cancel_selected(client, _select(client, args, states, names), states)
        return _cancel(client, names)


def command_parser() -> ArgumentParser:
    """Return the parser of the command line."""
    parser = cli.make_parser(
        _PROGRAM,
        "rdel [options] [JOB...]",
        "Cancel jobs: one that waits is gone, one that runs gets SIGTERM and after a grace\n"
        "SIGKILL, with all its processes. Conditions together must all hold.",
        examples=_EXAMPLES,
        exit_codes=_EXIT_CODES,
    )
    add = parser.add_argument
    add(
        "jobs",
        nargs="*",
        metavar="JOB",
        help="job numbers; ARRAY_INDEX and ARRAY_[LIST] are tasks of an array",
    )
    add("-u", "--user", metavar="USERS", action="append",
        help="these users' jobs; USERS, like STATES and NAMES, may be several with commas\n"
        "between them")  # fmt: skip
    add("--me", action="store_true", help="my jobs")
    add("-t", "--states", metavar="STATES", action="append",
        help="jobs in these states: codes or names, or all")  # fmt: skip
    add("-n", "--name", metavar="NAMES", action="append", help="jobs of these names")
    add("--all", action="store_true", help="all jobs that wait or run")
    return parser


def _live_states(text: str) -> str | None:
    """Return those states of `-t` in which a job can be cancelled; None: all of them.

    Raises:
        UsageError: one of them is no state, or jobs in all of them are over.
    """
    chosen = check_states(text)
    if chosen == "all":
        return None
    over = {CODES[state] for state in TERMINAL_STATES}
    live = [code for code in chosen.split(",") if code not in over]
    if not live:
        raise UsageError(f"--states={text}: jobs that are over cannot be cancelled")
    return ",".join(live)


def _select(
    client: Client, args: Namespace, states: str | None, ids: list[str] | None
) -> list[Job]:
    jobs = client.jobs(
        states=states,
        user=client.user() if args.me else cli.joined(args.user),
        name=cli.joined(args.name),
        ids=ids,
    )
    live = [job for job in jobs if job["state"] not in TERMINAL_STATES]
    # Waiting jobs come first, in case each is cancelled by itself: a waiting job could start on
    # what a running one leaves.
    live.sort(key=lambda job: (job["state"] != "PENDING", -job["job_id"]))
    return live


def _cancel_selected(client: Client, jobs: Sequence[Job], states: str | None) -> int:
    """Cancel selected jobs. If those that run are not among them, the rows of arrays stand for the
    tasks that wait, and nothing else of the arrays ends."""
    arrays = [job["job_id"] for job in jobs if job.get("array_task_str")] if states else []
    chosen = [str(job["job_id"]) for job in jobs if job["job_id"] not in arrays]
    if arrays:
        client.cancel_named(waiting=arrays)
    return _cancel(client, chosen)


def _cancel(client: Client, names: Sequence[str]) -> int:
    """Cancel the jobs all at once, so that none starts on what another one leaves. If one cannot be
    cancelled, cancel each by itself, to say why."""
    names = list(dict.fromkeys(names))
    cancelled: set[str] = set()
    ids = [int(name) for name in names if name.isdigit()]
    if len(ids) > 1:
        for at in range(0, len(ids), MOST_AT_ONCE):
            with contextlib.suppress(ApiError):
                cancelled.update(map(str, client.cancel_all(ids[at : at + MOST_AT_ONCE])))
    code = EXIT_OK
    for name in [name for name in names if name not in cancelled]:
        try:
            if "[" in name:
                if not client.cancel_named([name]):
                    cli.complain(_PROGRAM, f"all of {name} is already over, or is not there")
                    code = EXIT_FAILURE
            else:
                client.cancel(name)
        except ApiError as error:
            cli.complain(_PROGRAM, str(error))
            code = error.exit_code
    return code
