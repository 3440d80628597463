"""Measuring the memory of attempts while the kernel may not answer for some of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

import structlog

from rmsd_agent.reports import Key
from rmsd_agent.workers import Worker

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

PATIENCE_S = 60.0
"""For one measurement to return. What takes longer is not measured at all."""
_WAIT_S = 0.2
"""For a measurement to return before the others are measured. 1 GiB takes about a millisecond."""

Measure = Callable[[], int]


class Unmeasurable(Exception):
    """A measurement has not returned in `PATIENCE_S`."""


@dataclass(slots=True)
class _Apart:
    """An attempt whose measurement took long once, and which has a worker of its own since."""

    worker: Worker
    answer: Future[int]
    since_s: float


class Measurements:
    """Measures attempts one after the other, and those that keep the others waiting apart.

    A process can keep every read of its memory map in /proc waiting for ever: the kernel holds the
    lock of the map while a file server of the user's is asked. So measurements are made by
    workers: one for most attempts, and one for each attempt that took long once. No attempt has
    more than one measurement under way.
    """

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._apart: dict[Key, _Apart] = {}

    def keep(self, keys: set[Key]) -> None:
        """Forget all attempts but these."""
        for key in self._apart.keys() - keys:
            self._apart.pop(key).worker.end()

    def measure(self, key: Key, measure: Measure) -> int | None:
        """Return what `measure` returns, or None if that is not known yet.

        For an attempt apart, the answer is that of the last measurement.

        Raises:
            Unmeasurable: see there.
            OSError: `measure` has raised it.
            RuntimeError: no thread can be started now.
        """
        apart = self._apart.get(key)
        if apart is not None:
            return _measured_apart(apart, measure)
        worker = self._worker = self._worker or Worker()
        since_s, answer = time.monotonic(), worker.call(measure)
        try:
            return answer.result(_WAIT_S)
        except TimeoutError:
            log.info("measured-apart", job_id=key[0], waited_s=_WAIT_S)
            self._apart[key] = _Apart(worker, answer, since_s)
            self._worker = None
            return None


def _measured_apart(apart: _Apart, measure: Measure) -> int | None:
    now_s = time.monotonic()
    if apart.answer.done():
        last, apart.answer = apart.answer, apart.worker.call(measure)
        apart.since_s = now_s
        return last.result()
    if now_s - apart.since_s > PATIENCE_S:
        raise Unmeasurable
    return None
