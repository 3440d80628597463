"""The steps of rrun: what they hold, what the daemon is told of them, and where their output
goes."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import NoReturn

from rmsd_client.console import cli
from rmsd_client.errors import ClientError, UsageError
from rmsd_client.steps.cpu_bind import CpuBind
from rmsd_client.steps.feeding import Feeder
from rmsd_client.steps.step import Step, end_of, new_step_id
from rmsd_client.steps.step_files import StepFiles
from rmsd_client.steps.step_limit import StepLimit
from rmsd_client.steps.step_places import places
from rmsd_client.steps.tasks import passed_on, rank_of, task_environment
from rmsd_client.submit.script import base_name
from rmsd_client.submit.utf8 import encodable
from rmsd_wire.durations import format_duration
from rmsd_wire.hostlist import compress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence
    from types import FrameType
    from typing import Any

    from rmsd_client.api import Client
    from rmsd_client.steps.step_layouts import StepRequest
    from rmsd_client.steps.task_ends import TaskEnd
    from rmsd_client.steps.tasks import Task

    Job = dict[str, Any]

_PROGRAM = "rrun"
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
_MOST_NAME, _MOST_NODELIST = 256, 4096
_MOST_TOLD_S = 1.0
"""The longest wait for a daemon that is away when it is told of a step's end."""


def run_step(
    connect: Callable[[], Client],
    job: Job,
    asked: StepRequest,
    own: list[Task] | None,
    args: Namespace,
) -> int:
    """Run the command of rrun's arguments as the tasks of a step: `own`, or those that are asked
    for. Returns their highest exit code.

    A step inside of a task of another one shares the processors of that task, which waits for it.
    """
    say = cli.notice(_PROGRAM)

    def waits() -> None:
        what = "processors" if asked.devices is None else "processors or devices"
        say(f"waiting for {what} that other steps of the job hold (--overlap shares them)")

    overlap = args.overlap or "RMS_STEP_ID" in os.environ
    with places(job, asked, own, overlap=overlap, waits=waits) as tasks:
        return _run_on(connect, job, asked, tasks, args)


def _run_on(
    connect: Callable[[], Client],
    job: Job,
    asked: StepRequest,
    tasks: list[Task],
    args: Namespace,
) -> int:
    programs = _programs(args.command, len(tasks), multi_prog=args.multi_prog)
    environ = encodable(passed_on(os.environ), lambda text: cli.warn(_PROGRAM, text))
    with connect() as client:
        number = client.begin_step(job["job_id"], _told(asked, tasks, args.command))
    step_id = new_step_id(number)
    step: Step | None = None
    limit: StepLimit | None = None
    ender = _Ender()
    code = UsageError.exit_code
    try:
        feeder = _feeder(connect, job, step_id, tasks, args.input or "all")
        files = StepFiles(
            args.output,
            args.output if args.error is None else args.error,
            args.open_mode == "append",
            args.label,
        )
        sink_of = files.sinks(job, str(number), _unusable)
        for task in tasks:  # open the files before any task runs
            sink_of(task, "stdout")
            sink_of(task, "stderr")
        step = Step(
            connect,
            job["job_id"],
            tasks,
            lambda task: programs[task.rank],
            args.chdir,
            lambda task: task_environment(task, len(tasks), step_id, environ),
            sink_of,
            step_id,
            attempt=int(os.environ.get("RMS_ATTEMPT", "0")),
            unbuffered=args.unbuffered,
            bind=args.cpu_bind or CpuBind(),
            reads=feeder.feeds,
            started=feeder.started,
            ended=ender.ended,
        )
        if args.kill_on_bad_exit:
            ender.step = step
        pass_signals(step)
        limit = StepLimit(args.time, connect, lambda: _say_limit(args.time), step.signal)
        limit.begin()
        code = step.run()
    finally:
        if limit is not None:
            limit.end()
        is_late = limit is not None and limit.passed
        _tell_end(connect, job, number, step, code, timed_out=is_late)
    return code


def _programs(words: Sequence[str], count: int, *, multi_prog: bool) -> list[list[str]]:
    """Return the program and arguments of each task. Raises UsageError: a file cannot be used."""
    if not multi_prog:
        return [list(words)] * count
    from rmsd_client.slurm.command_lines.ending import SlurmError  # few steps have such a file
    from rmsd_client.steps.step_command import command_of

    try:
        return command_of(words, multi_prog=True).of(count)
    except SlurmError as error:
        raise UsageError(error.lines[-1].removeprefix("srun: error: ")) from None


def _say_limit(limit_s: float) -> None:
    cli.notice(_PROGRAM)(
        f"the step has reached its limit of {format_duration(limit_s)}; it is ended"
    )


class _Ender:
    """Ends the tasks of a step, if it has one, as soon as one of them has failed."""

    def __init__(self) -> None:
        self.step: Step | None = None

    def ended(self, task: Task, end: TaskEnd) -> None:
        """End the other tasks if this one has failed, once."""
        if not end.code or self.step is None:
            return
        how = f"signal {end.signal}" if end.signal else f"exit code {end.exit_code}"
        cli.notice(_PROGRAM)(
            f"task {task.rank} on {task.node} ended with {how}; the others are ended"
        )
        self.step.signal(signal.SIGTERM)
        self.step = None


def _feeder(
    connect: Callable[[], Client], job: Job, step_id: str, tasks: Sequence[Task], chosen: str
) -> Feeder:
    if (rank := rank_of(chosen)) is not None and rank >= len(tasks):
        raise UsageError(f"--input={chosen}: the step has {cli.plural(len(tasks), 'task')}")
    try:
        return Feeder(connect, job["job_id"], step_id, tasks, chosen)
    except OSError as error:
        raise UsageError(f"--input={chosen}: {error.strerror}") from None


def _unusable(path: str, why: str) -> NoReturn:
    raise UsageError(f"the output file {path} cannot be opened: {why}")


def _told(asked: StepRequest, tasks: Sequence[Task], command: Sequence[str]) -> Job:
    """Return what the daemon is told of a step that begins."""
    return {
        "name": base_name(command[0])[:_MOST_NAME],
        "nodelist": compress(list(dict.fromkeys(task.node for task in tasks)))[:_MOST_NODELIST],
        "tasks": len(tasks),
        "cpus": sum(asked.cpus_of(tasks).values()),
    }


def _tell_end(
    connect: Callable[[], Client],
    job: Job,
    number: int,
    step: Step | None,
    code: int,
    *,
    timed_out: bool,
) -> None:
    """Tell the daemon how the step has ended, if it can be told just now."""
    told = end_of(step, code)
    if timed_out:
        told["timed_out"] = True
    with connect() as client, contextlib.suppress(ClientError):
        client.retry_for_s = _MOST_TOLD_S
        client.end_step(job["job_id"], number, told)


def pass_signals(step: Step) -> None:
    """Pass this process's signals to the tasks; a second SIGINT kills them."""
    interrupts = 0

    def receive(number: int, _frame: FrameType | None) -> None:
        nonlocal interrupts
        interrupts += number == signal.SIGINT
        step.signal(signal.SIGKILL if interrupts > 1 else number)

    for number in _SIGNALS:
        signal.signal(number, receive)
