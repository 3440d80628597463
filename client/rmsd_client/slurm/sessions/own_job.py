"""srun outside of a job: a job is made for its tasks, and ends with them."""

from __future__ import annotations

import os
import time

from rmsd_client.api import Client
from rmsd_client.console.cli import tell
from rmsd_client.errors import ApiError, ClientError
from rmsd_client.sessions.held_jobs import HOLDER
from rmsd_client.slurm.sessions.allocations import allocated, release, variables_of
from rmsd_client.slurm.steps.het_steps import run_components
from rmsd_client.slurm.submit.het_parts import joined_spec
from rmsd_client.slurm.submit.requests import Source
from rmsd_client.slurm.submit.submit_answers import refused, tell_start
from rmsd_client.slurm.words.times import stamp
from rmsd_wire.hostlist import expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rmsd_client.slurm.submit.requests import Values
    from rmsd_client.steps.step_command import StepCommand

_OF_STEPS = ("output", "error", "input", "open-mode", "label", "chdir", "export")
_OF_JOBS = ("chdir",)
_OF_THE_JOB_ALONE = ("nodelist", "exclude", "nodes", "time")


def tell_start_of_own_job(groups: Sequence[Values], commands: Sequence[StepCommand]) -> int:
    """Tell when and where the job of the tasks would start."""
    asked = [{**values, "output": "/dev/null"} for values in _asked(groups, commands)]
    spec = joined_spec("srun", asked, Source(HOLDER, commands[0].name, []), "")
    with Client() as client:
        try:
            return tell_start(client, spec, "srun")
        except ApiError as error:
            raise refused(error, "srun", "allocation failure", groups[0]) from None


def run_in_own_job(groups: Sequence[Values], commands: Sequence[StepCommand]) -> int:
    """Run tasks in a job of their own; returns their highest exit code. A job of several components
    runs one step on all of them."""
    with allocated("srun", _asked(groups, commands), commands[0].name) as job:
        os.environ.update(variables_of(job, groups[0]))
        code = 1
        try:
            steps = [
                {k: v for k, v in values.items() if k not in _OF_THE_JOB_ALONE} for values in groups
            ]
            code = run_components(job, steps, commands)
            if code:
                _tell_why_killed(job["job_id"])
        finally:
            release(job, code)
    return code


def _asked(groups: Sequence[Values], commands: Sequence[StepCommand]) -> list[Values]:
    """Return what the job of the tasks is asked for: for each component what is not of the step."""
    return [
        {
            "job-name": command.name,
            **{k: v for k, v in values.items() if k not in _OF_STEPS or k in _OF_JOBS},
        }
        for values, command in zip(groups, commands, strict=True)
    ]


def _tell_why_killed(job_id: int) -> None:
    """Say that the job was ended at its limit or for its memory, if that is why its tasks ended."""
    try:
        with Client() as client:
            job = client.job(job_id)
    except ClientError:
        return
    cause, node = job["cause"] or job["stop_cause"], expand(job["nodelist"])[0]
    if cause == "limit":
        tell(
            f"slurmstepd-{node}: error: *** JOB {job_id} ON {node} CANCELLED AT "
            f"{stamp(time.time_ns() // 1000)} DUE TO TIME LIMIT ***"
        )
    elif cause == "memory":
        tell(
            f"slurmstepd-{node}: error: Detected 1 oom_kill event in StepId={job_id}.0. Some of "
            "the step tasks have been OOM Killed."
        )
