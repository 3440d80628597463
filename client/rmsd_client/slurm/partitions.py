"""The partitions of the site, as far as Slurm's commands tell of them."""

from __future__ import annotations

from rmsd_client.slurm.site import DEFAULT_PARTITION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rmsd_client.api import Client

    Node = dict[str, Any]


class SitePartition:
    """A partition: its nodes by name, and its limits (None: there is none)."""

    __slots__ = (
        "default_time_s",
        "is_default",
        "is_up",
        "max_nodes",
        "max_time_s",
        "name",
        "nodes",
    )

    def __init__(self, name: str, nodes: list[str], *, is_default: bool) -> None:
        self.name = name
        self.nodes = nodes
        self.is_default = is_default
        self.is_up = True
        self.max_time_s: float | None = None
        self.default_time_s: float | None = None
        self.max_nodes: int | None = None


def load_partitions(client: Client, nodes: Sequence[Node]) -> list[SitePartition]:  # noqa: ARG001
    """Return the partitions of the site, the default one first."""
    return [SitePartition(DEFAULT_PARTITION, [node["name"] for node in nodes], is_default=True)]
