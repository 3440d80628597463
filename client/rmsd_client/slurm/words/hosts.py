"""The nodes that options name, as in `squeue -w n[1-4]`."""

from __future__ import annotations

from functools import lru_cache

from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_wire.hostlist import HostlistError, expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Job = dict[str, Any]


@lru_cache(maxsize=4)
def named_nodes(program: str, text: str) -> frozenset[str]:
    """Return the nodes of a host list that a command line has. Many jobs are compared with it.

    Raises:
        SlurmError: the text is no host list.
    """
    try:
        return frozenset(expand(text))
    except HostlistError:
        raise SlurmError(f"{program}: error: '{text}' invalid entry for --nodelist") from None


def is_on(job: Job, nodes: frozenset[str]) -> bool:
    """Return whether the job has one of the nodes."""
    return bool(job["nodelist"]) and not nodes.isdisjoint(expand(job["nodelist"]))
