"""Long answers are made in slices of time, between which the event loop does its other work."""

from __future__ import annotations

import asyncio
import time
from typing import Generic, TypeVar

from rmsd_core.planning.portions import Portions

SLICE_S = 0.003
"""The time after which no further portion is begun at a stretch. A portion takes a millisecond or
two, so that no other work waits for longer than 5 ms."""

_Answer = TypeVar("_Answer")


class Sliced(Generic[_Answer]):
    """An answer that is made of portions.

    worked_s: how long it has occupied the event loop.
    """

    def __init__(self, portions: Portions[_Answer]) -> None:
        self.worked_s = 0.0
        self._portions = portions
        self._found: tuple[_Answer] | None = None

    @property
    def is_whole(self) -> bool:
        """Return whether the answer is there."""
        return self._found is not None

    @property
    def answer(self) -> _Answer:
        """Return the answer, once it is there."""
        assert self._found is not None
        return self._found[0]

    def go_on(self) -> float:
        """Do portions for one slice, and return how long it took [s]."""
        began_s = time.monotonic()
        try:
            next(self._portions)
            while time.monotonic() - began_s < SLICE_S:
                next(self._portions)
        except StopIteration as end:
            self._found = (end.value,)
        took_s = time.monotonic() - began_s
        self.worked_s += took_s
        return took_s


async def in_slices(portions: Portions[_Answer]) -> tuple[_Answer, float]:
    """Do all portions while others have their turns. Return the answer, and the time for which it
    has occupied the event loop [s]."""
    sliced = Sliced(portions)
    while True:
        sliced.go_on()
        if sliced.is_whole:
            return sliced.answer, sliced.worked_s
        await asyncio.sleep(0)
