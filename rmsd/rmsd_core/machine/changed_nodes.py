"""The nodes on which something else is free than before, in the order of these changes."""

from __future__ import annotations

MOST_KEPT = 4096
"""The changes that are kept. Whoever has seen fewer than those before them looks at all nodes."""


class ChangedNodes:
    """The latest changes of what is free. count: how many there have been; what was copied at a
    count is brought up to date by a look at the nodes that have changed since."""

    __slots__ = ("_first", "_nodes", "count")

    def __init__(self) -> None:
        self._nodes: list[int] = []
        self._first = 0  # the count at the first of them
        self.count = 0

    def note(self, at: int) -> None:
        """Note that something else is free on a node."""
        self.count += 1
        if len(self._nodes) >= MOST_KEPT:
            self._nodes = self._nodes[MOST_KEPT // 2 :]
            self._first += MOST_KEPT // 2
        self._nodes.append(at)

    def note_all(self) -> None:
        """Note that other nodes than before may be used."""
        self.count += 1
        self._nodes = []
        self._first = self.count

    def since(self, count: int) -> list[int] | None:
        """Return the nodes that have changed since this count, each once; None if all may have."""
        if count < self._first:
            return None
        return list(dict.fromkeys(self._nodes[count - self._first :]))
