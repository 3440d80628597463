"""An attempt: one start of a job on its nodes, until every node has confirmed that it is over."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from rmsd_core.jobs.request import Allocation
from rmsd_core.vocabulary import NOTHING_USED, Cause, Fault, Used

_NONE: frozenset[str] = frozenset()
_FEW = 8
"""The pieces among which one is found as soon as in a table."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of an attempt on a node, as its agent reported it. The outcome on the batch host
    becomes the attempt's, with what was used on all nodes.

    fault: whose fault a failed launch was. None says that the agent is older and does not tell; the
        launch then counts as the job's.
    """

    cause: Cause
    exit_code: int | None = None
    signal: int | None = None
    cpu_s: float | None = None
    max_rss_mib: int | None = None
    message: str = ""
    fault: Fault | None = None


@dataclass(slots=True, eq=False)
class Attempt:
    """A start of a job, at model time `start_us`, on `allocation`.

    open_nodes: the nodes that have not confirmed the end. There may be thousands, which confirm it
        one after the other: nothing is done for all of them each time.
    launched: the batch host has confirmed the start of the script.
    outcome, end_us: of the script, once the batch host has confirmed its end or is lost.
    suspended_us: how long the attempt was suspended, before the present suspension.
    used: on the nodes that have confirmed the end.
    """

    allocation: Allocation
    start_us: int
    open_nodes: AbstractSet[str]
    launched: bool = False
    outcome: Outcome | None = None
    end_us: int | None = None
    used: Used = NOTHING_USED
    suspended_us: int = 0
    _by_node: dict[str, Allocation] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    def pieces_on(self, node: str) -> Allocation:
        """Return what the attempt was given on a node."""
        if len(self.allocation) <= _FEW:
            return tuple([piece for piece in self.allocation if piece.node == node])
        if (by_node := self._by_node) is None:
            by_node = self._by_node = {}
            for piece in self.allocation:
                by_node[piece.node] = (*by_node.get(piece.node, ()), piece)
        return by_node.get(node, ())

    def holding(self) -> Allocation:
        """Return the pieces on nodes that have not confirmed the end."""
        if len(self.open_nodes) == len(self.allocation):
            return self.allocation
        return tuple([piece for piece in self.allocation if piece.node in self.open_nodes])

    def copied(self) -> Attempt:
        """Return a copy that stays as it is while nodes confirm the end."""
        return replace(self, open_nodes=frozenset(self.open_nodes))

    def close(self, node: str) -> None:
        """Note that a node has confirmed the end."""
        if len(self.open_nodes) == 1:
            self.open_nodes = _NONE
            return
        if not isinstance(self.open_nodes, set):
            self.open_nodes = set(self.open_nodes)
        self.open_nodes.discard(node)


def begun(allocation: Allocation, start_us: int) -> Attempt:
    """Return an attempt that begins on `allocation` at `start_us`."""
    if len(allocation) == 1:
        return Attempt(allocation, start_us, _alone(allocation[0].node))
    return Attempt(allocation, start_us, frozenset([piece.node for piece in allocation]))


@lru_cache(maxsize=1 << 14)
def _alone(node: str) -> frozenset[str]:
    return frozenset((node,))


class Refusal(NamedTuple):
    """A launch of the job that failed, and not surely by the job's own fault."""

    attempt: int
    node: str
    fault: Fault
