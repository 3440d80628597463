"""The order in which tasks come to nodes: -m of sbatch, srun and salloc."""

from __future__ import annotations

import os

from rmsd_client.slurm.command_lines.ending import SlurmError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

BLOCK = "block"
_MOST = 1 << 20
_PLANE_SIZE = "SLURM_DIST_PLANESIZE"


def distribution_of(program: str, values: Mapping[str, str]) -> tuple[str, int]:
    """Return the word for the distribution, and how many tasks a node has before the next one; 0:
    all of its tasks. What stands behind a colon is about sockets, which mean nothing here.

    Raises:
        SlurmError: there is no such distribution, or it is not supported.
    """
    word = values.get("distribution", "").lower().partition(",")[0].partition(":")[0]
    name, equals, number = word.partition("=")
    if word == "plane":
        number = os.environ.get(_PLANE_SIZE, "")
    if name in ("", "*", "pack", "nopack", "unknown") or (name == BLOCK and not equals):
        return BLOCK, 0
    if name == "cyclic" and not equals:
        return name, 1
    if name == "plane" and number.isascii() and number.isdigit() and 0 < int(number) <= _MOST:
        return name, int(number)
    if name == "arbitrary":
        raise SlurmError(
            f"{program}: error: --distribution=arbitrary is not supported: SLURM_HOSTFILE is not "
            "read; -w names nodes",
            code=255,
        )
    raise SlurmError(f"{program}: error: Invalid --distribution specification", code=255)


def distribution_variables(program: str, values: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that tell of the distribution."""
    name, plane = distribution_of(program, values)
    found = {"SLURM_DISTRIBUTION": name}
    return {**found, _PLANE_SIZE: str(plane)} if name == "plane" else found
