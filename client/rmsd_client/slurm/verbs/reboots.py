"""`scontrol reboot` and `cancel_reboot`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rmsd_client.api import Client
from rmsd_client.errors import ApiError
from rmsd_client.slurm.command_lines.ending import SlurmError, reason_of
from rmsd_wire.hostlist import HostlistError, expand

Json = dict[str, Any]
_NEXT_STATES = ("resume", "down")


def reboot(words: Sequence[str], options: Json) -> int:  # noqa: ARG001 - as other verbs
    """Have nodes rebooted once they are idle: `[ASAP] [nextstate=...] [reason=...] NODES|ALL`."""
    left = list(words)
    asap = bool(left) and left[0].lower() == "asap"
    if asap:
        left.pop(0)
    told = {"nextstate": "", "reason": ""}
    while left and (key := left[0].partition("=")[0].lower()) in told and "=" in left[0]:
        told[key] = left.pop(0).partition("=")[2]
    next_state = told["nextstate"].lower()
    if told["nextstate"] and next_state not in _NEXT_STATES:
        raise SlurmError(
            f'Invalid nextstate: {told["nextstate"]}. Valid options are "DOWN" or "RESUME".'
        )
    with Client() as client:
        return _each(
            _names(client, "reboot", left),
            lambda name: client.reboot(name, told["reason"], asap=asap, next_state=next_state),
            "scontrol_reboot_nodes error",
        )


def cancel(words: Sequence[str], options: Json) -> int:  # noqa: ARG001 - as other verbs
    """Have nodes not rebooted that have not begun to: `NODES`."""
    with Client() as client:
        names = _names(client, "cancel_reboot", words)
        return _each(names, client.cancel_reboot, "scontrol_cancel_reboot error")


def _names(client: Client, verb: str, words: Sequence[str]) -> list[str]:
    if not words:
        raise SlurmError(f"too few arguments for keyword:{verb}")
    if len(words) > 1:
        raise SlurmError(f"too many arguments for keyword:{verb}")
    if words[0].upper() == "ALL":
        return [node["name"] for node in client.nodes()]
    try:
        return expand(words[0])
    except HostlistError as error:
        raise SlurmError(f"Invalid node list: {error}") from None


def _each(names: Sequence[str], change: Callable[[str], Json], error_name: str) -> int:
    """Change all nodes that can be changed. Raises SlurmError with the refusals of the others."""
    refusals = []
    for name in names:
        try:
            change(name)
        except ApiError as error:
            why = "Invalid node name specified" if error.status == 404 else reason_of(error)
            if why not in refusals:
                refusals.append(why)
    if refusals:
        raise SlurmError(*(f"{error_name}: {why}" for why in refusals))
    return 0


VERBS: dict[str, Callable[[Sequence[str], Json], int]] = {
    "reboot": reboot,
    "reboot_nodes": reboot,
    "cancel_reboot": cancel,
}
"""The verbs of scontrol for reboots."""
