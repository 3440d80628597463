"""The settings of a private cluster, and the places of its files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

MIB_PER_CORE = 2048
MOST_NODES = 64
"""Each node is a process of some 60 MiB."""


class SettingsError(Exception):
    """A cluster cannot be as it was asked for; the message says why."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The size of a private cluster, the rate of its clock, and the seed of its story."""

    nodes: int = 2
    cores: int = 4
    mem_mib: int | None = None
    partitions: tuple[str, ...] = ("main",)
    rate: float = 1.0
    seed: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.nodes <= MOST_NODES:
            raise SettingsError(f"{self.nodes} nodes: 1 to {MOST_NODES}")
        if self.cores < 1:
            raise SettingsError(f"{self.cores} cores: 1 or more")
        if self.mem_mib is not None and self.mem_mib < 1:
            raise SettingsError(f"{self.mem_mib} MiB of memory: 1 or more")
        if not self.partitions:
            raise SettingsError("a cluster has one partition at least")
        if self.rate < 1:
            raise SettingsError(f"rate {self.rate:g}: 1 or more")

    @classmethod
    def of(cls, *, partitions: Sequence[str] = ("main",), **others: Any) -> Self:
        """Return the settings that a call names: any sequence of partitions will do."""
        return cls(partitions=tuple(partitions), **others)

    @property
    def node_names(self) -> list[str]:
        """Return the names of the nodes: node1, node2, ..."""
        return [f"node{number}" for number in range(1, self.nodes + 1)]

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls.of(**json.loads(text))

    def daemon_toml(self, state_dir: Path) -> str:
        """Return the configuration of the cluster's daemon."""
        lines = [
            f"state_dir = {json.dumps(str(state_dir))}",
            "local_node = false",
            f"rate = {self.rate!r}",
            'node_dead = "1s"',
            'kill_grace = "2s"',
        ]
        for number, name in enumerate(self.partitions):
            lines += [f"[partitions.{json.dumps(name)}]", f'nodes = "node[1-{self.nodes}]"']
            lines += ["default = true"] if number == 0 else []
        return "\n".join([*lines, ""])


class Files:
    """The files of a private cluster, all in one folder, whose path is short enough for sockets."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.state = folder / "state"
        self.socket = self.state / "rmsd.sock"
        self.faults = folder / "faults"
        self.orders = folder / "orders"
        self.control = folder / "control.sock"
        self.settings = folder / "settings.json"
        self.config = folder / "rmsd.toml"
        self.log = folder / "log"

    @property
    def server(self) -> str:
        """Return the daemon's address."""
        return f"unix:{self.socket}"

    def node(self, name: str) -> Path:
        """Return the state directory of a node's agent."""
        return self.folder / name
