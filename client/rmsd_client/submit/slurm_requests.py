"""Slurm's other words for what a job asks for: tasks by node, and memory by processor."""

from __future__ import annotations

from rmsd_client.errors import UsageError
from rmsd_client.submit.options import NodeRange, PerCpu

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rmsd_client.submit.options import Settings


def converted(settings: Settings) -> Settings:
    """Return settings with tasks and nodes for --ntasks-per-node, and with `mem-per-cpu` in the
    place of `mem` for --mem-per-cpu. No memory for each processor is all memory, as in Slurm.

    As in Slurm, --ntasks-per-node is the most of a node's tasks if --ntasks is given as well.

    Raises:
        UsageError: the tasks on a node are more than --ntasks-per-node allows.
    """
    tasks, nodes = whole_number(settings, "ntasks"), whole_number(settings, "nodes")
    each = whole_number(settings, "ntasks-per-node")
    result = {name: value for name, value in settings.items() if name != "ntasks-per-node"}
    if each is not None:
        if nodes is None and (tasks or each) > 1:
            nodes = 1 if tasks is None else -(-tasks // each)
        elif isinstance(nodes, NodeRange) and tasks:
            nodes = NodeRange(max(nodes, min(-(-tasks // each), nodes.most)), nodes.most)
        tasks = tasks or (nodes or 1) * each
        if tasks > (nodes or 1) * each:
            raise UsageError(
                f"--ntasks-per-node={each}: {tasks} tasks do not fit on {nodes or 1} x {each}; "
                f"say -N {-(-tasks // each)}, or leave out -N or -n"
            )
        result["ntasks"] = tasks
        if nodes is not None:
            result["nodes"] = nodes
    if isinstance(mem := settings.get("mem"), PerCpu):
        del result["mem"]
        result["mem-per-cpu" if mem.mib else "mem"] = mem.mib
    return result


def whole_number(settings: Settings, name: str) -> int | None:
    """Return a setting that is a whole number; None if it was not given."""
    value = settings.get(name)
    assert value is None or isinstance(value, int)
    return value
