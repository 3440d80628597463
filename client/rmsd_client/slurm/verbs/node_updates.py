"""The changes of `scontrol update NodeName=...`."""

from __future__ import annotations

from rmsd_client.api import Client
from rmsd_client.console.cli import tell
from rmsd_client.errors import ApiError
from rmsd_client.slurm.command_lines.ending import SlurmError, reason_of
from rmsd_wire.hostlist import HostlistError, expand


def update_node(names: str, pairs: dict[str, str]) -> int:
    """Drain or resume nodes, as the pairs say; returns the exit code."""
    state = pairs.pop("state", "").upper()
    reason = pairs.pop("reason", "").removeprefix('"').removesuffix('"')
    if pairs:
        raise SlurmError(f"Update of this parameter is not supported: {next(iter(pairs))}")
    if state not in ("DRAIN", "DOWN", "RESUME", "UNDRAIN", "IDLE"):
        raise SlurmError(f"Invalid input: {state}", "Request aborted")
    drains = state in ("DRAIN", "DOWN")
    if drains and not reason:
        raise SlurmError("You must specify a reason when DOWNING a node. Request aborted")
    if state == "DOWN":
        tell("scontrol: warning: State=DOWN is DRAIN here: the jobs of the node run on")
    try:
        found = expand(names)
    except HostlistError:
        raise SlurmError("slurm_update error: Invalid node name specified") from None
    with Client() as client:
        for name in found:
            try:
                client.drain(name, reason) if drains else client.resume(name)
            except ApiError as error:
                raise SlurmError(f"slurm_update error: {refusal(error)}") from None
    return 0


def refusal(error: ApiError) -> str:
    """Return why a node was not changed, in Slurm's words where it has some."""
    own = {403: "Invalid user id", 404: "Invalid node name specified"}
    return own.get(error.status) or reason_of(error)
