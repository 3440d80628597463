"""`rrun`: inside a job, run a command as tasks on its nodes."""

from __future__ import annotations

import os
from argparse import REMAINDER, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence

from rmsd_client.api import Client
from rmsd_client.console import cli
from rmsd_client.errors import UsageError
from rmsd_client.steps.cpu_bind import CpuBind, WrongBinding, parse_cpu_bind
from rmsd_client.steps.rrun_step import run_step
from rmsd_client.steps.step_devices import DeviceRequest, device_request
from rmsd_client.steps.step_layouts import StepRequest
from rmsd_client.steps.tasks import Layout, passed_on, read_layout
from rmsd_client.submit.directory import absolute_dir
from rmsd_client.submit.option_values import gpus, gres, hangup
from rmsd_client.submit.options import BY_NAME
from rmsd_client.submit.utf8 import check_utf8, encodable

_PROGRAM = "rrun"
_EXAMPLES = """\
  rrun hostname                  one line from each task
  rrun -l ./solver input.dat     lines are marked with the task they come from
  rrun -n 1 ./prepare            one task, on the first node
  rrun -N 2 ./check              one task on each of two nodes
  rrun -n 4 -c 2 ./a & rrun -n 4 -c 2 ./b & wait
                                 two steps side by side, on processors of their own
  rrun -o out.%t -i 0 ./server   a file for each task; task 0 reads the standard input
  rrun --multi-prog FILE         each task runs the program that FILE has for its rank
  rrun -t 10 ./solver            it is ended after ten minutes
  rrun -K ./solver               if a task fails, the others are ended
  rrun --pty bash                a shell in a terminal on the first node"""

_EXIT_CODES = """\
  the highest one of the tasks, where 128 + N is signal N; besides
  1    a task was lost
  2    wrong usage, not inside a job, or the job has too few processors or nodes
  75   the daemon cannot be reached
  77   not permitted
  127  the command was not found, or cannot be run"""

_DESCRIPTION = """\
Run a command as tasks of the job around it, by default once for each of the job's tasks, on all its
nodes, and pass their output on line by line. A task finds its place in RMS_PROCID (its rank of
RMS_NTASKS), RMS_NODEID and RMS_LOCALID; the rest of its environment is that of rrun. All tasks get
the standard input of rrun. The processors of a step are its own while it runs: another rrun of the
job waits until enough are free, unless it has --overlap. So it is with devices that --gres or
--gpus-per-task asks for. Signals that rrun gets (INT, TERM, HUP, USR1, USR2) are passed to the
tasks; a second INT kills them. After INT or TERM no further task is started. While the daemon is
away, or its disk is full, the tasks run on, and rrun waits for it."""

_NOT_IN_TERMINAL = (
    *("nodes", "ntasks_per_node", "cpus_per_task", "exclude", "input", "output", "error"),
    *("label", "unbuffered", "kill_on_bad_exit", "time", "multi_prog", "gres", "gpus_per_task"),
    "cpu_bind",
)
"""The options of tasks that a step of one task in a terminal does not have."""

_COUNTS = (
    (("-n", "--ntasks"), "how many tasks, spread evenly over the nodes"),
    (("-N", "--nodes"), "on how many nodes of the job; alone: one task on each"),
    (("--ntasks-per-node",), "how many tasks on each node"),
    (
        ("-c", "--cpus-per-task"),
        "processors that each task holds (default: as many as the job's tasks)",
    ),
)


def main() -> int:
    return cli.run(_PROGRAM, rrun)


def rrun(argv: Sequence[str]) -> int:
    """Run the tasks; returns their highest exit code."""
    args = command_parser().parse_args(argv)
    if args.command[:1] == ["--"]:
        del args.command[0]
    if not args.command:
        raise UsageError("which command?")
    if ":" in args.command:
        raise UsageError(
            "':' does not begin another command: what is behind it would not run; name the "
            "programs by rank in a file of --multi-prog, or run several rrun side by side"
        )
    args.chdir = absolute_dir(args.chdir)
    check_utf8(*(("command", word) for word in args.command), ("directory", args.chdir))
    layout = read_layout(os.environ)
    if args.pty:
        return _run_in_terminal(args, layout)
    if args.detached or args.hangup is not None:
        raise UsageError("--detached and --hangup are for a terminal: give --pty as well")

    def connect() -> Client:  # the tasks run on without the daemon
        return Client(args.server, args.token_file, args.ca_file, retry_for_s=float("inf"))

    with connect() as client:
        job = client.job(layout.job_id, inside=True)
    asked = _asked(args)
    asks_no_layout = asked._replace(devices=None, is_bound=False) == StepRequest()
    own = layout.tasks if asks_no_layout else None
    if args.cpus_per_task is None:
        asked = asked._replace(cpus_per_task=job["cpus_per_task"])
    return run_step(connect, job, asked, own, args)


def _asked(args: Namespace) -> StepRequest:
    return StepRequest(
        tasks=args.ntasks,
        nodes=args.nodes,
        cpus_per_task=args.cpus_per_task,
        tasks_per_node=args.ntasks_per_node,
        nodelist=args.nodelist,
        exclude=args.exclude,
        devices=_asked_devices(args),
        is_bound=args.cpu_bind is not None and args.cpu_bind.by_place,
    )


def _asked_devices(args: Namespace) -> DeviceRequest | None:
    if args.gres is None and args.gpus_per_task is None:
        return None
    return device_request(args.gres or "", args.gpus_per_task or "")


def _run_in_terminal(args: Namespace, layout: Layout) -> int:
    """Run one task in a terminal. It holds no processors: steps that are begun there do."""
    from rmsd_client.sessions.terminal_step import (  # few steps have one
        TerminalStep,
        run_in_terminal,
    )

    for name in _NOT_IN_TERMINAL:
        if getattr(args, name):
            raise UsageError(f"--pty: --{name.replace('_', '-')} cannot be given with it")
    if (args.ntasks or 1) > 1:
        raise UsageError("--pty: one task can have the terminal, not several (-n 1)")
    tasks = [one for one in layout.tasks if args.nodelist in ("", one.node)]
    if not tasks:
        raise UsageError(f"--nodelist: the job has no tasks on a node '{args.nodelist}'")
    environment = encodable(passed_on(os.environ), lambda text: cli.warn(_PROGRAM, text))
    step = TerminalStep(
        job_id=layout.job_id,
        attempt=int(os.environ.get("RMS_ATTEMPT", "0")),
        tasks=[tasks[0]._replace(rank=0)],
        cpus=int(os.environ.get("RMS_CPUS_PER_TASK", "1")),
        command=args.command,
        workdir=args.chdir,
        environment_of=lambda _step: environment,
        hangup_s=args.hangup,
    )
    return run_in_terminal(
        step,
        lambda: Client(args.server, args.token_file, args.ca_file),
        _PROGRAM,
        detached=args.detached,
    )


def command_parser() -> ArgumentParser:
    """Return the parser of the command line."""
    parser = cli.make_parser(
        _PROGRAM,
        "rrun [options] COMMAND [ARGUMENT...]",
        _DESCRIPTION,
        examples=_EXAMPLES,
        exit_codes=_EXIT_CODES,
    )
    parser.add_argument(
        "command", nargs=REMAINDER, metavar="COMMAND", help="a program and its arguments"
    )
    parser.add_argument(
        "--multi-prog",
        action="store_true",
        help="COMMAND is a file: its lines have ranks (0, 2-4, a list, or * for the rest) and the "
        "program that these tasks run; %%t is the rank, %%o the place among the ranks of the line",
    )
    _add_places(parser)
    _add_streams(parser)
    _add_terminal(parser)
    return parser


def _add_places(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("tasks and their places")
    add = group.add_argument
    for flags, meaning in _COUNTS:
        add(*flags, metavar="COUNT", type=cli.positive, help=meaning)
    add(
        "-w", "--nodelist", metavar="NODES", default="", help="on these nodes of the job, as e[1-3]"
    )
    add("-x", "--exclude", metavar="NODES", default="", help="not on these nodes of the job")
    beside = group.add_mutually_exclusive_group().add_argument
    beside(
        "--overlap",
        action="store_true",
        help="do not wait for processors: use those that other steps hold, too",
    )
    beside(
        "--exact",
        action="store_true",
        help="hold the processors that the tasks ask for, and no others (the default)",
    )
    add(
        "--cpu-bind",
        metavar="HOW",
        type=_cpu_bind,
        help="bind each task to processors of its own: 'threads' (as many as it asks for), 'cores' "
        "(all of the job's in their physical cores), 'rank' (one), map_cpu:LIST or mask_cpu:LIST "
        "(these, by rank on the node); 'none' is the default, 'verbose,' before it tells which",
    )
    add(
        "--gres",
        metavar="DEVICES",
        type=_devices,
        help="devices of the job that the step has for itself on each of its nodes, as gpu:1; "
        "'none': the tasks see none (default: all tasks see all devices of the job)",
    )
    add(
        "--gpus-per-task",
        metavar="[TYPE:]COUNT",
        type=_gpus,
        help="GPUs of the job that each task has for itself",
    )
    add("-D", "--chdir", metavar="DIR", default="", help="working directory of the tasks")


def _add_streams(parser: ArgumentParser) -> None:
    add = parser.add_argument_group("input, output and ends").add_argument
    add(
        "-i",
        "--input",
        metavar="WHAT",
        help="'all' tasks get the standard input (the default), or the task of this rank, or "
        "'none'; a file's name: all tasks get the file",
    )
    add(
        "-o",
        "--output",
        metavar="FILE",
        help="where output goes, for errors as well; %%t is the task's rank, %%N its node, %%j the "
        "job, %%s the step; 'none' drops it, a rank shows that task alone",
    )
    add("-e", "--error", metavar="FILE", help="where errors go, as for --output")
    add(
        "--open-mode",
        choices=("append", "truncate"),
        default="truncate",
        help="keep what is in these files, or not (the default)",
    )
    add("-l", "--label", action="store_true", help="begin each line with the task's rank")
    add(
        "-u",
        "--unbuffered",
        action="store_true",
        help="pass output on as it comes, not line by line",
    )
    add("-K", "--kill-on-bad-exit", action="store_true", help="end all tasks as soon as one fails")
    add(
        "-t",
        "--time",
        metavar="TIME",
        type=_limit_s,
        help="end all tasks after TIME (TERM, then KILL after the site's grace); as in rsub, 10 is "
        "10 minutes",
    )


def _add_terminal(parser: ArgumentParser) -> None:
    add = parser.add_argument_group("terminals").add_argument
    add(
        "--pty",
        action="store_true",
        help="run one task in a terminal, with you at it; Enter ~ . leaves. It holds no processors",
    )
    add(
        "--detached",
        action="store_true",
        help="with --pty: leave the terminal to whoever attaches to it (rattach)",
    )
    add(
        "--hangup",
        metavar="TIME",
        type=_hangup_s,
        help="with --pty: hang up when nobody was at the terminal for TIME (default: 5 minutes)",
    )


def _limit_s(text: str) -> float | None:
    try:
        found = BY_NAME["time"].parse(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
    return float(found) if isinstance(found, (int, float)) else None


def _hangup_s(text: str) -> float:
    try:
        return hangup(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def _cpu_bind(text: str) -> CpuBind:
    try:
        return parse_cpu_bind(text)
    except WrongBinding as error:
        raise ArgumentTypeError(str(error)) from None


def _devices(text: str) -> str:
    try:
        return gres(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def _gpus(text: str) -> str:
    try:
        return gpus(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
