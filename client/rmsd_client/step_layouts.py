"""Where the tasks of a step run: which nodes of its job, and how many on each."""

from __future__ import annotations

from typing import NamedTuple

from rmsd_client.cli import plural
from rmsd_client.errors import UsageError
from rmsd_client.tasks import Task
from rmsd_wire.hostlist import HostlistError, compress, expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Job = dict[str, Any]


class StepRequest(NamedTuple):
    """The tasks and their places that a step asks of its job; None and "": not asked. `first_node`
    is the place in the job of the first node that the step may use."""

    tasks: int | None = None
    nodes: int | None = None
    cpus_per_task: int | None = None
    tasks_per_node: int | None = None
    nodelist: str = ""
    exclude: str = ""
    first_node: int = 0

    @property
    def asks_nothing(self) -> bool:
        """Return whether the tasks are the job's own."""
        return (self.tasks, self.nodes, self.tasks_per_node, self.nodelist) == (
            None,
            None,
            None,
            "",
        )

    def cpus_of(self, tasks: Sequence[Task]) -> dict[str, int]:
        """Return how many processors the tasks hold on each node."""
        cpus: dict[str, int] = {}
        for task in tasks:
            cpus[task.node] = cpus.get(task.node, 0) + (self.cpus_per_task or 1)
        return cpus


class TooFewProcessors(UsageError):
    """A step asks for more processors than its job has."""


class NodesMissing(UsageError):
    """A step asks for nodes that its job does not have. `foreign` is the first one; "" if only
    their number is too large."""

    def __init__(self, message: str, foreign: str = "") -> None:
        super().__init__(message)
        self.foreign = foreign


class WrongNodelist(UsageError):
    """A list of nodes cannot be read."""


def tasks_of(job: Job, asked: StepRequest, held: Mapping[str, int] | None = None) -> list[Task]:
    """Return the tasks of a step, block by block, beside the processors that are held.

    Without a number of tasks and of nodes they are the job's own; with nodes alone one on each.
    The processors of a task are the step's, not the job's, as in Slurm 22.05.

    Raises:
        TooFewProcessors, NodesMissing, WrongNodelist: the job has no such place.
    """
    cpus = dict(zip(expand(job["nodelist"]), job["node_cpus"], strict=True))
    each = asked.cpus_per_task or 1
    if held:
        cpus = {node: count - held.get(node, 0) for node, count in cpus.items()}
        cpus = {node: count for node, count in cpus.items() if count >= each}
    nodes = _nodes(job, list(cpus), asked)
    count = job["tasks"] if asked.asks_nothing else asked.tasks
    if count is None:
        count = len(nodes) * (asked.tasks_per_node or 1)
    nodes = nodes[: max(1, min(len(nodes), count))]
    most = [asked.tasks_per_node or max(1, cpus[node] // each) for node in nodes]
    if held:
        most = [min(one, cpus[node] // each) for one, node in zip(most, nodes, strict=True)]
    if count > sum(most):
        raise TooFewProcessors(
            f"{plural(count, 'task')} of {plural(each, 'processor')} each have no place on "
            f"{compress(nodes)}, where job {job['job_id']} has "
            f"{plural(sum(cpus[node] for node in nodes), 'processor')}"
        )
    counts = _spread(count, most)
    places = [(node, i, local) for i, node in enumerate(nodes) for local in range(counts[i])]
    return [Task(rank, *place) for rank, place in enumerate(places)]


def _nodes(job: Job, own: list[str], asked: StepRequest) -> list[str]:
    """Return the nodes that a step may use."""
    try:
        named = expand(asked.nodelist)
        left_out = set(expand(asked.exclude))
    except HostlistError as error:
        raise WrongNodelist(str(error)) from None
    if foreign := [name for name in named if name not in own]:
        raise NodesMissing(f"{foreign[0]} is not a node of job {job['job_id']}", foreign[0])
    nodes = named or own[asked.first_node :]
    nodes = [name for name in nodes if name not in left_out]
    count = asked.nodes
    if count is not None and count > len(nodes):
        others = [name for name in own if name not in nodes and name not in left_out]
        nodes += others[: count - len(nodes)] if named else []
    if not nodes or (count is not None and count > len(nodes)):
        raise NodesMissing(f"job {job['job_id']} has {plural(len(own), 'node')}: {job['nodelist']}")
    return nodes[:count]


def _spread(count: int, most: Sequence[int]) -> list[int]:
    """Return how many of `count` tasks go to each node: as evenly as the nodes can take them."""
    even, more = divmod(count, len(most))
    counts = [min(one, even + (i < more)) for i, one in enumerate(most)]
    left = count - sum(counts)
    for i, one in enumerate(most):
        added = min(left, one - counts[i])
        counts[i] += added
        left -= added
    return counts
