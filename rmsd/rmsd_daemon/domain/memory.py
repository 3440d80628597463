"""The memory that a job asks for: on each of its nodes, or for each of its processors."""

from __future__ import annotations

from typing import Protocol

from rmsd_daemon.domain.errors import Malformed
from rmsd_wire.api.submission import SubmitSpec

_MOST_MIB = 1 << 40


def asked_mem_mib(spec: SubmitSpec) -> int:
    """Return the memory on each node that a submit asks for, whose tasks are checked; 0: none.

    Raises:
        Malformed: it cannot be meant.
    """
    per_cpu_mib = mem_per_cpu_mib_of(spec.mem_per_cpu_mib, spec.mem_mib)
    tasks, cpus_per_task = spec.tasks or spec.nodes or 1, spec.cpus_per_task or 1
    by_cpu_mib = mem_of_cpus_mib(per_cpu_mib, tasks, cpus_per_task, spec.nodes)
    return by_cpu_mib or mem_mib_of(spec.mem_mib)


def mem_mib_of(asked_mib: int) -> int:
    """Return the memory on each node that a caller asks for. Raises Malformed if none can be it."""
    return _within("mem_mib", asked_mib)


def mem_per_cpu_mib_of(asked_mib: int, mem_mib: int) -> int:
    """Return the memory for each processor that a caller asks for, beside `mem_mib` on each node.

    Raises:
        Malformed: it is no size, or both are given.
    """
    if asked_mib and mem_mib:
        raise Malformed("'mem_mib' and 'mem_per_cpu_mib' are both given; give one of them")
    return _within("mem_per_cpu_mib", asked_mib)


def mem_of_cpus_mib(per_cpu_mib: int, tasks: int, cpus_per_task: int, nodes: int | None) -> int:
    """Return the memory on each node of a job that asks for memory by processor: that of the most
    processors which its tasks have on one node. Without a number of nodes all may be on one, and a
    node on which fewer are gives less."""
    on_a_node = -(-tasks // (nodes or 1)) * cpus_per_task
    return mem_mib_of(per_cpu_mib * on_a_node)


class _AskedMemory(Protocol):
    """The details of a job, as far as they are looked at here."""

    @property
    def nodes(self) -> int | None: ...
    @property
    def mem_mib(self) -> int: ...
    @property
    def mem_per_cpu_mib(self) -> int: ...


def mem_of_node_mib(details: _AskedMemory, cores: int) -> int:
    """Return the memory of a node that gives a job with these details so many processors."""
    if details.nodes is None and details.mem_per_cpu_mib:
        return details.mem_per_cpu_mib * cores
    return details.mem_mib


def _within(field: str, mib: int) -> int:
    if not 0 <= mib <= _MOST_MIB:
        raise Malformed(f"'{field}' is {mib}; it must be 0 to {_MOST_MIB}")
    return mib
