"""The nodes of its job on which the tasks of a step run, and how many run on each."""

from __future__ import annotations

import os
from typing import NamedTuple

from rmsd_client.console.cli import plural
from rmsd_client.errors import UsageError
from rmsd_client.steps.step_devices import TooFewDevices, devices_of, held_as, with_devices
from rmsd_client.steps.tasks import Task
from rmsd_wire.hostlist import HostlistError, compress, expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from rmsd_client.steps.device_environment import Device
    from rmsd_client.steps.step_devices import DeviceRequest

    Job = dict[str, Any]


class StepRequest(NamedTuple):
    """The tasks and their places that a step asks of its job; None and "": not asked. `first_node`
    is the place in the job of the first node that the step may use. `devices` None: tasks see all
    devices of the job. `is_bound`: each task has processors of its own. `plane`: so many tasks are
    on a node before the next node has its turn; 0: all of its tasks."""

    tasks: int | None = None
    nodes: int | None = None
    cpus_per_task: int | None = None
    tasks_per_node: int | None = None
    nodelist: str = ""
    exclude: str = ""
    first_node: int = 0
    devices: DeviceRequest | None = None
    is_bound: bool = False
    plane: int = 0

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
        TooFewProcessors, NodesMissing, WrongNodelist, TooFewDevices: the job has no such place.
    """
    if asked.devices is None:
        return _laid_out(job, asked, held, {})
    there = devices_left(job, held or {})
    most: dict[str, int] = {}
    if not asked.asks_nothing:  # the job's own tasks stay where they are
        most = {node: asked.devices.most_tasks(devices) for node, devices in there.items()}
    try:
        tasks = _laid_out(job, asked, held, most)
    except UsageError:
        _laid_out(job, asked, held, {})  # raises if devices are not the reason
        raise too_few_devices(job, asked.devices) from None
    return tasks_with_devices(job, asked.devices, tasks, there)


def devices_left(job: Job, held: Mapping[str, int]) -> dict[str, list[Device]]:
    """Return the devices of a job, by node, that are not held."""
    there = devices_of(job, os.environ)
    return {
        node: [one for one in devices if held_as(node, one) not in held]
        for node, devices in there.items()
    }


def tasks_with_devices(
    job: Job, asked: DeviceRequest, tasks: Sequence[Task], there: Mapping[str, Sequence[Device]]
) -> list[Task]:
    """Return the tasks with the devices that each sees. Raises TooFewDevices."""
    try:
        return with_devices(asked, tasks, there)
    except TooFewDevices:
        raise too_few_devices(job, asked) from None


def with_processors(
    job: Job, asked: StepRequest, tasks: Sequence[Task], held: Mapping[str, int]
) -> list[Task]:
    """Return the tasks with processors of their own, if they are bound: the first places on each
    node that no bound task of another step has."""
    if not asked.is_bound:
        return list(tasks)
    cpus = dict(zip(expand(job["nodelist"]), job["node_cpus"], strict=True))
    each = asked.cpus_per_task or 1
    free = {
        node: [at for at in range(count) if held_as(node, ("cpu", at)) not in held]
        for node, count in cpus.items()
    }
    bound: list[Task] = []
    for task in tasks:
        places = free[task.node][:each] or range(each)  # more tasks than processors share them
        free[task.node] = free[task.node][each:]
        bound.append(task._replace(processors=tuple(places)))
    return bound


def too_few_devices(job: Job, asked: DeviceRequest) -> TooFewDevices:
    """Return the error for a step that asks for more devices than its job has."""
    texts = zip(expand(job["nodelist"]), job.get("node_gres") or (), strict=False)
    have = ", ".join(f"{text} on {node}" for node, text in texts if text) or "no devices"
    return TooFewDevices(f"the step asks for {asked.text()}; job {job['job_id']} has {have}")


def _laid_out(
    job: Job, asked: StepRequest, held: Mapping[str, int] | None, most_of: Mapping[str, int]
) -> list[Task]:
    """Return tasks by their processors alone; `most_of`: the most that a node's devices allow."""
    cpus = dict(zip(expand(job["nodelist"]), job["node_cpus"], strict=True))
    each = asked.cpus_per_task or 1
    if held:
        cpus = {node: count - held.get(node, 0) for node, count in cpus.items()}
        cpus = {node: count for node, count in cpus.items() if count >= each}
    cpus = {node: count for node, count in cpus.items() if most_of.get(node, 1)}
    nodes = _nodes(job, list(cpus), asked)
    count = job["tasks"] if asked.asks_nothing else asked.tasks
    if count is None:
        count = len(nodes) * (asked.tasks_per_node or 1)
    nodes = nodes[: max(1, min(len(nodes), count))]
    most = [asked.tasks_per_node or max(1, cpus[node] // each) for node in nodes]
    if held:
        most = [min(one, cpus[node] // each) for one, node in zip(most, nodes, strict=True)]
    most = [min(one, most_of.get(node, one)) for one, node in zip(most, nodes, strict=True)]
    if count > sum(most):
        raise TooFewProcessors(
            f"{plural(count, 'task')} of {plural(each, 'processor')} each have no place on "
            f"{compress(nodes)}, where job {job['job_id']} has "
            f"{plural(sum(cpus[node] for node in nodes), 'processor')}"
        )
    if asked.plane:
        dealt = _dealt(count, most, asked.plane)
    else:
        dealt = [(i, local) for i, own in enumerate(_spread(count, most)) for local in range(own)]
    places = [(nodes[i], i, local) for i, local in dealt]
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


def _dealt(count: int, most: Sequence[int], plane: int) -> list[tuple[int, int]]:
    """Return the node of each of `count` tasks, by its place, and which of the node's tasks it is.
    The nodes have `plane` tasks in turn, as long as they can take more."""
    dealt: list[tuple[int, int]] = []
    counts = [0] * len(most)
    while len(dealt) < count:
        for i, one in enumerate(most):
            for _ in range(min(plane, one - counts[i], count - len(dealt))):
                dealt.append((i, counts[i]))
                counts[i] += 1
    return dealt


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
