"""`--exclusive`: the request of a job that has its nodes for itself."""

from __future__ import annotations

from rmsd_client.slurm.partitions import load_partitions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rmsd_client.api import Client

_GONE = ("down", "suspect", "drained", "draining")


def whole_nodes(client: Client, spec: dict[str, Any]) -> dict[str, Any]:
    """Return the SubmitSpec with all processors of as few nodes as hold the job: those of the
    smallest nodes of its partition that it fits on, dealt evenly to its tasks."""
    named = spec.get("partition", "").split(",")[0]
    partitions = load_partitions(client)
    allowed = {
        name for one in partitions if (one.name == named if named else one.is_default)
        for name in one.nodes
    }  # fmt: skip
    tasks = spec.get("tasks") or spec.get("nodes") or 1
    each = spec.get("cpus_per_task") or 1
    memory = spec.get("mem_mib") or 0
    feature = spec.get("constraint")
    sizes = [
        node["cores"] for node in client.nodes()
        if node["name"] in allowed and node["state"] not in _GONE and node["cores"] >= each
        and node["mem_mib"] >= memory and (not feature or feature in node["features"])
    ]  # fmt: skip
    if not sizes:
        return spec  # the daemon says why there are none
    cores = min(sizes)
    nodes = spec.get("nodes") or -(-tasks // (cores // each))
    on_a_node = -(-tasks // nodes)
    if on_a_node * each > cores:
        return spec
    return {**spec, "nodes": nodes, "tasks": tasks, "cpus_per_task": cores // on_a_node}
