"""`rattach`: come to the terminal of a running job, or see what a step of it prints."""

from __future__ import annotations

from argparse import ArgumentParser

from rmsd_client.console import cli
from rmsd_client.errors import ApiError, ClientError, UsageError
from rmsd_client.sessions.attaching import NOT_FOUND, attach, running_steps
from rmsd_client.sessions.session import DETACHED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_PROGRAM = "rattach"
_RUNS = ("RUNNING", "COMPLETING", "CONFIGURING")

_EXAMPLES = """\
  rattach 42       the terminal of job 42, after a connection was lost
  rattach 42.1     step 1 of job 42"""

_EXIT_CODES = """\
  that of the task, if it ends meanwhile, 128 + N if signal N ended it; besides
  0    you left with Enter ~ .
  1    there is no such job or step, or it does not run
  2    wrong usage
  75   the daemon cannot be reached
  77   not permitted"""

_DESCRIPTION = """\
Come to the terminal of a running job (rsub --interactive, rrun --pty), as its user. What you type
goes there, Ctrl-C too, and what it shows comes here; Enter ~ . leaves. Several may be there at a
time. A terminal with nobody at it is hung up after some minutes. Of a step without a terminal, the
output of the first task is shown, until its end or Ctrl-C."""


def main() -> int:
    return cli.run(_PROGRAM, rattach)


def rattach(argv: Sequence[str]) -> int:
    """Attach to a step; returns the exit code of its task."""
    args = command_parser().parse_args(argv)
    name, dot, digits = args.job.partition(".")
    if dot and not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise UsageError(f"'{args.job}' is no step; expected JOB or JOB.STEP, as 42.0")
    [job_name] = cli.task_names(cli.job_names([name]))[:1]
    with cli.connect(args, _PROGRAM) as client:
        job = client.job(job_name)
        if job["state"] == "PENDING":
            raise ClientError(f"job {job_name} waits ({job['reason']}); it has no terminal yet")
        if job["state"] not in _RUNS:
            raise ClientError(f"job {job_name} does not run: {job['state']}")
        steps = running_steps(client, job["job_id"])
        chosen = [one for one in steps if not dot or one["number"] == int(digits)]
        # A daemon that was started again does not know the steps of before; their nodes do.
        step = chosen[-1] if chosen else job | {"number": int(digits or 0)}
        try:
            code = attach(client, lambda: cli.connect(args, _PROGRAM), step, _PROGRAM)
        except ApiError as error:
            if error.status != NOT_FOUND:
                raise
            raise ClientError(_why_none(job, digits)) from None
    return 0 if code == DETACHED else int(code)


def _why_none(job: dict[str, Any], step: str) -> str:
    job_id = job["job_id"]
    if step:
        return f"step {job_id}.{step} does not run"
    return f"job {job_id} has no step that runs; 'rlog -f {job_id}' follows the script's output"


def command_parser() -> ArgumentParser:
    """Return the parser of the command line."""
    parser = cli.make_parser(
        _PROGRAM,
        "rattach [options] JOB[.STEP]",
        _DESCRIPTION,
        examples=_EXAMPLES,
        exit_codes=_EXIT_CODES,
    )
    parser.add_argument("job", metavar="JOB", help="a job number, or a job and a step as 42.0")
    return parser
