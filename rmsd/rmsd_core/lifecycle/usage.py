"""The use of nodes by jobs, for callers; nothing is decided by it.

It is counted as jobs start and end: callers ask often, and do not wait for a walk over all jobs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Done
from rmsd_core.jobs.request import Allocation, Piece


@dataclass(slots=True)
class Usage:
    """The cores, the memory and the devices (kinds and numbers) that are held on a node, and the
    jobs that hold them."""

    cores: int = 0
    mem_mib: int = 0
    devices: Counter[tuple[str, int]] = field(default_factory=Counter)
    jobs: set[int] = field(default_factory=set)

    @property
    def job_ids(self) -> list[int]:
        return sorted(self.jobs)


class Holdings:
    """The pieces that attempts hold, by job and by node. Without any there is no entry.

    emptied: the nodes that have given back the last piece, since `reboots` has last looked.
    """

    def __init__(self) -> None:
        self.emptied: set[str] = set()
        self._of_job: dict[int, Allocation] = {}
        self._left: dict[int, set[str]] = {}  # the nodes that jobs have left since
        self._on_node: dict[str, Usage] = {}

    def on(self, node: str) -> Usage:
        """Return what is held on a node."""
        return self._on_node.get(node) or Usage()

    def jobs(self) -> list[int]:
        """Return the jobs that hold something."""
        return [*self._of_job]

    def nodes(self) -> list[str]:
        """Return the nodes on which something is held."""
        return [*self._on_node]

    def changed(self, job: Job) -> None:
        """Note what a job holds now."""
        attempt = job.phase.attempt
        held = () if attempt is None or type(job.phase) is Done else attempt.holding()
        before = self._of_job.get(job.id, ())
        if left := self._left.pop(job.id, None):
            before = tuple([piece for piece in before if piece.node not in left])
        if held == before:
            if left:
                self._now_holds(job, held)
            return
        for piece in before:
            self.count_piece(piece, -1).jobs.discard(job.id)
        for piece in held:
            self.count_piece(piece, 1).jobs.add(job.id)
        self._give_up(before)
        self._now_holds(job, held)

    def left(self, job: Job, node: str) -> None:
        """Note that a job holds nothing any more on one of its nodes, of which there may be
        thousands."""
        attempt = job.phase.attempt
        assert attempt is not None
        gone = attempt.pieces_on(node)
        for piece in gone:
            self.count_piece(piece, -1).jobs.discard(job.id)
        self._give_up(gone)
        if attempt.open_nodes:
            self._left.setdefault(job.id, set()).add(node)
        else:
            self._left.pop(job.id, None)
            self._of_job.pop(job.id, None)

    def _now_holds(self, job: Job, held: Allocation) -> None:
        if held:
            self._of_job[job.id] = held
        else:
            self._of_job.pop(job.id, None)

    def _give_up(self, gone: Iterable[Piece]) -> None:
        """Forget the nodes of these pieces on which nothing is held any more."""
        for piece in gone:
            if piece.node in self._on_node and not self._on_node[piece.node].jobs:
                del self._on_node[piece.node]
                self.emptied.add(piece.node)

    def count_piece(self, piece: Piece, sign: int) -> Usage:
        """Count a piece on its node, or count it no more (-1). Return what is held there then."""
        usage = self._on_node.setdefault(piece.node, Usage())
        usage.cores += sign * piece.cores
        usage.mem_mib += sign * piece.mem_mib
        for kind, _, numbers in piece.gres:
            for number in numbers:
                usage.devices[kind, number] += sign
                if not usage.devices[kind, number]:
                    del usage.devices[kind, number]
        return usage
