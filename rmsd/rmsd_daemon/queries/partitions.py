"""The views of partitions, and the partitions of nodes."""

from __future__ import annotations

from collections.abc import Mapping

from rmsd_core.lifecycle.core import Core
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import duration_s
from rmsd_core.planning.portions import PORTION, Portions
from rmsd_core.vocabulary import MAIN_PARTITION
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain.partitions import Partitions
from rmsd_daemon.setup.partitions import ALL_NODES, PartitionSettings
from rmsd_wire.api.partitions import PartitionView
from rmsd_wire.hostlist import HostList

_MAIN = PartitionSettings(Partition(MAIN_PARTITION), ALL_NODES, is_default=True)


def partition_views(
    partitions: Partitions, core: Core, caller: Caller
) -> Portions[list[PartitionView]]:
    """Find the views of the partitions; that of the one with all nodes if none are configured. For
    whom a partition is, is told to these and to operators."""
    is_operator = caller.role.covers(Role.OPERATOR)
    views = []
    for one in partitions.in_force or (_MAIN,):
        is_told = is_operator or partitions.may_use(one, caller.user)
        views.append((yield from _view(one, core, is_told=is_told)))
    return views


def _view(settings: PartitionSettings, core: Core, *, is_told: bool) -> Portions[PartitionView]:
    partition = settings.core
    named = sorted(core.nodes) if partition.nodes is None else partition.nodes
    names = [name for name in named if name in core.nodes]
    host_list = HostList()
    nodes = cores = available = used = 0
    for at in range(0, len(names), PORTION):
        yield
        # A node may go meanwhile.
        some = [node for name in names[at : at + PORTION] if (node := core.nodes.get(name))]
        host_list.add([node.name for node in some])
        nodes += len(some)
        cores += sum([node.cores for node in some])
        available += sum([node.cores for node in some if node.available])
        used += sum([core.used_on(node.name).cores for node in some])
    max_time_us, grace_us = partition.max_time_us, partition.preempt_grace_us
    return PartitionView(
        name=partition.name,
        is_default=settings.is_default,
        state=partition.state,
        nodelist=host_list.text(),
        nodes=nodes,
        cores=cores,
        cores_available=available,
        cores_used=used,
        max_time_s=None if max_time_us is None else duration_s(max_time_us),
        max_nodes=partition.max_nodes,
        max_cpus=partition.max_cpus,
        default_time_s=settings.default_time_s,
        default_mem_mib=settings.default_mem_mib,
        users=list(settings.users) if is_told else None,
        tier=partition.tier,
        preempt=partition.preempt,
        preempt_grace_s=None if grace_us is None else duration_s(grace_us),
        preempt_exempt_s=duration_s(partition.preempt_exempt_us) or 0,
        priority=partition.priority,
    )


class PartitionsOfNodes:
    """The partitions that nodes are in, by name, for one look at many nodes."""

    def __init__(self, partitions: Mapping[str, Partition]) -> None:
        self._everywhere = [one.name for one in partitions.values() if one.nodes is None]
        self._named: dict[str, list[str]] = {}
        for one in partitions.values():
            for name in one.nodes or ():
                self._named.setdefault(name, []).append(one.name)
        if not partitions:
            self._everywhere = [MAIN_PARTITION]

    def of(self, node: str) -> list[str]:
        return sorted([*self._everywhere, *self._named.get(node, ())])
