"""The request of srun for its tasks' places, and its errors in Slurm's words."""

from __future__ import annotations

from rmsd_client.slurm.ending import SlurmError
from rmsd_client.step_layouts import NodesMissing, StepRequest, TooFewProcessors, WrongNodelist

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rmsd_client.errors import UsageError
    from rmsd_client.slurm.requests import Values

    Job = dict[str, Any]

MISPLACED = (TooFewProcessors, NodesMissing, WrongNodelist)
"""The errors of a step that has no place in its job."""


def request_of(values: Values) -> StepRequest:
    """Return what the options of srun ask for.

    Raises:
        SlurmError: a number cannot be read.
    """
    return StepRequest(
        tasks=_number(values, "ntasks"),
        nodes=_number(values, "nodes"),
        cpus_per_task=asked_cpus(values),
        tasks_per_node=_number(values, "ntasks-per-node"),
        nodelist=values.get("nodelist", ""),
        exclude=values.get("exclude", ""),
        first_node=_number(values, "relative", least=0) or 0,
    )


def asked_cpus(values: Values) -> int | None:
    """Return how many processors srun is asked to give to each task; None: it is not asked."""
    return _number(values, "cpus-per-task")


def misplaced(job: Job, error: UsageError) -> SlurmError:
    """Return one of the errors `MISPLACED` in Slurm's words."""
    if isinstance(error, WrongNodelist):
        return SlurmError(f"srun: error: Invalid node name specified: {error}")
    why = "More processors requested than permitted"
    if isinstance(error, NodesMissing):
        why = "Requested node configuration is not available"
        if error.foreign:
            why += f" ({error.foreign} is not of the job)"
    return SlurmError(f"srun: error: Unable to create step for job {job['job_id']}: {why}")


def _number(values: Values, name: str, least: int = 1) -> int | None:
    text = values.get(name)
    if text is None:
        return None
    digits = text.partition("-")[0]
    if not (digits.isascii() and digits.isdigit() and len(digits) < 8 and int(digits) >= least):
        raise SlurmError(f"srun: error: Invalid --{name} specification", code=255)
    return int(digits)
