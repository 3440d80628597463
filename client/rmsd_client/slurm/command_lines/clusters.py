"""The clusters that -M and SLURM_CLUSTERS name. There is one: what is meant for others must neither
show nor cancel jobs of this one."""

from __future__ import annotations

import os

from rmsd_client.console.cli import tell
from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.command_lines.site import CLUSTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_VARIABLE = "SLURM_CLUSTERS"


def check_clusters(program: str, options: Mapping[str, str]) -> bool:
    """Return whether clusters are named, this one among them; tell of the others.

    Raises:
        SlurmError: this cluster is not among them.
    """
    typed = options.get("clusters", options.get("cluster"))
    text = typed if typed is not None else os.environ.get(_VARIABLE, "")
    if not text:
        return False
    names = text.split(",")
    others = [name for name in names if not is_here(name)]
    lines = [f"{program}: error: No cluster '{name}' known by database." for name in others]
    if len(others) == len(names):
        origin = "--cluster" if typed is not None else _VARIABLE
        raise SlurmError(
            *lines,
            f"{program}: error: '{text}' can't be reached now, or it is an invalid entry for "
            f"{origin}.  Use 'sacctmgr list clusters' to see available clusters.",
        )
    if lines:
        tell(*lines)
    return True


def is_here(name: str) -> bool:
    """Return whether a name is that of this cluster, or of all."""
    return name.strip().lower() in (CLUSTER, "all")


def print_cluster(options: Mapping[str, str], *, is_named: bool) -> None:
    """Print the line above a list of a cluster that is named."""
    if is_named and "noheader" not in options:
        print(f"CLUSTER: {CLUSTER}")
