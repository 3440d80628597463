"""The losses of a node since its agent told of it last: memory that failed, a GPU that is gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rmsd_daemon.store.records import Row

_PART = 50
"""The part of its memory that a machine may tell less of without a loss: another kernel keeps some
MiB more for itself."""


def losses(earlier: Mapping[str, Row], accepted: Mapping[str, Row]) -> dict[str, str]:
    """Return what nodes have less of than before, by node. `earlier`, `accepted`: their rows."""
    found = {
        name: ", ".join(_losses(earlier[name], row))
        for name, row in accepted.items()
        if name in earlier
    }
    return {name: lost for name, lost in found.items() if lost}


def _losses(earlier: Row, now: Row) -> Iterator[str]:
    """Yield each thing that there is less of, with both numbers."""
    if now["cores"] < earlier["cores"]:
        yield f"{now['cores']} cores, {earlier['cores']} before"
    if earlier["mem_mib"] - now["mem_mib"] > earlier["mem_mib"] // _PART:
        yield f"{now['mem_mib']} MiB of memory, {earlier['mem_mib']} before"
    devices = {kind: len(numbers) for kind, numbers in now["gres"]}
    for kind, numbers in earlier["gres"]:
        if (left := devices.get(kind, 0)) < len(numbers):
            yield f"{left} of {kind}, {len(numbers)} before"
