"""The page with a map of all nodes: one cell for each, which tells state and use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

MOST_NODES = 20_000
_MOST_ROWS = 100
_MOST_JOBS = 5
_MOST_REASON = 200
IN_ORDER = frozenset({"idle", "mixed", "allocated"})
"""The states of nodes that need nobody's attention."""

Node = Mapping[str, Any]


class FeatureNodes(NamedTuple):
    """The nodes with a feature, in few numbers. `away`: how many are not in order."""

    feature: str
    nodes: int
    cores: int
    cores_used: int
    away: int


class NodeMap(NamedTuple):
    """The values of the page. `data` is what the script draws. `away`: nodes that are not in order,
    of `away_total`."""

    data: dict[str, Any]
    features: list[FeatureNodes]
    away: list[Node]
    away_total: int
    total: int
    left_out: int


def node_map(nodes: Sequence[Node]) -> NodeMap:
    """Return what the page shows of the nodes."""
    shown = nodes[:MOST_NODES]
    words = _Words()
    cells = [
        [
            node["name"],
            words.number(node["state"]),
            node["cores_used"],
            node["cores"],
            node["mem_used_mib"],
            node["mem_mib"],
            [words.number(one) for one in (*node["features"], *node["partitions"])],
            [node["jobs"][:_MOST_JOBS], len(node["jobs"])],
            node["reason"][:_MOST_REASON],
        ]
        for node in shown
    ]
    groups = sorted({one for node in shown for one in (*node["features"], *node["partitions"])})
    data = {"words": words.listed, "groups": groups, "nodes": cells}
    away = [node for node in nodes if node["state"] not in IN_ORDER]
    left_out = len(nodes) - len(shown)
    return NodeMap(data, by_feature(nodes), away[:_MOST_ROWS], len(away), len(nodes), left_out)


class _Words:
    """Texts that many nodes have, each of which is sent once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, word: str) -> int:
        return self._numbers.setdefault(word, len(self._numbers))

    @property
    def listed(self) -> list[str]:
        """Return the words by their numbers."""
        return list(self._numbers)


def by_feature(nodes: Iterable[Node]) -> list[FeatureNodes]:
    """Return the features, that of the most nodes first."""
    count, cores, used, away = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for node in nodes:
        for feature in node["features"]:
            count[feature] += 1
            cores[feature] += node["cores"]
            used[feature] += node["cores_used"]
            away[feature] += node["state"] not in IN_ORDER
    order = sorted(count, key=lambda feature: (-count[feature], feature))
    return [
        FeatureNodes(one, count[one], cores[one], used[one], away[one])
        for one in order[:_MOST_ROWS]
    ]
