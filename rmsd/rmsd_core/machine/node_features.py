"""The features of nodes, and which nodes have what an expression asks for.

Users can ask for any number of different expressions. Nodes have few different sets of features, so
an expression is compared with these, and with those alone that have one of its features.
"""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_core.machine.features import FeaturesError, alternatives

_MOST_KEPT = 4096
"""The expressions whose sets are kept."""


class NodeFeatures:
    """The features of nodes by number. Each set of features that a node has is a *kind*, and has a
    number, too."""

    __slots__ = ("_found", "_having", "_kinds", "_numbers")

    def __init__(self, features: Sequence[tuple[str, ...]]) -> None:
        numbers: dict[tuple[str, ...], int] = {}
        self._numbers = numbers
        self._kinds = [numbers.setdefault(one, len(numbers)) for one in features]
        self._having: dict[str, set[int]] = {}
        for one, number in numbers.items():
            for feature in one:
                self._having.setdefault(feature, set()).add(number)
        self._found: dict[str, frozenset[int]] = {}

    def __len__(self) -> int:
        return len(self._kinds)

    def kind(self, at: int) -> int:
        """Return the kind of node `at`."""
        return self._kinds[at]

    def matching(self, text: str) -> frozenset[int]:
        """Return the kinds that have what is asked for."""
        found = self._found.get(text)
        if found is None:
            if len(self._found) >= _MOST_KEPT:
                self._found.clear()
            found = self._found[text] = frozenset(self._match(text))
        return found

    def has(self, at: int, text: str | None) -> bool:
        """Return whether node `at` has what is asked for."""
        return text is None or self._kinds[at] in self.matching(text)

    def having(self, nodes: Sequence[int], text: str) -> list[int]:
        """Return those of the nodes that have what is asked for."""
        kinds, wanted = self._kinds, self.matching(text)
        return [at for at in nodes if kinds[at] in wanted]

    def _match(self, text: str) -> set[int]:
        """Do what `features.matches` does, for all kinds at once."""
        found = set(self._having.get(text, ()))
        try:
            sets = alternatives(text)
        except FeaturesError:
            return found
        for features in sets:
            having = [self._having.get(one, set()) for one in features]
            found |= set.intersection(*having)
        return found
