"""The least requests of some jobs, by kind: if none of them fits, none of the jobs does."""

from __future__ import annotations

from collections.abc import Iterable

from rmsd_core.jobs.gres import Demands
from rmsd_core.jobs.request import Component, Request

_Kind = tuple[tuple[int, bool, int, str | None, str | None, Demands | None], ...]
"""The components of requests that are compared by their units alone: their cores, whether each unit
takes a node, the highest bit of the memory, the feature, the partition, and what few ask for."""


def least_requests(requests: Iterable[Request]) -> list[Request]:
    """Return a request for each kind that asks for no more than any of that kind. Named nodes do
    not count, and neither do partitions that are closed now, since they may open."""
    least: dict[_Kind, tuple[int, ...]] = {}
    last: Request | None = None
    for request in requests:
        if request is last:  # tasks of an array share theirs
            continue
        last = request
        parts = request.components
        kind = tuple(
            [
                (
                    one.cores,
                    one.spread,
                    one.mem_mib.bit_length(),
                    one.feature,
                    one.partition,
                    one.needs,
                )
                for one in parts
            ]
        )
        units = tuple([one.units for one in parts])
        known = least.get(kind)
        if known is None:
            least[kind] = units
        elif units != known:
            least[kind] = tuple(map(min, units, known))
    return [_request(kind, units) for kind, units in least.items()]


def _request(kind: _Kind, units: tuple[int, ...]) -> Request:
    return Request(
        tuple(
            [
                Component(
                    count, cores, (1 << mem_bit) >> 1, spread, feature, partition, needs=needs
                )
                for count, (cores, spread, mem_bit, feature, partition, needs) in zip(
                    units, kind, strict=True
                )
            ]
        )
    )
