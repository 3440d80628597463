"""The steps of srun: their environment, where their output goes, what is told of their ends."""

from __future__ import annotations

import contextlib
import os
import signal
import termios

from rmsd_client.api import Client
from rmsd_client.console.cli import tell
from rmsd_client.errors import ClientError, UsageError
from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.steps.layouts import (
    MISPLACED,
    asked_cpus,
    cpu_bind_of,
    misplaced,
    request_of,
)
from rmsd_client.slurm.steps.step_components import Placed, nodes_of, placed_tasks
from rmsd_client.slurm.steps.step_limit import WaitForOthers, limit_s_of, step_limit, wait_s_of
from rmsd_client.slurm.submit.distributions import distribution_variables
from rmsd_client.slurm.submit.requests import chosen_names, gpu_variables, invalid
from rmsd_client.steps.feeding import Feeder
from rmsd_client.steps.rrun_step import pass_signals
from rmsd_client.steps.step import Step, end_of, new_step_id
from rmsd_client.steps.step_files import StepFiles
from rmsd_client.steps.step_places import places
from rmsd_client.steps.tasks import passed_on, task_environment
from rmsd_client.submit.directory import own_umask
from rmsd_client.submit.options import BY_NAME
from rmsd_client.submit.utf8 import encodable
from rmsd_wire.hostlist import compress, expand, short_counts
from rmsd_wire.slurm_names import HET_SIZE, without_het

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from rmsd_client.slurm.steps.step_components import StepComponent
    from rmsd_client.slurm.submit.requests import Values
    from rmsd_client.steps.step import SinkOf
    from rmsd_client.steps.step_command import StepCommand
    from rmsd_client.steps.task_ends import TaskEnd
    from rmsd_client.steps.tasks import Task

    Job = dict[str, Any]

_OF_A_TASK = ("SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_GTIDS", "SLURMD_NODENAME",
              "SLURM_TASK_PID", "SLURM_CPUS_ON_NODE")  # fmt: skip
_MOST_NAME, _MOST_NODELIST = 256, 4096


def run_step(components: Sequence[StepComponent]) -> int:
    """Run the tasks of a step in a job; returns their highest exit code."""
    components = [
        one._replace(values=_by_gpu(one.job, one.values))
        if any(name.endswith("-per-gpu") for name in one.values)
        else one
        for one in components
    ]
    job, values, command = components[0]
    if "pty" in values:
        return _run_in_terminal(job, values, command)
    with contextlib.ExitStack() as held:
        return _run_on(placed_tasks(components, held))


def _by_gpu(job: Job, values: Values) -> Values:
    from rmsd_client.slurm.submit.gpus import step_by_gpu  # few steps ask so

    try:
        return step_by_gpu(job, values)
    except (UsageError, ValueError) as error:
        raise SlurmError(f"srun: error: {error}", code=255) from None


def _run_in_terminal(job: Job, values: Values, command: StepCommand) -> int:
    """Run tasks of which the first has a terminal. They hold no processors: steps that are begun in
    the terminal do."""
    from rmsd_client.sessions.terminal_step import (  # few steps have one
        TerminalStep,
        run_in_terminal,
    )

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

    placed = [Placed(job, values, command, tasks)]

    def environment(step_id: str) -> dict[str, str]:
        return _environment(tasks, values, step_id, of_component(placed, placed[0]))

    def others(step_id: str, ended: Callable[[Task, TaskEnd], None]) -> Step:
        return Step(
            connect=_patient_client,
            job_id=job["job_id"],
            tasks=tasks[1:],
            command_of=lambda _task: command.of(1)[0],
            workdir=_workdir(values),
            environment_of=lambda task: _environment_of(
                task, len(tasks), step_id, environment(step_id)
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
        environment_of=environment,
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


def _run_on(components: Sequence[Placed]) -> int:
    job, values, command, _ = components[0]
    tasks = [task for one in components for task in one.tasks]
    of_rank = [one for one in components for _ in one.tasks]
    commands = [words for one in components for words in one.command.of(len(one.tasks))]
    limit_s, wait_s = limit_s_of(values), wait_s_of(values)
    number = _begin(components, tasks, command.name)
    step_id = new_step_id(number)
    feeder = _feeder(job, step_id, tasks, values.get("input", "all"))
    environs = {
        one.tasks[0].rank: _environment(tasks, one.values, step_id, of_component(components, one))
        for one in components
    }
    sinks = {one.tasks[0].rank: file_sinks(job, one.values, str(number)) for one in components}

    def first_of(task: Task) -> int:
        return of_rank[task.rank].tasks[0].rank

    def ended(task: Task, end: TaskEnd) -> None:
        own = of_rank[task.rank].values
        _tell_end(task, end, own)
        if end.code and _ends_together(own):
            step.signal(signal.SIGTERM)
        others.task_ended()

    step = Step(
        connect=_patient_client,
        job_id=job["job_id"],
        tasks=tasks,
        command_of=lambda task: commands[task.rank],
        workdir=_workdir(values),
        environment_of=lambda task: _environment_of(
            task, len(tasks), step_id, environs[first_of(task)]
        ),
        sink_of=lambda task, name: sinks[first_of(task)](task, name),
        step_id=step_id,
        program="srun",
        attempt=job["attempt"],
        bind=cpu_bind_of(values),
        umask=own_umask(),
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


def _begin(components: Sequence[Placed], tasks: Sequence[Task], name: str) -> int:
    """Tell the daemon of the step; returns its number in the job."""
    job, values, *_ = components[0]
    shares = [
        {
            "part": one.job.get("part", 0),
            "nodelist": compress(nodes_of(one.tasks))[:_MOST_NODELIST],
            "tasks": len(one.tasks),
            "cpus": len(one.tasks) * (asked_cpus(one.values) or one.job["cpus_per_task"]),
        }
        for one in components
    ]
    told: dict[str, Any] = {
        "name": values.get("job-name", name)[:_MOST_NAME],
        "nodelist": compress(nodes_of(tasks))[:_MOST_NODELIST],
        "tasks": len(tasks),
        "cpus": sum(share["cpus"] for share in shares),
    }
    if "part" in job:
        told["parts"] = shares
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


def of_component(components: Sequence[Placed], own: Placed) -> dict[str, str]:
    """Return the variables that tell the tasks of a component of the parts of the job that the step
    is on; none in a job that has no parts."""
    if "part" not in own.job:
        return {}
    jobs = [one.job for one in components]
    nodes = compress([node for job in jobs for node in expand(job["nodelist"])])
    cpus = short_counts([count for job in jobs for count in job["node_cpus"]])
    return {
        HET_SIZE: str(len(own.job["parts"])),
        "SLURM_JOB_NAME": str(own.job["name"]),
        "SLURM_JOB_NODELIST": nodes,
        "SLURM_NODELIST": nodes,
        "SLURM_JOB_NUM_NODES": str(sum(job["nodes"] for job in jobs)),
        "SLURM_JOB_CPUS_PER_NODE": cpus,
    }


def _environment(
    tasks: Sequence[Task], values: Values, step_id: str, of_parts: Mapping[str, str]
) -> dict[str, str]:
    """Return what tasks have in common: what --export says, and what Slurm says of a step.
    `of_parts`: the variables that the parts of the job set."""
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
    if not of_parts:
        own = without_het(own)
    nodes = nodes_of(tasks)
    counts = [sum(task.node == node for task in tasks) for node in nodes]
    number = step_id.partition("-")[0]
    step = {
        "SLURM_STEP_ID": number,
        "SLURM_STEPID": number,
        "SLURM_STEP_NODELIST": compress(nodes),
        "SLURM_STEP_NUM_NODES": str(len(nodes)),
        "SLURM_STEP_NUM_TASKS": str(len(tasks)),
        "SLURM_STEP_TASKS_PER_NODE": short_counts(counts),
        **distribution_variables("srun", values),
        "SLURM_LAUNCH_NODE_IPADDR": "127.0.0.1",
        "SLURM_SRUN_COMM_HOST": os.uname().nodename,
        "SLURM_UMASK": f"{own_umask():04o}",
    }
    if "cpus-per-task" in values:
        step["SLURM_CPUS_PER_TASK"] = values["cpus-per-task"]
    if "ntasks-per-node" in values:
        step["SLURM_NTASKS_PER_NODE"] = values["ntasks-per-node"]
    step |= gpu_variables(values)
    if of_parts:
        count = step["SLURM_STEP_NUM_TASKS"]
        step |= {**of_parts, "SLURM_NTASKS": count, "SLURM_NPROCS": count}
        step |= {
            "SLURM_NNODES": step["SLURM_STEP_NUM_NODES"],
            "SLURM_TASKS_PER_NODE": step["SLURM_STEP_TASKS_PER_NODE"],
        }
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
