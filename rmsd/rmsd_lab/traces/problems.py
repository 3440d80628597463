"""The problems of a trace: what is wrong on which line, and what was done about it."""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from typing import NamedTuple

from rmsd_lab.workloads.swf import TraceError

SHOWN = 5
"""The number of problems of a kind that are kept; the others are counted."""


class Tolerance(IntEnum):
    """The problems that end the reading of a trace.

    STRICT: any problem. CAREFUL: what cannot be read. TOLERANT: nothing.
    """

    STRICT = 0
    CAREFUL = 1
    TOLERANT = 2


class TraceProblem(NamedTuple):
    """A problem of a line of a trace.

    line: from 1 on. kind: what the problem is counted as. done: what became of the line, if the
    problem is tolerated. readable: the line can be read, but something about it is odd.
    """

    line: int
    kind: str
    what: str
    done: str
    readable: bool


class Problems:
    """The tolerated problems: a count of each kind, and the first few of each kind.

    last_line: the line of the last; 0: there is none.
    """

    def __init__(self, tolerance: Tolerance = Tolerance.CAREFUL) -> None:
        self.counts: Counter[str] = Counter()
        self.first: dict[str, list[TraceProblem]] = {}
        self.last_line = 0
        self._tolerance = tolerance

    def add(self, problem: TraceProblem) -> None:
        """Count a tolerated problem. Raises TraceError if a problem of this sort ends the
        reading."""
        least = Tolerance.CAREFUL if problem.readable else Tolerance.TOLERANT
        if self._tolerance < least:
            raise TraceError(f"line {problem.line}: {problem.what}")
        self.last_line = problem.line
        self.counts[problem.kind] += 1
        kept = self.first.setdefault(problem.kind, [])
        if len(kept) < SHOWN:
            kept.append(problem)

    def settle(self, kind: str, done: str, line: int | None = None) -> None:
        """Record how the problems of this kind were handled in the end, those of one line or
        all."""
        kept = self.first.get(kind, [])
        kept[:] = [
            problem._replace(done=done) if line in (None, problem.line) else problem
            for problem in kept
        ]

    @property
    def unreadable(self) -> int:
        """Return how many of the problems lost something."""
        return sum(self.counts[kind] for kind, kept in self.first.items() if not kept[0].readable)
