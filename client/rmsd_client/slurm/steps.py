"""The steps of srun: their environment, where their output goes, what is told of their ends."""

from __future__ import annotations

import contextlib
import os
import signal
import termios

from rmsd_client.api import Client
from rmsd_client.cli import tell
from rmsd_client.errors import ClientError, UsageError
from rmsd_client.feeding import Feeder
from rmsd_client.options import BY_NAME
from rmsd_client.rrun_step import pass_signals
from rmsd_client.slurm.ending import SlurmError
from rmsd_client.slurm.layouts import MISPLACED, asked_cpus, cpu_bind_of, misplaced, request_of
from rmsd_client.slurm.requests import chosen_names, gpu_variables, invalid
from rmsd_client.slurm.step_limit import WaitForOthers, limit_s_of, step_limit, wait_s_of
from rmsd_client.step import Step, end_of, new_step_id
from rmsd_client.step_files import StepFiles
from rmsd_client.step_places import places
from rmsd_client.tasks import passed_on, task_environment
from rmsd_client.utf8 import encodable
from rmsd_wire.hostlist import compress, short_counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from rmsd_client.slurm.requests import Values
    from rmsd_client.slurm.step_command import StepCommand
    from rmsd_client.step import SinkOf
    from rmsd_client.task_ends import TaskEnd
    from rmsd_client.tasks import Task

    Job = dict[str, Any]

_OF_A_TASK = ("SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_GTIDS", "SLURMD_NODENAME",
              "SLURM_TASK_PID", "SLURM_CPUS_ON_NODE")  # fmt: skip
_MOST_NAME, _MOST_NODELIST = 256, 4096


def run_step(job: Job, values: Values, command: StepCommand) -> int:
    """Run the tasks of a step in a job; returns their highest exit code."""
    if any(name.endswith("-per-gpu") for name in values):
        values = _by_gpu(job, values)
    if "pty" in values:
        return _run_in_terminal(job, values, command)
    asked = request_of(job, values)
    say = (lambda _line: None) if "quiet" in values else tell

    def waits() -> None:
        say(
            f"srun: Job {job['job_id']} step creation temporarily disabled, retrying "
            "(Requested nodes are busy)"
        )

    def goes_on() -> None:
        say(f"srun: Step created for job {job['job_id']}")

    overlap = "overlap" in values
    try:
        with places(job, asked, overlap=overlap, waits=waits, goes_on=goes_on) as tasks:
            return _run_on(job, values, command, tasks)
    except MISPLACED as error:
        raise misplaced(job, error) from None


def _by_gpu(job: Job, values: Values) -> Values:
    from rmsd_client.slurm.gpus import step_by_gpu  # few steps ask so

    try:
        return step_by_gpu(job, values)
    except (UsageError, ValueError) as error:
        raise SlurmError(f"srun: error: {error}", code=255) from None


def _run_in_terminal(job: Job, values: Values, command: StepCommand) -> int:
    """Run tasks of which the first has a terminal. They hold no processors: steps that are begun in
    the terminal do."""
    from rmsd_client.terminal_step import TerminalStep, run_in_terminal  # few steps have one

    for name in ("output", "error", "input"):
        if name in values:
            raise SlurmError("srun: error: --error/--input/--output are incompatible with --pty")
    for name in ("time", "multi-prog"):
        if name in values:
            raise SlurmError(f"srun: error: --pty and --{name} exclude each other")
    try:
        with places(job, request_of(job, values), overlap=True) as tasks:
            pass
    except MISPLACED as error:
        raise misplaced(job, error) from None

    def others(step_id: str, ended: Callable[[Task, TaskEnd], None]) -> Step:
        return Step(
            connect=_patient_client,
            job_id=job["job_id"],
            tasks=tasks[1:],
            command_of=lambda _task: command.of(1)[0],
            workdir=_workdir(values),
            environment_of=lambda task: _environment_of(
                task, len(tasks), step_id, _environment(tasks, values, step_id)
            ),
            sink_of=lambda _task, _name: (_Dropped(), b""),
            step_id=step_id,
            program="srun",
            attempt=job["attempt"],
            ended=ended,
        )

    step = TerminalStep(
        job_id=job["job_id"],
        attempt=job["attempt"],
        tasks=tasks,
        cpus=len(tasks) * (asked_cpus(values) or job["cpus_per_task"]),
        command=command.of(1)[0],
        workdir=_workdir(values),
        environment_of=lambda step_id: _environment(tasks, values, step_id),
        hangup_s=None,
        others=others,
        ended=lambda task, end: _tell_end(task, end, values),
        ends_together=_ends_together(values),
    )
    return run_in_terminal(step, Client, "srun", detached=False)


class _Dropped:
    """The place of the output of tasks that have no terminal, beside one that has."""

    def write(self, data: bytes, /) -> object:
        """Drop the data."""

    def flush(self) -> object:
        """Do nothing."""


def _tell_end(task: Task, end: TaskEnd, values: Values) -> None:
    if end.code and "quiet" not in values:
        text = f"srun: error: {task.node}: task {task.rank}: {how_ended(end)}"
        if _is_raw(2):
            os.write(2, f"{text}\r\n".encode())
        else:
            tell(text)


def _is_raw(fd: int) -> bool:
    """Return whether this is a terminal that is raw, since one of the tasks has it now."""
    try:
        return not termios.tcgetattr(fd)[1] & termios.OPOST
    except termios.error:
        return False


def _ends_together(values: Values) -> bool:
    return values.get("kill-on-bad-exit", "0") != "0"


def _run_on(job: Job, values: Values, command: StepCommand, tasks: list[Task]) -> int:
    commands, limit_s = command.of(len(tasks)), limit_s_of(values)
    wait_s = wait_s_of(values)
    number = _begin(job, tasks, values, command.name)
    step_id = new_step_id(number)
    feeder = _feeder(job, step_id, tasks, values.get("input", "all"))
    environ = _environment(tasks, values, step_id)

    def ended(task: Task, end: TaskEnd) -> None:
        _tell_end(task, end, values)
        if end.code and _ends_together(values):
            step.signal(signal.SIGTERM)
        others.task_ended()

    step = Step(
        connect=_patient_client,
        job_id=job["job_id"],
        tasks=tasks,
        command_of=lambda task: commands[task.rank],
        workdir=_workdir(values),
        environment_of=lambda task: _environment_of(task, len(tasks), step_id, environ),
        sink_of=file_sinks(job, values, str(number)),
        step_id=step_id,
        program="srun",
        attempt=job["attempt"],
        bind=cpu_bind_of(values),
        reads=feeder.feeds,
        started=feeder.started,
        ended=ended,
    )
    pass_signals(step)
    name = f"{job['job_id']}.{number}"
    limit = step_limit(limit_s, name, tasks[0].node, step.signal)
    others = WaitForOthers(wait_s, name, step.signal)
    limit.begin()
    code = 1
    try:
        code = step.run()
    finally:
        limit.end()
        others.end()
        _end(job, number, step, code, timed_out=limit.passed)
    return code


def _patient_client() -> Client:
    """Return a client that waits for the daemon: the tasks run on without it."""
    return Client(retry_for_s=float("inf"))


def _feeder(job: Job, step_id: str, tasks: Sequence[Task], chosen: str) -> Feeder:
    """Return the way of srun's input to the tasks that --input chooses."""
    try:
        return Feeder(_patient_client, job["job_id"], step_id, tasks, chosen)
    except OSError as error:
        raise SlurmError(
            f"srun: error: Could not open stdin file {chosen}: {error.strerror}"
        ) from None


def _begin(job: Job, tasks: Sequence[Task], values: Values, name: str) -> int:
    """Tell the daemon of the step; returns its number in the job."""
    nodes = list(dict.fromkeys(task.node for task in tasks))
    told = {
        "name": values.get("job-name", name)[:_MOST_NAME],
        "nodelist": compress(nodes)[:_MOST_NODELIST],
        "tasks": len(tasks),
        "cpus": len(tasks) * (asked_cpus(values) or job["cpus_per_task"]),
    }
    with _patient_client() as client:
        return client.begin_step(job["job_id"], told)


def _end(job: Job, number: int, step: Step, code: int, *, timed_out: bool) -> None:
    """Tell the daemon how the step has ended, if it can be told just now."""
    told = end_of(step, code)
    if timed_out:
        told["timed_out"] = True
    with Client(retry_for_s=1.0) as client, contextlib.suppress(ClientError):
        client.end_step(job["job_id"], number, told)


def how_ended(end: TaskEnd) -> str:
    """Return how a task ended, in Slurm's words."""
    otherwise = f"Exited with exit code {end.code}"
    if not end.signal:
        return otherwise
    try:
        return {9: "Killed", 15: "Terminated", 11: "Segmentation fault", 6: "Aborted"}.get(
            end.signal, signal.strsignal(end.signal) or otherwise
        )
    except (OverflowError, ValueError):  # no signal has such a number
        return otherwise


def _workdir(values: Values) -> str:
    try:
        return os.path.abspath(values.get("chdir", ""))
    except FileNotFoundError:
        raise SlurmError("srun: error: the current directory does not exist any more") from None


def _environment(tasks: Sequence[Task], values: Values, step_id: str) -> dict[str, str]:
    """Return what tasks have in common: what --export says, and what Slurm says of a step."""
    text = chosen_names(values.get("export", "ALL"))
    own = passed_on(os.environ)
    if text == "NONE":
        own = {k: v for k, v in own.items() if k.startswith("SLURM_") or k in ("PATH", "HOME")}
    elif text.upper() != "ALL":
        try:
            export: Any = BY_NAME["export"].parse(text)
        except ValueError as error:
            raise invalid("srun", "export", str(error)) from None
        slurm = {k: v for k, v in own.items() if k.startswith("SLURM_")}
        own = {**slurm, **export.environment(own)}
    own = {name: value for name, value in own.items() if name not in _OF_A_TASK}
    nodes = list(dict.fromkeys(task.node for task in tasks))
    counts = [sum(task.node == node for task in tasks) for node in nodes]
    number = step_id.partition("-")[0]
    step = {
        "SLURM_STEP_ID": number,
        "SLURM_STEPID": number,
        "SLURM_STEP_NODELIST": compress(nodes),
        "SLURM_STEP_NUM_NODES": str(len(nodes)),
        "SLURM_STEP_NUM_TASKS": str(len(tasks)),
        "SLURM_STEP_TASKS_PER_NODE": short_counts(counts),
        "SLURM_DISTRIBUTION": "block",
        "SLURM_LAUNCH_NODE_IPADDR": "127.0.0.1",
        "SLURM_SRUN_COMM_HOST": os.uname().nodename,
    }
    if "cpus-per-task" in values:
        step["SLURM_CPUS_PER_TASK"] = values["cpus-per-task"]
    if "ntasks-per-node" in values:
        step["SLURM_NTASKS_PER_NODE"] = values["ntasks-per-node"]
    step |= gpu_variables(values)
    return encodable({**own, **step}, lambda line: tell(f"srun: warning: {line}"))


def _environment_of(task: Task, count: int, step_id: str, environ: Job) -> dict[str, str]:
    """Return the environment of a task, with Slurm's names for the GPUs that the step has there."""
    found = task_environment(task, count, step_id, environ)
    if task.devices is not None:
        gpus = found["RMS_STEP_GPUS"]
        count_of = len(gpus.split(",")) if gpus else 0
        found |= {"SLURM_STEP_GPUS": gpus, "SLURM_GPUS_ON_NODE": str(count_of)}
    return found


def file_sinks(job: Job, values: Values, step: str) -> SinkOf:
    """Return where the streams of tasks go, as --output and --error say."""

    def failed(path: str, why: str) -> None:
        tell(f"srun: error: Could not open stdout file {path}: {why}")

    output = values.get("output")
    append = values.get("open-mode", "").lower().startswith("a")
    files = StepFiles(output, values.get("error", output), append, "label" in values)
    return files.sinks(job, step, failed)
