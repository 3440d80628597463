"""`srun`: run tasks in a job; outside of one, get a job for them first."""

from __future__ import annotations

import os

from rmsd_client.api import Client
from rmsd_client.console.cli import tell
from rmsd_client.errors import ApiError
from rmsd_client.slurm.command_lines.command_line import help_of
from rmsd_client.slurm.command_lines.ending import (
    ALREADY_OVER,
    INVALID_JOB,
    PERMISSION_DENIED,
    SlurmError,
    run,
)
from rmsd_client.slurm.command_lines.job_options import (
    INNER_VARIABLES,
    SRUN,
    SRUN_JOB_VARIABLES,
    STEP_VARIABLES,
)
from rmsd_client.slurm.command_lines.site import VERSION
from rmsd_client.slurm.submit.het_parts import beside_first, passed_down, read_commands
from rmsd_client.slurm.submit.requests import beside_variables, from_variables
from rmsd_client.steps.step_command import command_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rmsd_client.slurm.submit.requests import Values
    from rmsd_client.steps.step_command import StepCommand

_FAILED = "srun: error: Unable to create step"


def main() -> int:
    return run("srun", srun, _FAILED)


def srun(argv: Sequence[str]) -> int:
    """Run the tasks; returns their highest exit code."""
    components = read_commands(SRUN, argv)
    typed = components[0][0]
    if "help" in typed or "usage" in typed:
        print(help_of(SRUN, "srun [OPTIONS(0)...] executable(0) [args(0)...]"))
        return 0
    if "version" in typed:
        print(f"slurm {VERSION}")
        return 0
    steps = from_variables("", STEP_VARIABLES, SRUN)
    own = passed_down([values for values, _ in components])
    groups = [{**steps, **values} for values in own]
    if any(_only_lists_mpi(values.get("mpi", "none")) for values in groups):
        return 0
    if not components[-1][1]:
        raise SlurmError("srun: fatal: No command given to execute.")
    commands = [
        command_of(words, multi_prog="multi-prog" in values)
        for values, (_, words) in zip(groups, components, strict=True)
    ]
    number = None if "test-only" in typed else _allocation(groups[0])
    if number is None:
        return _run_outside(own, groups, commands)
    with Client() as client:
        if os.environ.get("RMS_JOB_ID") == str(number):
            client.retry_for_s = float("inf")  # the job runs on without the daemon
        job = find_allocation(client, number)
    from rmsd_client.slurm.steps.het_steps import run_components

    inner = from_variables("", INNER_VARIABLES, SRUN)
    return run_components(job, [{**inner, **values} for values in groups], commands)


def _run_outside(
    typed: Sequence[Values], groups: Sequence[Values], commands: Sequence[StepCommand]
) -> int:
    """Run tasks in a job of their own, or tell when that job would start."""
    from rmsd_client.slurm.sessions.own_job import run_in_own_job, tell_start_of_own_job

    variables = from_variables("", SRUN_JOB_VARIABLES, SRUN)
    asked: list[Values] = []
    for number, (values, command) in enumerate(zip(groups, commands, strict=True)):
        known = beside_variables("srun", beside_first(variables, number), typed[number])
        asked.append({**known, **values})
        if command.tasks is not None:
            asked[-1].setdefault("ntasks", str(command.tasks))
    if "test-only" in typed[0]:
        return tell_start_of_own_job(asked, commands)
    return run_in_own_job(asked, commands)


def _only_lists_mpi(kind: str) -> bool:
    """Print the kinds of MPI if that is asked for.

    Raises:
        SlurmError: tasks would not find each other by this kind, and each would run alone.
    """
    if kind == "list":
        print("MPI plugin types are...\n\tnone")
        return True
    if kind.startswith(("pmi", "cray")):
        raise SlurmError(
            f"srun: error: Couldn't find the specified plugin name for mpi/{kind} looking at all "
            "files",
            f"srun: error: cannot find mpi plugin for mpi/{kind}",
            f"srun: error: MPI: Cannot create context for mpi/{kind}; mpirun starts MPI programs "
            "here, and without --mpi and SLURM_MPI_TYPE srun starts others",
        )
    return False


def _allocation(values: Values) -> int | None:
    """Return the number of the job around this process, or of --jobid; None: there is none."""
    named = values.get("jobid") or os.environ.get("SLURM_JOB_ID") or os.environ.get("SLURM_JOBID")
    text = named or os.environ.get("RMS_JOB_ID")
    if not text:
        return None
    number = text.partition(".")[0]
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        raise SlurmError(f"srun: error: Invalid --jobid specification ({text})", code=255)
    return int(number)


def find_allocation(client: Client, number: int) -> dict[str, Any]:
    """Return a job whose nodes tasks can run on.

    Raises:
        SlurmError: it is not there, waits, or is over.
    """
    try:
        job = client.job(number, inside=True)
    except ApiError as error:
        if error.status != 404:
            raise
        from rmsd_client.slurm.words.jobs import is_not_seen  # few steps have no job

        why = PERMISSION_DENIED if is_not_seen(client, str(number)) else INVALID_JOB
        raise SlurmError(
            f"srun: error: Unable to confirm allocation for job {number}: {why}",
            f"srun: Check SLURM_JOB_ID environment variable. Expired or invalid job {number}",
        ) from None
    if job["state"] in ("RUNNING", "CONFIGURING", "COMPLETING"):
        return job
    if job["state"] == "PENDING":
        tell(f"srun: error: Unable to create step for job {number}: Job is pending execution")
    raise SlurmError(
        f"srun: error: Unable to confirm allocation for job {number}: "
        + (ALREADY_OVER if job["state"] != "PENDING"
           else "Job is pending execution"),
        f"srun: Check SLURM_JOB_ID environment variable. Expired or invalid job {number}",
    )  # fmt: skip
