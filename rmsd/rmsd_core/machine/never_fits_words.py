"""The words for a request that no state of the known nodes can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rmsd_core.jobs.gres import written
from rmsd_core.jobs.request import Component
from rmsd_core.machine.free_space import FreeSpace

_MOST_NAMED = 3
"""The nodes that a job must have of which the words say each what it has."""


def asked(component: Component, most_nodes: int | None) -> str:
    """Return what the component asks for. `most_nodes`: how many its partition gives to a job."""
    said = [f"{component.units} x {_cores(component.cores)}"]
    if component.spread:
        said.append("each on a node of its own")
    if component.mem_mib:
        each = "for each" if component.unit_mem_mib else "on each node"
        said.append(f"{_memory(component.mem_mib)} of memory {each}")
    if (needs := component.needs) is not None:
        if needs.exclusive:
            said.append("on nodes for the job alone")
        if needs.node_gres:
            said.append(f"{written(needs.node_gres)} on each node")
        if needs.unit_gres:
            said.append(f"{written(needs.unit_gres)} for each")
    if component.feature is not None:
        said.append(f"on nodes with feature '{component.feature}'")
    if component.partition is not None:
        said.append(f"in partition '{component.partition}'")
        if most_nodes is not None:
            said.append(f"which gives a job at most {most_nodes} node{'s' * (most_nodes > 1)}")
    if component.require:
        said.append(f"among them {', '.join(component.require)}")
    if component.exclude:
        said.append(f"and not on {', '.join(component.exclude)}")
    if component.avoid:
        said.append(f"and not on {', '.join(sorted(component.avoid))}")
    return ", ".join(said)


def present(
    total: FreeSpace, nodes: Sequence[int], component: Component, numbers: Mapping[str, int]
) -> str:
    """Return what there is: the `nodes` that the component could be on, if they were larger.
    `numbers`: those of all nodes, by name."""
    if missing := [name for name in component.require if name not in numbers]:
        return f"no node {' and no node '.join(missing)}"
    if not nodes:
        return "no such node"
    cores = [total.cores[at] for at in nodes]
    most_mib = max(total.mem_mib[at] for at in nodes)
    if len(nodes) == 1:
        has = f"one such node, with {_cores(cores[0])} and {most_mib} MiB"
    else:
        has = (
            f"{len(nodes)} such nodes with {_cores(sum(cores))}, "
            f"at most {_cores(max(cores))} and {most_mib} MiB on one"
        )
    wanted = () if component.needs is None else component.needs.all_gres
    most = [(kind, max(total.devices(at, kind) for at in nodes)) for kind, _ in wanted]
    there = [(kind, count) for kind, count in most if count]
    if there:
        has += f"; at most {written(there)} on one"
    has += "".join(f"; none of them has {kind}" for kind, count in most if not count)
    return has + (_required(total, nodes, component, numbers) if len(nodes) > 1 else "")


def _required(
    total: FreeSpace, nodes: Sequence[int], component: Component, numbers: Mapping[str, int]
) -> str:
    """Return what the nodes have that the component must have, or that they are no such nodes."""
    said, such = "", set(nodes)
    if others := [name for name in component.require if numbers[name] not in such]:
        said += f"; {' and '.join(others[:_MOST_NAMED])} not among them"
    for name in [name for name in component.require if numbers[name] in such][:_MOST_NAMED]:
        at = numbers[name]
        said += f"; {name} has {_cores(total.cores[at])} and {total.mem_mib[at]} MiB"
    return said


def _memory(mib: int) -> str:
    return f"{mib} MiB" if mib % 1024 else f"{mib // 1024} GiB"


def _cores(count: int) -> str:
    return f"{count} core" if count == 1 else f"{count} cores"
