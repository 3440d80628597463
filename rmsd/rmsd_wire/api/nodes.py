"""Bodies about nodes."""

from __future__ import annotations

from typing import Literal

import msgspec


class DevicesView(msgspec.Struct, frozen=True):
    """The devices of one kind on a node, by their numbers, and those of them that jobs hold. Of
    those that jobs hold, some may have vanished from the node."""

    kind: str
    numbers: list[int]
    used: list[int]


class NodeView(msgspec.Struct, frozen=True, kw_only=True):
    """A node. `state`: idle, mixed, allocated, draining, drained, rebooting, suspect or down.
    `memory_limit`: what enforces the jobs' memory limits there: "cgroup" (the kernel), "polling"
    (the agent, about once a second) or "" (nothing). `device_limit`: what keeps jobs there to the
    files of their devices: "cgroup" (the kernel), "" (nothing) or "unknown" (no link to the node).
    `is_drained`: by an operator or the daemon, until it is resumed. `drain_by`, `drain_us`: the
    operator who has drained or resumed it last, "" if it was the daemon itself, and when; None:
    never. `reservation`: the advance reservation that is active there now; `is_in_maintenance`: it
    is a maintenance. `reboot`: "requested" (once the node is idle), "asap" (no job starts there
    until then), "issued" (it is rebooting) or "" (none); `reboot_by`, `reboot_us`: who has
    asked for it, and when."""

    name: str
    kind: str
    state: str
    reason: str
    cores: int
    cores_used: int
    mem_mib: int
    mem_used_mib: int
    jobs: list[int]
    features: list[str]
    partitions: list[str]
    hostname: str
    os: str
    cpu_model: str
    agent_version: str
    memory_limit: str
    devices: list[DevicesView] = []
    device_limit: str = ""
    is_drained: bool = False
    drain_by: str = ""
    drain_us: int | None = None
    reservation: str = ""
    is_in_maintenance: bool = False
    reboot: str = ""
    reboot_by: str = ""
    reboot_us: int | None = None


class NodesReply(msgspec.Struct, frozen=True):
    nodes: list[NodeView]
    schema: str = "rmsd.nodes/1"


class NodeReply(msgspec.Struct, frozen=True):
    """POST /v1/nodes/{name}."""

    node: NodeView
    schema: str = "rmsd.node/1"


class ForgottenReply(msgspec.Struct, frozen=True):
    """DELETE /v1/nodes/{name}."""

    name: str
    schema: str = "rmsd.forgotten/1"


class NodeAction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/nodes/{name}. A drain needs a reason. A reboot begins once the node is idle; `asap`:
    no job starts there until then. `next_state`: of the node after its reboot, "" is as before,
    "resume" in use, "down" drained."""

    action: Literal["drain", "resume", "reboot", "cancel-reboot"]
    reason: str = ""
    asap: bool = False
    next_state: Literal["", "resume", "down"] = ""
