"""Nodes as the rows of the database, and as the core has them; stand-ins for lost rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import structlog

from rmsd_core.jobs.gres import Share, Shares
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Waiting
from rmsd_core.lifecycle.inputs import NodeUp
from rmsd_core.machine.nodes import Failure, Node, Reboot

log = structlog.get_logger()


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
        row["boot_id"],
        msgspec.convert(row["reboot"], Reboot) if row["reboot"] else None,
    )


def told_of(up: NodeUp) -> dict[str, Any]:
    """Return the columns of a node that the core is told of."""
    return {
        "cores": up.cores,
        "mem_mib": up.mem_mib,
        "features": list(up.features),
        "gres": gres_row(up.gres),
        "unable": up.unable,
        "boot_id": up.boot_id,
    }


def reboot_row(reboot: Reboot | None) -> list[Any]:
    """Return a reboot as the database has it; [] if there is none."""
    return [] if reboot is None else list(reboot)


def node_up(row: Mapping[str, Any]) -> NodeUp:
    """Return the input that tells the core of the node of a row, which an agent hosts."""
    return NodeUp(
        row["name"],
        row["cores"],
        row["mem_mib"],
        tuple(row["features"]),
        gres_of(row),
        row["unable"],
        row["boot_id"],
    )


def lost_nodes(jobs: Iterable[Job], known: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Make stand-ins for the nodes that hold something of `jobs` and whose rows are lost.

    They are as large as what they hold, and belong to the agent that registers them next.
    """
    names = {row["name"] for row in known}
    lost: dict[str, dict[str, Any]] = {}
    for job in jobs:
        if type(job.phase) is Waiting:  # nearly all jobs, and they hold nothing
            continue
        held = (piece for piece in job.allocation if piece.node in job.open_nodes)
        claimed = job.claim.place if job.claim is not None else ()
        for piece in (*held, *claimed):  # a node that has confirmed its part may be gone
            if piece.node not in names:
                row = lost.setdefault(piece.node, _stand_in(piece.node))
                row["cores"] += piece.cores
                row["mem_mib"] += piece.mem_mib
                _add_devices(row["gres"], piece.gres)
    for name in lost:
        log.error("node-damaged", node=name, error="its row is lost")
    return list(lost.values())


def _add_devices(gres: list[list[Any]], shares: Shares) -> None:
    """Add devices that are held to those of a stand-in. Claims have none that are chosen yet."""
    for kind, _, numbers in shares:
        known = next((held for name, held in gres if name == kind), None)
        if known is None:
            gres.append([kind, known := []])
        known += [number for number in numbers if number not in known]


def _stand_in(name: str) -> dict[str, Any]:
    """Return a row of a node of which nothing is known but that jobs hold something there."""
    unknown = ("kind", "hostname", "os", "cpu_model", "agent_version", "memory_limit")
    return {
        **dict.fromkeys(unknown, "unknown"),
        "unable": "",
        "boot_id": "",
        "name": name,
        "agent_id": "",
        "cores": 0,
        "mem_mib": 0,
        "features": [],
        "gres": [],
        "link": "suspect",
        "failures": [],
        "drain_reason": None,
        "drain_by": "",
        "drain_us": None,
        "reboot": [],
    }
