"""The text that names devices of a node, as `gpu:a100:0,1;fpga:0`. Standard library only.

Jobs and tasks find theirs in RMS_GRES, and the field `node_gres` of a job has one for each node.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


def write_devices(held: Iterable[tuple[str, Collection[int]]]) -> str:
    """Return the text for devices: for each kind, as `gpu:a100`, the numbers of its devices."""
    return ";".join([f"{kind}:{','.join(map(str, numbers))}" for kind, numbers in held])


def read_devices(text: str) -> list[tuple[str, list[int]]]:
    """Return the numbers of devices by kind in such a text."""
    parts = [one.rpartition(":") for one in text.split(";") if one]
    return [(kind, [int(at) for at in told.split(",") if at.isdigit()]) for kind, _, told in parts]
