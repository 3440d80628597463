"""Answers that are found in portions, between which the daemon may do other work.

A function that finds one is a generator: it yields after each portion, and returns the answer. What
the present is, it takes up in one portion; the jobs that it looks at later may have changed since.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

_Answer = TypeVar("_Answer")

Portions = Generator[None, None, _Answer]

PORTION = 256
"""The number of jobs that a portion looks at: it takes less than a millisecond."""


def whole(portions: Portions[_Answer]) -> _Answer:
    """Do all portions, and return the answer."""
    while True:
        try:
            next(portions)
        except StopIteration as end:
            answer: _Answer = end.value
            return answer
