"""A node as its agent describes it."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import msgspec

from rmsd_core.vocabulary import FEATURE_PATTERN
from rmsd_wire.features import MOST_FEATURES
from rmsd_wire.gres import MOST_DEVICES, MOST_KINDS
from rmsd_wire.link_values import Count, Name, Size

Feature = Annotated[str, msgspec.Meta(pattern=rf"^{FEATURE_PATTERN}\Z", max_length=64)]


BootId = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-zA-Z.-]*\Z", max_length=64)]
"""A text that differs for each boot of a node. Linux tells a random one."""


class NodeDevices(NamedTuple):
    """The devices of one kind (`gpu:a100`) on a node. Each has a number: those of a name (`gpu`)
    differ, whatever their types."""

    kind: Name
    numbers: Annotated[tuple[Count, ...], msgspec.Meta(max_length=MOST_DEVICES)]


class NodeInfo(msgspec.Struct, frozen=True):
    """A node that an agent hosts. `kind` is also a feature of the node (`rsub -C real`), beside
    its `features`.
    `memory_limit` says what enforces the jobs' memory limits: "cgroup" (the kernel), "polling" (the
    agent, about once a second), or "" (nothing: an agent of a version before memory limits).
    `gres`: its devices; an agent of an earlier version tells of none. `unable`: why the agent can
    start no job there now; "" if it can. `boot_id`: which boot of the node it is; "" from an agent
    of an earlier version. `can_reboot`: the agent has a program to reboot the node.
    `device_limit` says what keeps jobs to the files of their devices: "cgroup" (the kernel), or ""
    (nothing, or an agent of an earlier version)."""

    name: Name
    kind: Literal["real", "emulated"]
    cores: Count
    mem_mib: Size
    hostname: str = ""
    os: str = ""
    cpu_model: str = ""
    memory_limit: str = ""
    gres: Annotated[tuple[NodeDevices, ...], msgspec.Meta(max_length=MOST_KINDS)] = ()
    unable: str = ""
    boot_id: BootId = ""
    can_reboot: bool = False
    features: Annotated[tuple[Feature, ...], msgspec.Meta(max_length=MOST_FEATURES)] = ()
    device_limit: str = ""
