"""The news of nodes: they come, are lost, leave, are drained or rebooted, and take work again."""

from __future__ import annotations

from typing import TypeGuard

from rmsd_core.lifecycle import devices, ending, reboots, refusals, starting
from rmsd_core.lifecycle.inputs import (
    AskReboot,
    CancelReboot,
    Drain,
    Input,
    NodeDead,
    NodeGone,
    NodeLeaving,
    NodeSuspect,
    NodeUp,
    RebootFailed,
    Resume,
)
from rmsd_core.lifecycle.state import CoreState

NodeNews = (
    NodeUp
    | NodeSuspect
    | NodeDead
    | NodeLeaving
    | NodeGone
    | Drain
    | Resume
    | AskReboot
    | CancelReboot
    | RebootFailed
)


def hear(state: CoreState, item: NodeNews) -> None:
    """Apply the news of a node."""
    name = item.name
    match item:
        case NodeUp():
            if takes_less(item, state):
                starting.unclaim(state, name)
            state.nodes.up(item, devices.usable(state, name, item.gres))
            reboots.came_up(state, item)
            state.deadlines.rest = False
            state.nodes_changed()
        case NodeSuspect():
            _available(state, changed=state.nodes.set_link(name, "suspect"))
        case NodeDead():
            lose(state, name)
            ending.node_lost(state, name)
        case NodeLeaving():
            _available(state, changed=state.nodes.set_link(name, "leaving"))
            starting.unclaim(state, name)
        case NodeGone():
            _forget(state, item)
        case Drain():
            _set_drain(state, item, item.reason)
            starting.unclaim(state, name)
        case Resume():
            _set_drain(state, item, None)
            refusals.forgive(state, name)
        case AskReboot():
            reboots.ask(state, item)
        case CancelReboot():
            reboots.cancel(state, item)
        case RebootFailed():
            reboots.failed(state, item)


def takes_less(item: Input, state: CoreState) -> TypeGuard[NodeUp | NodeLeaving | Drain]:
    """Return whether the news is that a node can no longer hold all that is claimed on it."""
    if type(item) is NodeUp:
        return bool(item.unable) or state.nodes.shrinks(
            item.name, item.cores, item.mem_mib, item.gres
        )
    return type(item) in (NodeLeaving, Drain)


def lose(state: CoreState, name: str) -> None:
    """Note that a node is lost, with what is claimed there."""
    _available(state, changed=state.nodes.set_link(name, "down"))
    starting.unclaim(state, name)


def _available(state: CoreState, *, changed: bool) -> None:
    if changed:
        state.nodes_changed()


def _set_drain(state: CoreState, item: Drain | Resume, reason: str | None) -> None:
    _available(state, changed=state.nodes.set_drain(item.name, reason, item.by, state.now_us))
    refusals.tell_drain(state, item.name)


def _forget(state: CoreState, item: NodeGone) -> None:
    """Forget a node that is down or leaving, and holds nothing; otherwise the input is refused."""
    node = state.nodes.by_name.get(item.name)
    if node is None:
        return
    if node.link not in ("down", "leaving") or state.holders_on(item.name):
        state.refused.append(item)
        return
    refusals.forgive(state, item.name)
    refusals.untell(state, item.name)
    state.nodes.forget(item.name)
    state.nodes_changed()
