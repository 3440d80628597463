"""Reboots of nodes as `rnode` asks for them and shows them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from rmsd_client.api import Client
from rmsd_client.errors import UsageError
from rmsd_client.show.job_fields import local_time

_OPTIONS = {"asap": "--asap", "cancel": "--cancel", "next_state": "--next-state", "why": "--reason"}
_STATES = {
    "requested": "once the node is idle",
    "asap": "once the node is idle; no job starts there until then",
    "issued": "under way",
}


def add_options(parser: ArgumentParser) -> None:
    """Add the options of `rnode reboot`."""
    add = parser.add_argument_group("reboot").add_argument
    add("--asap", action="store_true",
        help="start no job there until the reboot, so that the node becomes idle")  # fmt: skip
    add(
        "--next-state",
        metavar="STATE",
        choices=("resume", "down"),
        help="after the reboot: resume (in use) or down (drained); default: as before",
    )
    add("--reason", dest="why", metavar="TEXT", help="why, for those who look at the nodes")
    add("--cancel", action="store_true", help="do not reboot nodes that have not begun to")


def check(args: Namespace) -> None:
    """Check the options of a command about reboots. Raises UsageError."""
    given = [option for name, option in _OPTIONS.items() if getattr(args, name)]
    if args.action != "reboot" and given:
        raise UsageError(f"{args.action}: {given[0]} goes with reboot")
    if args.cancel and len(given) > 1:
        others = next(option for option in given if option != "--cancel")
        raise UsageError(f"reboot: {others} does not go with --cancel")


def ask(client: Client, node: str, args: Namespace) -> dict[str, Any]:
    """Ask for the reboot of a node, or cancel it. Return the node."""
    if args.cancel:
        return client.cancel_reboot(node)
    return client.reboot(node, args.why or "", asap=args.asap, next_state=args.next_state or "")


def lines(node: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the line of `rnode show` about the reboot of a node."""
    if not (reboot := node.get("reboot")):  # older daemons do not tell it
        return []
    asked = f"asked for by {node['reboot_by']}, {local_time(node['reboot_us'])}"
    return [("Reboot", f"{_STATES.get(reboot, reboot)}; {asked}")]
