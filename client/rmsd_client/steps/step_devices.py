"""The devices of a job that a step gets, node by node, and what its tasks see of them."""

from __future__ import annotations

from typing import NamedTuple

from rmsd_client.errors import UsageError
from rmsd_client.steps.device_environment import devices_of_kinds, of_kind
from rmsd_wire.device_numbers import read_devices
from rmsd_wire.hostlist import expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from rmsd_client.steps.device_environment import Device
    from rmsd_client.steps.tasks import Task

    Amounts = tuple[tuple[str, int], ...]
    Job = dict[str, Any]

_ANY = 1 << 31


class DeviceRequest(NamedTuple):
    """The devices that a step asks of its job: on each of its nodes, for each of its tasks, and
    altogether. Nothing at all is asked for by `none`: the step then sees no devices."""

    per_node: Amounts = ()
    per_task: Amounts = ()
    total: Amounts = ()

    def most_tasks(self, there: Sequence[Device]) -> int:
        """Return how many tasks a node with these devices can take; 0 if it has too few."""
        at_least = [*self.per_node, *((kind, 1) for kind, _ in self.total)]
        if any(len(of_kind(there, kind)) < count for kind, count in at_least):
            return 0
        each = [len(of_kind(there, kind)) // count for kind, count in self.per_task]
        return min([_ANY, *each])

    def text(self) -> str:
        """Return the request for people, as `gpu:2 on each node`."""
        parts = ((self.per_node, "on each node"), (self.per_task, "for each task"),
                 (self.total, "in all"))  # fmt: skip
        told = [
            f"{','.join(f'{kind}:{count}' for kind, count in amounts)} {where}"
            for amounts, where in parts
            if amounts
        ]
        return ", ".join(told) or "no devices"


class TooFewDevices(UsageError):
    """A step asks for more devices than its job has."""


def device_request(per_node: str = "", per_task: str = "", total: str = "") -> DeviceRequest:
    """Return a request by its texts, as `gpu:2`. Raises ValueError: one is not understood."""
    from rmsd_wire.gres import parse_gres  # few steps ask so

    return DeviceRequest(*map(parse_gres, (per_node, per_task, total)))


def devices_of(job: Job, environ: Mapping[str, str]) -> dict[str, list[Device]]:
    """Return the devices that a job has on each of its nodes. A step within a task of another one
    has those of that task on its node."""
    nodes = expand(job["nodelist"])
    texts = dict(zip(nodes, job.get("node_gres") or [""] * len(nodes), strict=True))
    if environ.get("RMS_JOB_ID") == str(job["job_id"]) and "RMS_STEP_ID" in environ:
        own = environ.get("RMS_NODENAME", "")
        if own in texts:
            texts[own] = environ.get("RMS_GRES", "")
    return {node: devices_of_kinds(read_devices(text)) for node, text in texts.items()}


def held_as(node: str, device: Device) -> str:
    """Return the word for a device among what steps hold. No node's name has a blank in it."""
    return f"{node} {device[0]} {device[1]}"


def with_devices(
    asked: DeviceRequest, tasks: Sequence[Task], there: Mapping[str, Sequence[Device]]
) -> list[Task]:
    """Return the tasks with the devices that they see, of those that are there.

    Tasks on a node see all devices of their step there, but for those that are asked for by task.

    Raises:
        TooFewDevices: there are not enough.
    """
    left = {node: list(devices) for node, devices in there.items()}
    nodes = list(dict.fromkeys(task.node for task in tasks))
    shared = {node: _taken(left, node, asked.per_node) for node in nodes}
    for kind, count in asked.total:
        _spread(left, shared, nodes, kind, count)
    own = {task.rank: _taken(left, task.node, asked.per_task) for task in tasks}
    return [task._replace(devices=(*shared[task.node], *own[task.rank])) for task in tasks]


def _spread(
    left: dict[str, list[Device]],
    shared: dict[str, list[Device]],
    nodes: Sequence[str],
    kind: str,
    count: int,
) -> None:
    """Take devices for the whole step: one of each node in turn, as long as there are some."""
    missing = count
    while missing:
        before = missing
        for node in nodes:
            if missing and of_kind(left[node], kind):
                shared[node] += _taken(left, node, ((kind, 1),))
                missing -= 1
        if missing == before:
            raise TooFewDevices(f"{kind}:{count} in all")


def _taken(left: dict[str, list[Device]], node: str, asked: Amounts) -> list[Device]:
    """Take devices of a node."""
    taken: list[Device] = []
    for kind, count in asked:
        some = of_kind(left.get(node, ()), kind)[:count]
        if len(some) < count:
            raise TooFewDevices(f"{kind}:{count} on {node}")
        taken += some
        left[node] = [one for one in left[node] if one not in some]
    return taken
