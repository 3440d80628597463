"""Where the tasks of a step run: which nodes of its job, and how many on each."""

from __future__ import annotations

from rmsd_client.slurm.ending import SlurmError
from rmsd_client.tasks import Task
from rmsd_wire.hostlist import HostlistError, expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from rmsd_client.slurm.requests import Values

    Job = dict[str, Any]

_MANY = "More processors requested than permitted"


def tasks_of(job: Job, values: Values, held: Mapping[str, int] | None = None) -> list[Task]:
    """Return the tasks of a step, block by block, beside the processors that are held.

    Without -n and -N they are the job's own; with -N alone one on each node. The processors of a
    task are those of srun's -c, not of sbatch's, as in Slurm 22.05.

    Raises:
        SlurmError: the job has no such nodes, or fewer processors.
    """
    cpus = dict(zip(expand(job["nodelist"]), job["node_cpus"], strict=True))
    per_node = _number(values, "ntasks-per-node")
    each = asked_cpus(values) or 1
    if held:
        cpus = {node: count - held.get(node, 0) for node, count in cpus.items()}
        cpus = {node: count for node, count in cpus.items() if count >= each}
    nodes = _nodes(job, list(cpus), values)
    asked = _number(values, "ntasks")
    if asked is None and per_node is None and "nodes" not in values and "nodelist" not in values:
        asked = job["tasks"]
    if asked is None:
        asked = len(nodes) * (per_node or 1)
    nodes = nodes[: max(1, min(len(nodes), asked))]
    room = [per_node or max(1, cpus[node] // each) for node in nodes]
    if held:
        room = [min(most, cpus[node] // each) for most, node in zip(room, nodes, strict=True)]
    if asked > sum(room):
        raise SlurmError(f"srun: error: Unable to create step for job {job['job_id']}: {_MANY}")
    counts = _spread(asked, room)
    places = [(node, i, local) for i, node in enumerate(nodes) for local in range(counts[i])]
    return [Task(rank, *place) for rank, place in enumerate(places)]


def asked_cpus(values: Values) -> int | None:
    """Return how many processors srun is asked to give to each task; None: it is not asked."""
    return _number(values, "cpus-per-task")


def _nodes(job: Job, own: list[str], values: Values) -> list[str]:
    """Return the nodes that a step may use."""
    try:
        named = expand(values.get("nodelist", ""))
        left_out = set(expand(values.get("exclude", "")))
    except HostlistError as error:
        raise SlurmError(f"srun: error: Invalid node name specified: {error}") from None
    if foreign := [name for name in named if name not in own]:
        raise SlurmError(
            f"srun: error: Unable to create step for job {job['job_id']}: Requested node "
            f"configuration is not available ({foreign[0]} is not of the job)"
        )
    relative = _number(values, "relative", least=0) or 0
    nodes = named or own[relative:]
    nodes = [name for name in nodes if name not in left_out]
    count = _number(values, "nodes")
    if count is not None and count > len(nodes):
        others = [name for name in own if name not in nodes and name not in left_out]
        nodes += others[: count - len(nodes)] if named else []
    if not nodes or (count is not None and count > len(nodes)):
        raise SlurmError(
            f"srun: error: Unable to create step for job {job['job_id']}: Requested node "
            "configuration is not available"
        )
    return nodes[:count]


def _spread(count: int, room: Sequence[int]) -> list[int]:
    """Return how many of `count` tasks go to each node: as evenly as the nodes can take them."""
    even, more = divmod(count, len(room))
    counts = [min(most, even + (i < more)) for i, most in enumerate(room)]
    left = count - sum(counts)
    for i, most in enumerate(room):
        added = min(left, most - counts[i])
        counts[i] += added
        left -= added
    return counts


def _number(values: Values, name: str, least: int = 1) -> int | None:
    text = values.get(name)
    if text is None:
        return None
    digits = text.partition("-")[0]
    if not (digits.isascii() and digits.isdigit() and len(digits) < 8 and int(digits) >= least):
        raise SlurmError(f"srun: error: Invalid --{name} specification", code=255)
    return int(digits)
