"""The jobs that hold nodes for salloc, and for srun outside of a job, in Slurm's words."""

from __future__ import annotations

import contextlib
import os
import signal

from rmsd_client.api import Client
from rmsd_client.console.cli import tell
from rmsd_client.errors import ApiError
from rmsd_client.sessions import held_jobs
from rmsd_client.sessions.guardian import guarded
from rmsd_client.sessions.held_jobs import HOLDER, await_start
from rmsd_client.slurm.command_lines.ending import SlurmError, code_of_variable
from rmsd_client.slurm.command_lines.site import CLUSTER
from rmsd_client.slurm.submit.distributions import distribution_variables
from rmsd_client.slurm.submit.het_parts import joined_spec
from rmsd_client.slurm.submit.requests import Source, gpu_variables
from rmsd_client.slurm.submit.submit_answers import refused
from rmsd_client.slurm.words.jobs import is_over, partition, qos
from rmsd_client.slurm.words.part_views import parts_of
from rmsd_client.steps.step_layouts import StepRequest, tasks_of
from rmsd_wire.slurm_names import het_variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, NoReturn

    from rmsd_client.slurm.submit.requests import Values

    Job = dict[str, Any]


@contextlib.contextmanager
def allocated(program: str, groups: Sequence[Values], name: str) -> Iterator[Job]:
    """Submit a job that holds nodes, and yield it once it has them. It is cancelled if this process
    is killed amid the block. `groups`: the options of each of its components; `name`: that of a
    component which names none.

    Raises:
        SlurmError: it is refused, or over before it begins.
    """
    failed = f"{program}: error: Unable to allocate resources"
    values = groups[0]
    quiet = [{**one, "output": "/dev/null"} for one in groups]
    spec = joined_spec(program, quiet, Source(HOLDER, name, []), "")
    spec.pop("stderr", None)
    for one in (signal.SIGTERM, signal.SIGHUP):  # until a command or a step gets them
        signal.signal(one, _interrupt)

    def say(text: str) -> None:
        tell(f"{program}: {text}")

    with Client(notice=say) as client:
        try:
            [submitted] = client.submit([spec])
        except ApiError as error:
            raise refused(error, program, failed, values) from None
    number = int(submitted["job_id"])
    with guarded(Client, number):
        with Client(notice=say) as client:
            try:
                job = _granted(client, program, number, values)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    say(f"Job allocation {number} has been revoked.")
                held_jobs.give_up(client, number, say)
                raise
        yield job


def _interrupt(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _granted(client: Client, program: str, number: int, values: Values) -> Job:
    """Wait until the job runs."""
    say = _silent if "quiet" in values else tell
    waited = False

    def waits(_job: Job) -> None:
        nonlocal waited
        waited = True
        if "immediate" in values:
            busy = f"{program}: error: Unable to allocate resources: Requested nodes are busy"
            raise SlurmError(busy, code=code_of_variable("SLURM_EXIT_IMMEDIATE", 1))
        if program == "salloc":
            say(f"salloc: Pending job allocation {number}")
        say(f"{program}: job {number} queued and waiting for resources")

    job = await_start(client, number, waits)
    if is_over(job):
        raise SlurmError(f"{program}: error: Job allocation {number} has been revoked.")
    if waited:
        say(f"{program}: job {number} has been allocated resources")
    return job


def _silent(*_lines: str) -> None:
    """Say nothing."""


def release(job: Job, code: int) -> None:
    """Let the job end with an exit code; those above 30 become 1."""
    with Client() as client:
        held_jobs.release(client, job, code)


def variables_of(job: Job, values: Values) -> dict[str, str]:
    """Return the variables of a command that salloc runs."""
    number, parts = str(job["job_id"]), parts_of(job)
    count = str(sum(part["tasks"] for part in parts))
    variables = {
        "SLURM_JOB_ID": number,
        "SLURM_JOBID": number,
        "SLURM_NTASKS": count,
        "SLURM_NPROCS": count,
        "SLURM_CLUSTER_NAME": CLUSTER,
        "SLURM_SUBMIT_DIR": os.getcwd(),
        "SLURM_SUBMIT_HOST": os.uname().nodename,
    }
    if len(parts) > 1:
        shared = {"SLURM_JOB_ID": number, "SLURM_JOBID": number, "SLURM_JOB_QOS": qos(job)}
        asked = "cpus-per-task" in values or any(one["cpus_per_task"] for one in job["parts"])
        components = [{**shared, **_of_part(part), **_tasks_of(part, asked)} for part in parts]
        return variables | het_variables(components)
    variables |= _of_part(job)
    for option, variable in (
        ("cpus-per-task", "SLURM_CPUS_PER_TASK"),
        ("ntasks-per-node", "SLURM_NTASKS_PER_NODE"),
    ):
        if option in values:
            variables[variable] = values[option]
    if "distribution" in values:
        variables |= distribution_variables("salloc", values)
    return variables | gpu_variables(values)


def _tasks_of(job: Job, asked: bool) -> dict[str, str]:
    """Return the variables for the tasks of a component. `asked`: also for their processors."""
    cpus = {"SLURM_CPUS_PER_TASK": str(job["cpus_per_task"])} if asked else {}
    return {"SLURM_NTASKS": str(job["tasks"]), "SLURM_NPROCS": str(job["tasks"]), **cpus}


def _of_part(job: Job) -> dict[str, str]:
    """Return the variables that tell of a job, or of a component of one."""
    counts = [0] * len(job["node_cpus"])
    for task in tasks_of(job, StepRequest()):
        counts[task.node_index] += 1
    nodes = str(len(counts))
    variables = {
        "SLURM_JOB_NAME": str(job["name"]),
        "SLURM_JOB_NODELIST": str(job["nodelist"]),
        "SLURM_NODELIST": str(job["nodelist"]),
        "SLURM_JOB_NUM_NODES": nodes,
        "SLURM_NNODES": nodes,
        "SLURM_TASKS_PER_NODE": ",".join(map(str, counts)),
        "SLURM_JOB_CPUS_PER_NODE": ",".join(map(str, job["node_cpus"])),
        "SLURM_JOB_PARTITION": partition(job),
    }
    if per_cpu_mib := job.get("mem_per_cpu_mib"):
        variables["SLURM_MEM_PER_CPU"] = str(per_cpu_mib)
    elif job["mem_mib"]:
        variables["SLURM_MEM_PER_NODE"] = str(job["mem_mib"])
    return variables
