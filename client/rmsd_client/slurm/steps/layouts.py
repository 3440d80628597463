"""The request of srun for its tasks' places, and its errors in Slurm's words."""

from __future__ import annotations

from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.submit.distributions import distribution_of
from rmsd_client.steps.cpu_bind import CpuBind, WrongBinding, parse_cpu_bind
from rmsd_client.steps.step_devices import DeviceRequest, TooFewDevices, device_request
from rmsd_client.steps.step_layouts import (
    NodesMissing,
    StepRequest,
    TooFewProcessors,
    WrongNodelist,
)
from rmsd_client.submit.option_values import gpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rmsd_client.errors import UsageError
    from rmsd_client.slurm.submit.requests import Values

    Job = dict[str, Any]

_BY_TASK_AND_IN_ALL = ("gpus-per-task", "gpus")
MISPLACED = (TooFewProcessors, NodesMissing, WrongNodelist, TooFewDevices)
"""The errors of a step that has no place in its job."""


def request_of(job: Job, values: Values) -> StepRequest:
    """Return what the options of srun ask for, in this job.

    Raises:
        SlurmError: a number cannot be read.
    """
    return StepRequest(
        tasks=_number(values, "ntasks"),
        nodes=_nodes(job, values),
        cpus_per_task=asked_cpus(values),
        tasks_per_node=_number(values, "ntasks-per-node"),
        nodelist=values.get("nodelist", ""),
        exclude=values.get("exclude", ""),
        first_node=_number(values, "relative", least=0) or 0,
        devices=_asked_devices(values),
        is_bound=cpu_bind_of(values).by_place,
        plane=distribution_of("srun", values)[1],
    )


def cpu_bind_of(values: Values) -> CpuBind:
    """Return the binding that srun is asked for. Bindings to sockets and to parts of memory, which
    mean nothing here, leave tasks unbound, as a real Slurm does that cannot bind."""
    text = values.get("cpu-bind", values.get("cpu_bind", ""))
    try:
        return parse_cpu_bind(text)
    except WrongBinding as error:
        if not error.placeless:
            raise SlurmError(f"srun: error: unrecognized --cpu-bind argument {error}") from None
    return CpuBind()


def _asked_devices(values: Values) -> DeviceRequest | None:
    """Return the devices that srun is asked to give to the step; None: all those of the job."""
    if not any(name in values for name in ("gres", "gpus", "gpus-per-node", "gpus-per-task")):
        return None
    texts = [values["gres"]] if "gres" in values else []
    try:
        if "gpus-per-node" in values:
            texts.append(gpus(values["gpus-per-node"]))
        others = [gpus(values[name]) if name in values else "" for name in _BY_TASK_AND_IN_ALL]
        return device_request(",".join(texts), *others)
    except ValueError as error:
        raise SlurmError(f"srun: error: Invalid GRES specification: {error}", code=255) from None


def asked_cpus(values: Values) -> int | None:
    """Return how many processors srun is asked to give to each task; None: it is not asked."""
    return _number(values, "cpus-per-task")


def misplaced(job: Job, error: UsageError) -> SlurmError:
    """Return one of the errors `MISPLACED` in Slurm's words."""
    if isinstance(error, WrongNodelist):
        return SlurmError(f"srun: error: Invalid node name specified: {error}")
    why = "More processors requested than permitted"
    if isinstance(error, TooFewDevices):
        why = f"Invalid generic resource (gres) specification ({error})"
    if isinstance(error, NodesMissing):
        why = "Requested node configuration is not available"
        if error.foreign:
            why += f" ({error.foreign} is not of the job)"
    return SlurmError(f"srun: error: Unable to create step for job {job['job_id']}: {why}")


def no_nodes_left(job: Job, values: Values, taken: Sequence[str]) -> SlurmError:
    """Return the error of a component of a step whose other components have all nodes."""
    return SlurmError(
        f"srun: error: Allocation failure of {_number(values, 'nodes') or 1} nodes: job size of "
        f"{job['nodes']}, already allocated {len(taken)} nodes to previous components."
    )


def _nodes(job: Job, values: Values) -> int | None:
    """Return on how many nodes of the job the step is to be. Of a range, tasks that are counted
    have as many as the job has; without their number there is one on each of the fewest."""
    least, most = _number(values, "nodes"), values.get("nodes", "").partition("-")[2]
    if least is None or not most:
        return least
    if not (most.isascii() and most.isdigit() and len(most) < 8 and int(most) >= least):
        raise SlurmError("srun: error: Invalid --nodes specification", code=255)
    return max(least, min(int(most), job["nodes"] or 1)) if "ntasks" in values else least


def _number(values: Values, name: str, least: int = 1) -> int | None:
    text = values.get(name)
    if text is None:
        return None
    digits = text.partition("-")[0]
    if not (digits.isascii() and digits.isdigit() and len(digits) < 8 and int(digits) >= least):
        raise SlurmError(f"srun: error: Invalid --{name} specification", code=255)
    return int(digits)
