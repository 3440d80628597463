"""`salloc`: get a job, and run a command here that may use its nodes."""

from __future__ import annotations

import os

from rmsd_client.console.cli import tell
from rmsd_client.sessions.held_jobs import run_beside
from rmsd_client.slurm.command_lines.command_line import help_of
from rmsd_client.slurm.command_lines.ending import SlurmError, run
from rmsd_client.slurm.command_lines.job_options import SALLOC, VARIABLES
from rmsd_client.slurm.command_lines.site import VERSION
from rmsd_client.slurm.sessions.allocations import allocated, release, variables_of
from rmsd_client.slurm.submit.het_parts import beside_first, passed_down, read_components
from rmsd_client.slurm.submit.requests import beside_variables, from_variables
from rmsd_wire.slurm_names import without_het

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rmsd_client.slurm.submit.requests import Values

    Job = dict[str, Any]


def main() -> int:
    return run("salloc", salloc, "salloc: error: Job submit/allocate failed")


def salloc(argv: Sequence[str]) -> int:
    """Run a command with an allocation; returns its exit code."""
    components, words = read_components(SALLOC, argv)
    typed = components[0]
    if "help" in typed or "usage" in typed:
        print(help_of(SALLOC, "salloc [OPTIONS(0)...] [command(0) [args(0)...]]"))
        return 0
    if "version" in typed:
        print(f"slurm {VERSION}")
        return 0
    if "SLURM_JOB_ID" in os.environ and not words:
        tell("salloc: warning: this is inside of a job already")
    variables = from_variables("SALLOC_", VARIABLES, SALLOC)
    groups = passed_down(
        {**beside_variables("salloc", beside_first(variables, number), own), **own}
        for number, own in enumerate(components)
    )
    with allocated("salloc", groups, "interactive") as job:
        return _beside(job, groups[0], list(words) or [os.environ.get("SHELL") or "/bin/sh"])


def _beside(job: Job, values: Values, command: Sequence[str]) -> int:
    """Run a command beside the job, which ends with that; returns the command's exit code."""
    number = job["job_id"]
    if "quiet" not in values:
        tell(f"salloc: Granted job allocation {number}")
    if "no-shell" in values:
        return 0
    code = 1
    try:
        code = _run(command, {**without_het(os.environ), **variables_of(job, values)})
    finally:
        if "quiet" not in values:
            tell(f"salloc: Relinquishing job allocation {number}")
        release(job, code)
    return code


def _run(command: Sequence[str], environment: dict[str, str]) -> int:
    try:
        return run_beside(command, environment)
    except OSError as error:
        raise SlurmError(
            f"salloc: error: Unable to exec command {command[0]!r}: {error.strerror}"
        ) from None
