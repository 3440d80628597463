"""What this machine has, and the nodes that an agent hosts."""

from __future__ import annotations

import platform
import socket

import psutil

from rmsd_wire.link import NodeInfo

MIB = 1 << 20
EMULATED_MEM_MIB_PER_CORE = 2048


def short_hostname() -> str:
    return socket.gethostname().partition(".")[0]


def real_node(name: str) -> NodeInfo:
    """Return this machine as a node, with all its logical cores and memory."""
    return NodeInfo(
        name=name,
        kind="real",
        cores=psutil.cpu_count(logical=True) or 1,
        mem_mib=psutil.virtual_memory().total // MIB,
        hostname=socket.gethostname(),
        os=_os_name(),
        cpu_model=_cpu_model(),
    )


def emulated_nodes(count: int, cores: int, mem_mib: int, prefix: str) -> list[NodeInfo]:
    """Return `count` emulated nodes, numbered from 1 with as many digits as the last one has."""
    hostname = socket.gethostname()
    width = len(str(count))
    return [
        NodeInfo(
            name=f"{prefix}{number:0{width}d}",
            kind="emulated",
            cores=cores,
            mem_mib=mem_mib,
            hostname=hostname,
        )
        for number in range(1, count + 1)
    ]


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
