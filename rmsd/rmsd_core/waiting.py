"""The waiting jobs in some order, with an index that prunes: a pass must not walk the queue.

A sorted list in blocks; each block knows its smallest size and smallest prediction, necessary
conditions for anything in it to start. Finding the next candidate among 100,000 jobs looks at the
blocks (hundreds) and inside those that may hold one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any

from rmsd_core.job import Job

_BLOCK = 256

Key = Any
"""Whatever orders the jobs, unique per job, not changing while the job waits: a number, a tuple."""


def by_arrival(job: Job) -> Key:
    return job.seq


def by_prediction(job: Job) -> Key:
    return (job.prediction_us, job.seq)


class Bounds:
    """What a candidate must meet: size <= free, and prediction <= window or size <= extra."""

    __slots__ = ("extra", "free", "window_us")

    def __init__(self, free: int, window_us: int, extra: int) -> None:
        self.free = free
        self.window_us = window_us
        self.extra = extra


class _Block:
    __slots__ = ("jobs", "keys", "min_prediction", "min_size", "predictions", "sizes")

    def __init__(self, jobs: list[Job], key: Callable[[Job], Key]) -> None:
        self.jobs = jobs
        self.keys = [key(job) for job in jobs]
        self.sizes = [job.size for job in jobs]
        self.predictions = [job.prediction_us for job in jobs]
        self.summarize()

    def summarize(self) -> None:
        self.min_size = min(self.sizes)
        self.min_prediction = min(self.predictions)

    def insert(self, at: int, key: Key, job: Job) -> None:
        self.keys.insert(at, key)
        self.jobs.insert(at, job)
        self.sizes.insert(at, job.size)
        self.predictions.insert(at, job.prediction_us)
        self.min_size = min(self.min_size, job.size)
        self.min_prediction = min(self.min_prediction, job.prediction_us)

    def delete(self, at: int) -> None:
        size, prediction = self.sizes[at], self.predictions[at]
        del self.keys[at], self.jobs[at], self.sizes[at], self.predictions[at]
        if self.jobs and (size == self.min_size or prediction == self.min_prediction):
            self.summarize()


class WaitingIndex:
    """Jobs in the order of `key`, smallest first."""

    def __init__(self, key: Callable[[Job], Key]) -> None:
        self._key = key
        self._blocks: list[_Block] = []
        self._lasts: list[Key] = []  # the last key of each block
        self._len = 0

    def __len__(self) -> int:
        return self._len

    def __iter__(self) -> Iterator[Job]:
        for block in self._blocks:
            yield from block.jobs

    def first(self) -> Job | None:
        return self._blocks[0].jobs[0] if self._blocks else None

    def add(self, job: Job) -> None:
        key = self._key(job)
        self._len += 1
        if not self._blocks:
            self._blocks.append(_Block([job], self._key))
            self._lasts.append(key)
            return
        at = min(bisect_left(self._lasts, key), len(self._blocks) - 1)
        block = self._blocks[at]
        block.insert(bisect_left(block.keys, key), key, job)
        if len(block.jobs) > _BLOCK:
            half = _BLOCK // 2
            self._blocks[at : at + 1] = [
                _Block(block.jobs[:half], self._key),
                _Block(block.jobs[half:], self._key),
            ]
            self._lasts[at : at + 1] = [block.keys[half - 1], block.keys[-1]]
        else:
            self._lasts[at] = block.keys[-1]

    def remove(self, job: Job) -> None:
        """Raises KeyError if the job is not here."""
        key = self._key(job)
        at = bisect_left(self._lasts, key)
        block = self._blocks[at] if at < len(self._blocks) else None
        inside = bisect_left(block.keys, key) if block else 0
        if block is None or block.keys[inside] != key:
            raise KeyError(job.id)
        block.delete(inside)
        self._len -= 1
        if block.jobs:
            self._lasts[at] = block.keys[-1]
        else:
            del self._blocks[at], self._lasts[at]

    def any_within(self, free: int) -> bool:
        """Whether a job of size <= `free` waits."""
        return any(block.min_size <= free for block in self._blocks)

    def candidates(self, bounds: Bounds) -> Iterator[Job]:
        """The jobs that meet `bounds`, in order, each looked at once.

        `bounds` may be tightened between one job and the next. The index must not change meanwhile.
        """
        free, window_us, extra = bounds.free, bounds.window_us, bounds.extra
        for block in self._blocks:
            if block.min_size > free:
                continue
            if block.min_prediction > window_us and block.min_size > extra:
                continue
            predictions = block.predictions
            for at, size in enumerate(block.sizes):
                if size <= free and (size <= extra or predictions[at] <= window_us):
                    yield block.jobs[at]
                    free, window_us, extra = bounds.free, bounds.window_us, bounds.extra
