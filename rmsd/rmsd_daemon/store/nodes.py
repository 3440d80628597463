"""Nodes as the rows of the database, and as the core has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rmsd_core.jobs.gres import Share, Shares
from rmsd_core.lifecycle.inputs import NodeUp
from rmsd_core.machine.nodes import Failure, Node


def gres_row(shares: Shares) -> list[list[Any]]:
    """Return devices as the database has them: each kind with its numbers."""
    return [[share.kind, list(share.numbers)] for share in shares]


def gres_of(row: Mapping[str, Any]) -> Shares:
    """Return the devices in a row of a node.

    Raises:
        ValueError, TypeError: the row is damaged.
    """
    found = msgspec.convert(row["gres"], tuple[tuple[str, tuple[int, ...]], ...])
    return tuple([Share(kind, len(numbers), numbers) for kind, numbers in found])


def node_of(row: Mapping[str, Any]) -> Node:
    """Return the node of a row, as the core takes it up after a restart.

    Raises:
        ValueError, TypeError: the row is damaged.
    """
    return Node(
        row["name"],
        row["cores"],
        row["mem_mib"],
        tuple(row["features"]),
        row["link"],
        row["drain_reason"],
        msgspec.convert(row["failures"], tuple[Failure, ...]),
        gres_of(row),
        row["unable"],
        row["drain_by"],
        row["drain_us"],
    )


def told_of(up: NodeUp) -> dict[str, Any]:
    """Return the columns of a node that the core is told of."""
    return {
        "cores": up.cores,
        "mem_mib": up.mem_mib,
        "features": list(up.features),
        "gres": gres_row(up.gres),
        "unable": up.unable,
    }


def node_up(row: Mapping[str, Any]) -> NodeUp:
    """Return the input that tells the core of the node of a row, which an agent hosts."""
    features = tuple(row["features"])
    return NodeUp(row["name"], row["cores"], row["mem_mib"], features, gres_of(row), row["unable"])
