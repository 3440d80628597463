"""Giving attempts processors of their own, so that two jobs on a node do not share any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import structlog

from rmsd_agent.attempts.attempt import NodeAttempt
from rmsd_agent.machine.processors import PhysicalCores, choose, claim, usable_processors
from rmsd_wire.link import Launch
from rmsd_wire.node_info import NodeInfo

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()


class Binding:
    """The assignment of processors to attempts on this machine's own node.

    It has no memory: what is taken stands in the records of the attempts, which outlive an agent.
    Emulated nodes share the machine with others, so their jobs are not bound.
    """

    def __init__(self, node: str, cores: PhysicalCores) -> None:
        self._node = node
        self._cores = cores
        self._has_warned = False

    def renew(self) -> None:
        """Go by the processors that the agent may use now."""
        self._cores = usable_processors()
        self._has_warned = False

    def processors_for(self, launch: Launch, held: Iterable[NodeAttempt]) -> list[int]:
        """Return as many free processors as the daemon has allotted to an attempt here, or none if
        the attempt is not to be bound. No launch waits for processors."""
        if launch.node != self._node or not launch.cores:
            return []
        taken = {one for attempt in held if not attempt.over for one in attempt.saved.processors}
        chosen = choose(self._cores, taken, launch.cores)
        if not chosen and not self._has_warned:
            self._has_warned = True
            log.warning("processors-not-bound", job_id=launch.job_id, why="the daemon has allotted "
                        "more processors than are free here")  # fmt: skip
        return chosen


def binding_of(nodes: Sequence[NodeInfo]) -> Binding | None:
    """Return the binding of jobs on this machine, or None if it is no node or its processors cannot
    be divided."""
    cores = usable_processors()
    usable = sum(map(len, cores))
    for node in nodes:
        if node.kind != "real":
            continue
        if node.cores > usable:
            why = f"node {node.name} has {node.cores} cores by --cores, and the agent {usable}"
        elif not claim():
            why = "another agent on this machine has the processors"
        else:
            return Binding(node.name, cores)
        log.warning("processors-not-bound", why=why)
    return None
