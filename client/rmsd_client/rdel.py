"""`rdel`: cancel jobs."""

from __future__ import annotations

import contextlib
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from rmsd_client import cli
from rmsd_client.api import MOST_AT_ONCE, Client
from rmsd_client.errors import EXIT_OK, ApiError, UsageError
from rmsd_client.job_fields import check_states
from rmsd_core.vocabulary import CODES, TERMINAL_STATES

_PROGRAM = "rdel"

_EXAMPLES = """\
  rdel 42 43          cancel two jobs
  rdel --me -t PD     cancel my jobs that wait
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
    args = _parser().parse_args(argv)
    selective = bool(args.user or args.me or args.states or args.name)
    if not (args.jobs or selective or args.all):
        raise UsageError("which jobs? Give numbers, or --user, --me, --states, --name or --all")
    if (args.all and (args.jobs or selective)) or (args.me and args.user):
        raise UsageError("--all stands alone, and --me and --user exclude each other")
    ids = cli.job_ids(args.jobs) if args.jobs else None
    states = None if args.states is None else _live_states(",".join(args.states))
    with cli.connect(args, _PROGRAM) as client:
        if ids is None or selective:
            ids = _select(client, args, states, ids)
        return _cancel(client, ids)


def _parser() -> ArgumentParser:
    parser = cli.make_parser(
        _PROGRAM,
        "rdel [options] [JOB...]",
        "Cancel jobs: one that waits is gone, one that runs gets SIGTERM and after a grace\n"
        "SIGKILL, with all its processes. Conditions together must all hold.",
        examples=_EXAMPLES,
        exit_codes=_EXIT_CODES,
    )
    add = parser.add_argument
    add("jobs", nargs="*", metavar="JOB", help="job numbers")
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
    client: Client, args: Namespace, states: str | None, ids: list[int] | None
) -> list[int]:
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
    return [job["job_id"] for job in live]


def _cancel(client: Client, ids: Sequence[int]) -> int:
    """Cancel the jobs all at once, so that none starts on what another one leaves. If one cannot be
    cancelled, cancel each by itself, to say why."""
    ids = list(dict.fromkeys(ids))
    cancelled: set[int] = set()
    if len(ids) > 1:
        for at in range(0, len(ids), MOST_AT_ONCE):
            with contextlib.suppress(ApiError):
                cancelled.update(client.cancel_all(ids[at : at + MOST_AT_ONCE]))
    code = EXIT_OK
    for job_id in [job_id for job_id in ids if job_id not in cancelled]:
        try:
            client.cancel(job_id)
        except ApiError as error:
            cli.complain(_PROGRAM, str(error))
            code = error.exit_code
    return code
