"""The news of nodes as events, and back from these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rmsd_core.lifecycle.inputs import (
    AskReboot,
    CancelReboot,
    Drain,
    NodeDead,
    NodeGone,
    NodeLeaving,
    NodeSuspect,
    NodeUp,
    RebootFailed,
    Resume,
)
from rmsd_core.lifecycle.node_news import NodeNews
from rmsd_daemon.store.nodes import node_up, told_of

_Row = dict[str, Any]


def node_event(item: NodeNews, nodes: Mapping[str, _Row]) -> tuple[str, _Row]:
    """Return the kind and the payload of the event that records news of a node. `nodes`: the rows
    of nodes."""
    match item:
        case NodeUp(name):
            # The row has the last news of a node that comes up twice in a batch.
            return "node-up", nodes[name] | told_of(item)
        case NodeSuspect(name):
            return "node-suspect", {"name": name}
        case NodeDead(name):
            return "node-dead", {"name": name}
        case NodeLeaving(name):
            return "node-leaving", {"name": name}
        case NodeGone(name):
            return "node-gone", {"name": name}
        case Drain(name, reason, by):
            return "drain", {"name": name, "drain_reason": reason, "drain_by": by}
        case Resume(name, by):
            return "resume", {"name": name, "drain_by": by}
        case AskReboot():
            return "ask-reboot", asdict(item)
        case CancelReboot():
            return "cancel-reboot", asdict(item)
        case RebootFailed():
            return "reboot-failed", asdict(item)


def news_of(kind: str, payload: _Row) -> NodeNews | None:
    """Return the news of a node that an event records; None if it records something else.

    Raises:
        ValueError, KeyError, TypeError: the event is damaged.
    """
    match kind:
        case "node-up":
            return node_up(payload)
        case "node-suspect":
            return NodeSuspect(payload["name"])
        case "node-dead":
            return NodeDead(payload["name"])
        case "node-leaving":
            return NodeLeaving(payload["name"])
        case "node-gone":
            return NodeGone(payload["name"])
        case "drain":
            return Drain(payload["name"], payload["drain_reason"], payload["drain_by"])
        case "resume":
            return Resume(payload["name"], payload["drain_by"])
        case "ask-reboot":
            return AskReboot(**payload)
        case "cancel-reboot":
            return CancelReboot(**payload)
        case "reboot-failed":
            return RebootFailed(**payload)
    return None
