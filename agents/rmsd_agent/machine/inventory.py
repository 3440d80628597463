"""The size of this machine, and the nodes that an agent hosts."""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import psutil
import structlog

from rmsd_agent.machine.delegation import own_cgroup
from rmsd_agent.machine.devices import Devices, grouped
from rmsd_wire.gres import Device
from rmsd_wire.node_info import NodeInfo

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

MIB = 1 << 20
EMULATED_MEM_MIB_PER_CORE = 2048


def short_hostname() -> str:
    return socket.gethostname().partition(".")[0]


NO_DEVICES = Devices(())


def real_node(
    name: str,
    cores: int | None = None,
    mem_mib: int | None = None,
    devices: Devices = NO_DEVICES,
) -> NodeInfo:
    """Return this machine as a node. `cores` and `mem_mib` are what it gives to jobs; None: all
    that this process may use."""
    usable_mib = usable_mem_mib()
    if mem_mib and mem_mib > usable_mib:
        log.warning("memory-beyond-machine", mem_mib=mem_mib, usable_mib=usable_mib)
    return NodeInfo(
        name=name,
        kind="real",
        cores=cores or usable_cores(),
        mem_mib=mem_mib or usable_mib,
        hostname=socket.gethostname(),
        os=_os_name(),
        cpu_model=_cpu_model(),
        gres=devices.present(),
    )


def resized(
    node: NodeInfo, cores: int | None, mem_mib: int | None, devices: Devices = NO_DEVICES
) -> NodeInfo:
    """Return a node with the size that it has now; the arguments are as for `real_node`. Emulated
    nodes never change."""
    if node.kind != "real":
        return node
    return msgspec.structs.replace(
        node,
        cores=cores or usable_cores(),
        mem_mib=mem_mib or usable_mem_mib(),
        gres=devices.present(),
    )


def usable_cores() -> int:
    """Return how many logical processors this process may use, one at least. The bounds are its
    affinity, which a cpuset bounds as well, and the quotas (`cpu.max`) of its cgroups, rounded
    down."""
    cores = len(os.sched_getaffinity(0))
    for quota in _in_cgroups("cpu.max"):
        allowed_us, _, period_us = quota.partition(" ")
        if allowed_us != "max":
            cores = min(cores, int(allowed_us) // int(period_us))
    return max(1, cores)


def usable_mem_mib() -> int:
    """Return the memory that this process may use: that of the machine, or less by `memory.max` of
    its cgroups."""
    limits = [int(limit) for limit in _in_cgroups("memory.max") if limit != "max"]
    return min([psutil.virtual_memory().total, *limits]) // MIB


def emulated_nodes(
    count: int, cores: int, mem_mib: int, prefix: str, devices: Sequence[Device] = ()
) -> list[NodeInfo]:
    """Return `count` emulated nodes, numbered from 1 with as many digits as the last one has. Each
    has such devices."""
    gres = grouped(devices)
    hostname = socket.gethostname()
    width = len(str(count))
    return [
        NodeInfo(
            name=f"{prefix}{number:0{width}d}",
            kind="emulated",
            cores=cores,
            mem_mib=mem_mib,
            hostname=hostname,
            gres=gres,
        )
        for number in range(1, count + 1)
    ]


def _in_cgroups(name: str) -> Iterator[str]:
    """Yield what this file says in the cgroup (version 2) of this process and in those above it, as
    far as they can be seen."""
    try:
        own = own_cgroup()
    except OSError:
        return
    if own is None:
        return
    for folder in (own.path, *own.path.parents):
        try:
            yield Path(folder, name).read_text(encoding="ascii").strip()
        except OSError:  # the controller is not in use there, or it is no cgroup any more
            continue


def _os_name() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = platform.system()
    return f"{name}, kernel {platform.release()}"


def _cpu_model() -> str:
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.machine()
