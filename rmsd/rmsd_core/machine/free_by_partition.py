"""The free cores of partitions that name their nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class FreeByPartition:
    """The free cores of each partition. A node that holds more than it has counts as full.

    members: the partitions with the numbers of their nodes; cores: the free cores of each node.
    """

    __slots__ = ("_free", "_partitions_of")

    def __init__(self, members: Iterable[tuple[str, Iterable[int]]], cores: Sequence[int]) -> None:
        self._free: dict[str, int] = {}
        self._partitions_of: dict[int, list[str]] = {}
        for name, nodes in members:
            self._free[name] = sum([max(0, cores[at]) for at in nodes])
            for at in nodes:
                self._partitions_of.setdefault(at, []).append(name)

    def change(self, at: int, more: int) -> None:
        """Note that so many cores more are free on a node."""
        for partition in self._partitions_of.get(at, ()):
            self._free[partition] += more

    def of(self, partition: str) -> int:
        """Return the free cores of a partition."""
        return self._free[partition]
