"""`rrun`: inside a job, run a command once for each of its tasks, on all its nodes."""

from __future__ import annotations

import os
import signal
from argparse import REMAINDER, ArgumentParser
from collections.abc import Sequence
from types import FrameType

from rmsd_client import cli
from rmsd_client.api import Client
from rmsd_client.directory import absolute_dir
from rmsd_client.errors import UsageError
from rmsd_client.step import Step, new_step_id, standard_sinks
from rmsd_client.tasks import passed_on, read_layout, task_environment
from rmsd_client.utf8 import check_utf8, encodable

_PROGRAM = "rrun"
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)

_BEHIND_SRUN = 1_000_000_000
"""The first number of a step of rrun. srun counts its own steps from 0, and `scancel JOB.STEP` must
reach no other step."""
_EXAMPLES = """\
  rrun hostname                  one line from each task
  rrun -l ./solver input.dat     lines are marked with the task they come from
  rrun -n 1 ./prepare            on the first node only"""

_EXIT_CODES = """\
  the highest one of the tasks, where 128 + N is signal N; besides
  1    a task was lost
  2    wrong usage, or not inside a job
  75   the daemon cannot be reached
  77   not permitted
  127  the command was not found, or cannot be run"""

_DESCRIPTION = """\
Run a command once for each task of the job around it, on all its nodes, and pass their output on
line by line. A task finds its place in RMS_PROCID (its rank of RMS_NTASKS), RMS_NODEID and
RMS_LOCALID; the rest of its environment is that of rrun, its standard input is empty. Signals that
rrun gets (INT, TERM, HUP, USR1, USR2) are passed to the tasks; a second INT kills them. After INT
or TERM no further task is started. While the daemon is away, or its disk is full, the tasks run on,
and rrun waits for it."""


def main() -> int:
    return cli.run(_PROGRAM, rrun)


def rrun(argv: Sequence[str]) -> int:
    """Run the tasks; returns their highest exit code."""
    args = command_parser().parse_args(argv)
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not command:
        raise UsageError("which command?")
    workdir = absolute_dir(args.chdir)
    check_utf8(*(("command", word) for word in command), ("directory", workdir))
    layout = read_layout(os.environ)
    tasks = layout.tasks[: args.ntasks]
    if args.ntasks is not None and args.ntasks > len(tasks):
        raise UsageError(f"--ntasks={args.ntasks}: the job has {cli.plural(len(tasks), 'task')}")
    step_id = new_step_id(_BEHIND_SRUN + os.getpid())
    environ = encodable(passed_on(os.environ), lambda text: cli.warn(_PROGRAM, text))
    step = Step(
        connect=lambda: Client(
            args.server,
            args.token_file,
            args.ca_file,
            retry_for_s=float("inf"),  # the tasks run on without the daemon
        ),
        job_id=layout.job_id,
        tasks=tasks,
        command_of=lambda _task: command,
        workdir=workdir,
        environment_of=lambda task: task_environment(task, len(tasks), step_id, environ),
        sink_of=standard_sinks(args.label),
        step_id=step_id,
        attempt=int(os.environ.get("RMS_ATTEMPT", "0")),
    )
    pass_signals(step)
    return step.run()


def command_parser() -> ArgumentParser:
    """Return the parser of the command line."""
    parser = cli.make_parser(
        _PROGRAM,
        "rrun [options] COMMAND [ARGUMENT...]",
        _DESCRIPTION,
        examples=_EXAMPLES,
        exit_codes=_EXIT_CODES,
    )
    add = parser.add_argument
    add("command", nargs=REMAINDER, metavar="COMMAND", help="a program and its arguments")
    add("-n", "--ntasks", metavar="COUNT", type=cli.positive, help="only the first COUNT tasks")
    add("-l", "--label", action="store_true", help="begin each line with the task's rank")
    add("-D", "--chdir", metavar="DIR", default="", help="working directory of the tasks")
    return parser


def pass_signals(step: Step) -> None:
    """Pass this process's signals to the tasks; a second SIGINT kills them."""
    interrupts = 0

    def receive(number: int, _frame: FrameType | None) -> None:
        nonlocal interrupts
        interrupts += number == signal.SIGINT
        step.signal(signal.SIGKILL if interrupts > 1 else number)

    for number in _SIGNALS:
        signal.signal(number, receive)
