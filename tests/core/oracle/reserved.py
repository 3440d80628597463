"""EASY, first come first served, and conservative backfilling beside advance reservations of
counted processors: whole seconds, no trials, predictions are estimates.

This is the plainest way to say it: a schedule of all that is committed, and a look at each second
at which that changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from rmsd_lab.workloads.swf import TraceJob

Kind = Literal["fcfs", "easy", "conservative"]


@dataclass
class Block:
    """Processors that are committed over [start, end)."""

    start: int
    end: int
    size: int


@dataclass
class Beside:
    """A machine with reservations, and the queue of a recipe. starts: by the place in the trace."""

    trace: Sequence[TraceJob]
    processors: int
    reservations: Sequence[Block]
    kind: Kind
    starts: dict[int, int] = field(default_factory=dict)
    planned: dict[int, int] = field(default_factory=dict)
    now: int = 0

    def run(self) -> dict[int, int]:
        ends: dict[int, int] = {}
        while len(ends) < len(self.trace):
            ends = {at: start + self.trace[at].run_s for at, start in self.starts.items()}
            self._pass([at for at, end in ends.items() if end > self.now])
            later = [
                *(job.submit_s for job in self.trace),
                *(start + self.trace[at].run_s for at, start in self.starts.items()),
                *(us for one in self.reservations for us in (one.start, one.end)),
                *self.planned.values(),
            ]
            ends = {at: end for at, end in ends.items() if end <= self.now}
            self.now = min([instant for instant in later if instant > self.now], default=self.now)
        return self.starts

    def _pass(self, running: list[int]) -> None:
        committed = [*self.reservations]
        committed += [self._block(at, self.starts[at]) for at in running]
        queue = [
            at
            for at, job in enumerate(self.trace)
            if job.submit_s <= self.now and at not in self.starts
        ]
        if self.kind == "conservative":
            self._plan(queue, committed)
            return
        while queue and self._fits(queue[0], self.now, committed):
            self._start(queue.pop(0), committed)
        if not queue or self.kind == "fcfs":
            return
        head, *behind = queue
        committed.append(self._block(head, self._earliest(head, committed)))
        for at in behind:
            if self._fits(at, self.now, committed):
                self._start(at, committed)

    def _plan(self, queue: list[int], committed: list[Block]) -> None:
        """Place what was planned again, and then lift out one job after the other."""
        blocks: dict[int, Block] = {}
        for at in [at for at in queue if at in self.planned]:
            start = max(self.now, self.planned[at])
            if self._fits(at, start, [*committed, *blocks.values()]):
                blocks[at] = self._block(at, start)
        for at in queue:
            blocks.pop(at, None)
            start = self._earliest(at, [*committed, *blocks.values()])
            blocks[at] = self._block(at, start)
        self.planned = {}
        for at, block in blocks.items():
            if block.start == self.now:
                self.starts[at] = self.now
            else:
                self.planned[at] = block.start

    def _start(self, at: int, committed: list[Block]) -> None:
        self.starts[at] = self.now
        committed.append(self._block(at, self.now))

    def _block(self, at: int, start: int) -> Block:
        return Block(start, start + self.trace[at].estimate_s, self.trace[at].size)

    def _earliest(self, at: int, committed: list[Block]) -> int:
        instants = sorted({self.now, *(one.end for one in committed if one.end > self.now)})
        return next(start for start in instants if self._fits(at, start, committed))

    def _fits(self, at: int, start: int, committed: list[Block]) -> bool:
        """Return whether the job fits from `start` on, for as long as its estimate."""
        mine = self._block(at, start)
        changes = [start, *(one.start for one in committed if mine.start < one.start < mine.end)]
        return all(
            mine.size + sum([one.size for one in committed if one.start <= instant < one.end])
            <= self.processors
            for instant in changes
        )
