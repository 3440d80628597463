"""Reboots of nodes: an operator asks for one, the node is told as soon as it is idle, and another
boot of it ends the request.

An agent that comes back on the same boot has not rebooted its node, whatever it says: the reboot is
still under way. What runs there is never killed for a reboot.
"""

from __future__ import annotations

from rmsd_core.lifecycle import effects, refusals, starting
from rmsd_core.lifecycle.inputs import AskReboot, CancelReboot, NodeUp, RebootFailed
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.machine.nodes import Node, Reboot

_REBOOTED = "rebooted, and to be drained then"


def why_not(node: Node | None) -> str | None:
    """Return in words why a reboot of the node cannot be asked for now; None if it can."""
    if node is None:
        return "it is gone"
    if node.is_rebooting:
        return "it is rebooting already"
    if node.link in ("down", "leaving"):
        return f"it is {node.link}"
    if not node.boot_id:
        return "its agent does not tell which boot of the node it is: it is of an earlier version"
    return None


def ask(state: CoreState, item: AskReboot) -> None:
    """Note that a node is to be rebooted, unless it cannot be."""
    node = state.nodes.by_name.get(item.name)
    if node is None or why_not(node) is not None:
        state.refused.append(item)
        return
    now_us = state.now_us
    asked = Reboot(item.reason, item.by, now_us, item.asap, item.next_state, node.boot_id)
    state.nodes.set_reboot(item.name, asked)
    state.nodes_changed()
    if item.asap:
        starting.unclaim(state, item.name)


def cancel(state: CoreState, item: CancelReboot) -> None:
    """Note that a node is not to be rebooted, unless it is told already."""
    if item.name not in state.nodes.to_reboot:
        state.refused.append(item)
        return
    state.nodes.set_reboot(item.name, None)
    state.nodes_changed()


def failed(state: CoreState, item: RebootFailed) -> None:
    """End the reboot of a node that does not come back from it: the node is drained."""
    node = state.nodes.by_name.get(item.name)
    if node is None or node.reboot is None or not node.is_rebooting:
        return
    if node.reboot.boot_id == item.boot_id:
        _drain(state, node, item.why, "")
        _end(state, node)


def came_up(state: CoreState, item: NodeUp) -> None:
    """End the request for a reboot if the node has come up on another boot."""
    node = state.nodes.by_name[item.name]
    if node.reboot is not None and item.boot_id and item.boot_id != node.reboot.boot_id:
        _come_back(state, node, node.reboot)


def came_back(state: CoreState, name: str) -> None:
    """End the reboot that a backup knows to be under way, since an attempt has begun on the node
    after the backup. An agent that offers the node no more does not tell of its boot."""
    node = state.nodes.by_name.get(name)
    if node is not None and node.reboot is not None and node.is_rebooting:
        _come_back(state, node, node.reboot)


def begin(state: CoreState) -> None:
    """Tell the nodes to reboot that are to, are linked, and hold nothing. This comes before the
    pass, which could start the next jobs there for ever. Only nodes are looked at of which one of
    these three has changed: ten thousand may be asked for at once."""
    nodes, emptied = state.nodes, state.holdings.emptied
    changed = sorted(nodes.to_reboot.intersection(emptied | nodes.may_reboot))
    emptied.clear()
    nodes.may_reboot.clear()
    for name in changed:
        node = state.nodes.by_name[name]
        if node.link != "up" or node.reboot is None or state.holdings.on(name).jobs:
            continue
        starting.unclaim(state, name)
        begun = node.reboot._replace(issued_us=state.now_us)
        state.nodes.set_reboot(name, begun)
        state.nodes_changed()
        state.decide(effects.BeginReboot(name, begun))


def _come_back(state: CoreState, node: Node, reboot: Reboot) -> None:
    if reboot.next_state == "down":
        _drain(state, node, reboot.reason or _REBOOTED, reboot.by)
    elif reboot.next_state == "resume" and node.drain_reason is not None:
        _drain(state, node, None, reboot.by)
    _end(state, node)


def _end(state: CoreState, node: Node) -> None:
    state.nodes.set_reboot(node.name, None)
    state.nodes_changed()


def _drain(state: CoreState, node: Node, reason: str | None, by: str) -> None:
    state.nodes.set_drain(node.name, reason, by, state.now_us)
    refusals.tell_drain(state, node.name)
