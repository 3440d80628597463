"""`ralloc`: get nodes, and run a command here whose rrun may use them."""

from __future__ import annotations

import os
import signal
import threading
from argparse import ArgumentParser
from collections.abc import Sequence

from rmsd_client.api import Client
from rmsd_client.console import cli
from rmsd_client.errors import EXIT_FAILURE, EXIT_NOT_STARTED, ClientError, UsageError
from rmsd_client.rsub import spec_from
from rmsd_client.sessions.guardian import guarded
from rmsd_client.sessions.held_jobs import HOLDER, await_start, give_up, release, run_beside
from rmsd_client.steps.step_layouts import StepRequest, tasks_of
from rmsd_client.submit.options import OPTIONS, parse_command_line
from rmsd_client.submit.script import base_name
from rmsd_wire.hostlist import short_counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping
    from typing import Any, NoReturn

    from rmsd_client.submit.options import Settings

    Job = dict[str, Any]

_PROGRAM = "ralloc"
_NOT_HERE = {
    "array": "an allocation is one job",
    "output": "the command writes to this terminal",
    "error": "the command writes to this terminal",
    "chdir": "change the directory before, or give it to rrun",
    "export": "the command has this environment, and tasks that of their rrun",
    "requeue": "a command that runs here cannot be started again",
    "no-requeue": "an allocation never runs again",
    "restartable": "a command that runs here cannot be started again",
    "no-restartable": "an allocation never runs again",
    "signal": "the command is told of the end by SIGHUP",
    "interactive": "the command has this terminal; 'rrun --pty' in it gives one on a node",
    "hangup": "the command has this terminal; 'rrun --pty --hangup' is for one on a node",
    "test-only": "'rsub --test-only' says when a job would start",
    "restart": "'rsub --restart' is for batch jobs",
    "wait": "ralloc always waits",
    "parsable": "the command finds the number in RMS_JOB_ID",
    "wrap": "write ralloc sh -c COMMAND",
    "json": "'rstat --json' shows the job",
}
"""The options of `rsub` that ralloc does not have, and what to say of them."""
_CONNECTION = ("server", "token-file", "ca-file")
_OF_RSUB_ALONE = ("array", "stderr", "warn_signal", "append")
"""The fields of a submit that are passed over if variables or a configuration set them."""

_EXAMPLES = """\
  ralloc -n 4 -t 1:00:00                a shell with four processors for an hour
  ralloc -N 2 rrun hostname             a command, then the nodes are released
  ralloc --gpus 1 -t 30 sh -c 'rrun ./train && rrun ./test'"""

_EXIT_CODES = """\
  that of the command, or 128 + the signal that ended it; besides
  1    the job ended before it began
  2    wrong usage
  65   the request can never fit on the nodes there are
  75   the daemon cannot be reached
  77   not permitted
  127  the command was not found, or cannot be run"""

_DESCRIPTION = """\
Submit a job that only holds what it asks for, wait until it runs, and then run a command here, on
this machine, by default your shell ($SHELL). The command has the variables of the job (RMS_JOB_ID,
RMS_NODELIST, ...): rrun in it starts tasks on the job's nodes, and rstat and rdel know the job. The
job ends with the command. If the job ends first, at its limit or by rdel, the command gets SIGHUP.
The options are those of rsub, also from RSUB_* variables and the table [rsub] of
~/.config/rmsd/config.toml."""


def main() -> int:
    return cli.run(_PROGRAM, ralloc)


def ralloc(argv: Sequence[str]) -> int:
    """Run a command with an allocation; returns its exit code."""
    settings, words = parse_command_line(argv, lambda text: cli.warn(_PROGRAM, text))
    if "help" in settings or "version" in settings:
        command_parser().parse_args(["--help" if "help" in settings else "--version"])
    for option in OPTIONS:
        if option.name in _NOT_HERE and option.dest in settings:
            raise UsageError(f"--{option.name}: {_NOT_HERE[option.name]}")
    command = words.rest or [os.environ.get("SHELL") or "/bin/sh"]
    spec = _spec(settings, base_name(command[0]))
    for one in (signal.SIGTERM, signal.SIGHUP):  # until the command gets them
        signal.signal(one, _interrupt)
    connection = [str(settings[of]) if of in settings else None for of in _CONNECTION]
    with Client(*connection, notice=cli.notice(_PROGRAM)) as client:
        number = int(client.submit([spec])[0]["job_id"])
        with guarded(lambda: Client(*connection), number):
            job = _granted(client, number, quiet="quiet" in settings)
            code = EXIT_FAILURE
            try:
                own = {**_own_variables(settings), **variables_of(job)}
                code = _Beside(connection, job).run(command, {**_outside(os.environ), **own})
            finally:
                release(client, job, code)
                if "quiet" not in settings:
                    cli.notice(_PROGRAM)(f"job {number} is released")
    return code


def _interrupt(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _spec(settings: Settings, name: str) -> Job:
    """Return the SubmitSpec of the job that holds the nodes."""
    spec = spec_from(name, HOLDER, settings)
    for field in _OF_RSUB_ALONE:
        spec.pop(field, None)
    return {**spec, "stdout": "/dev/null", "requeue": False, "restartable": False}


def _granted(client: Client, number: int, *, quiet: bool) -> Job:
    """Return the job once it runs. Raises ClientError if the job is over before it begins."""
    say = (lambda _text: None) if quiet else cli.notice(_PROGRAM)
    try:
        job = await_start(client, number, lambda _job: say(f"job {number} waits for its nodes"))
        if job["state"] != "RUNNING":
            raise ClientError(f"job {number} ended before it began: {job['state']}")
    except BaseException:
        give_up(client, number, cli.notice(_PROGRAM))
        raise
    say(f"job {number} has {cli.plural(len(job['node_cpus']), 'node')}: {job['nodelist']}")
    return job


class _Beside:
    """A command that runs beside its job, and is told when the job ends before the command."""

    def __init__(self, connection: Sequence[str | None], job: Job) -> None:
        self._connection = connection
        self._job_id = int(job["job_id"])
        self._over = False

    def run(self, command: Sequence[str], environment: dict[str, str]) -> int:
        """Run the command; returns its exit code."""
        try:
            return run_beside(command, environment, self._began)
        except OSError as error:
            cli.complain(_PROGRAM, f"{command[0]}: {error.strerror}")
            return EXIT_NOT_STARTED
        finally:
            self._over = True

    def _began(self, child: subprocess.Popen[bytes]) -> None:
        threading.Thread(target=self._watch, args=(child,), daemon=True).start()

    def _watch(self, child: subprocess.Popen[bytes]) -> None:
        from rmsd_client.show.job_text import how_it_ended

        with Client(*self._connection, retry_for_s=float("inf")) as client:
            try:
                job = client.wait(self._job_id)
            except ClientError:
                return
        if not self._over:
            cli.complain(_PROGRAM, f"job {self._job_id}: {how_it_ended(job)}")
            child.send_signal(signal.SIGHUP)
            child.send_signal(signal.SIGCONT)  # a stopped command hears it as well


def _outside(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the variables of a job around this process."""
    return {name: text for name, text in environ.items() if not name.startswith("RMS_")}


def _own_variables(settings: Settings) -> dict[str, str]:
    """Return the variables that lead the command's rrun to the daemon of ralloc's options."""
    names = dict(zip(_CONNECTION, ("RMSD_SERVER", "RMSD_TOKEN_FILE", "RMSD_CA_FILE"), strict=True))
    return {names[one]: str(settings[one]) for one in _CONNECTION if one in settings}


def variables_of(job: Job) -> dict[str, str]:
    """Return the variables of a job that its script has, for a command outside of it."""
    counts = [0] * len(job["node_cpus"])
    for task in tasks_of(job, StepRequest(cpus_per_task=job["cpus_per_task"])):
        counts[task.node_index] += 1
    return {
        "RMS_JOB_ID": str(job["job_id"]),
        "RMS_JOB_NAME": str(job["name"]),
        "RMS_JOB_PARTITION": str(job["partition"]),
        "RMS_JOB_USER": str(job["user"]),
        "RMS_NODELIST": str(job["nodelist"]),
        "RMS_NNODES": str(len(counts)),
        "RMS_NTASKS": str(job["tasks"]),
        "RMS_TASKS_PER_NODE": short_counts(counts),
        "RMS_CPUS_PER_TASK": str(job["cpus_per_task"]),
        "RMS_SUBMIT_DIR": os.getcwd(),
        "RMS_SUBMIT_HOST": os.uname().nodename,
        "RMS_ATTEMPT": str(job["attempt"]),
        "RMS_RESTART_COUNT": str(job["attempt"] - 1),
    }


def command_parser() -> ArgumentParser:
    """Return a parser that knows the options, for the help and what is made of it. `ralloc` reads
    its command line as rsub does."""
    parser = cli.make_parser(
        _PROGRAM,
        "ralloc [options] [COMMAND [ARGUMENT...]]",
        _DESCRIPTION,
        examples=_EXAMPLES,
        exit_codes=_EXIT_CODES,
    )
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="a program, or your shell")
    for option in OPTIONS:
        if option.name in (*_NOT_HERE, *_CONNECTION, "help", "version"):
            continue
        flags = ([f"-{option.short}"] if option.short else []) + [f"--{option.name}"]
        meaning = _QUIET if option.name == "quiet" else option.help.replace("%", "%%")
        if not option.meta:
            parser.add_argument(*flags, dest=option.dest, action="store_true", help=meaning)
        else:
            several = "?" if option.optional else None
            parser.add_argument(
                *flags, dest=option.dest, metavar=option.meta, nargs=several, help=meaning
            )
    return parser


_QUIET = "Do not tell of the job's start and end."
