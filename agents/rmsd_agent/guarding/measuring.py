"""Measuring the memory of attempts while the kernel may not answer for some of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

import structlog

from rmsd_agent.machine.workers import Worker
from rmsd_agent.reports import Key

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

PATIENCE_S = 60.0
"""The time that one measurement may take. What takes longer is not measured at all."""
WAIT_S = 0.2
"""The time for the measurements of one look, all together, before the others are measured. 1 GiB
takes about a millisecond."""
_LEAST_WAIT_S = 0.02
"""The time that each measurement gets nevertheless."""

_MAX_SHARE = 0.05
"""An attempt is measured with this part of a processor: if many processes share much memory,
one takes minutes."""

Measure = Callable[[], int]


class Unmeasurable(Exception):
    """A measurement has not returned in `PATIENCE_S`."""


class _Measurement:
    """One measurement by a worker, since `began_s`."""

    def __init__(self, worker: Worker, measure: Measure) -> None:
        self.began_s = time.monotonic()
        self._took_s = 0.0  # processor time
        self.answer: Future[int] = worker.call(partial(self._run, measure))

    def _run(self, measure: Measure) -> int:
        began_s = time.thread_time()
        try:
            return measure()
        finally:
            self._took_s = time.thread_time() - began_s

    def is_fresh(self) -> bool:
        """Return True while another measurement would exceed the attempt's share."""
        return time.monotonic() - self.began_s < self._took_s / _MAX_SHARE


@dataclass(slots=True)
class _Apart:
    """An attempt whose measurement took long once, and which has a worker of its own since."""

    worker: Worker
    last: _Measurement


class Measurements:
    """Measures attempts one after the other, and those that keep the others waiting apart.

    A process can keep every read of its memory map in /proc waiting for ever. The kernel holds the
    lock of the map while a file server of the user's is asked. So measurements are made by workers:
    one for most attempts, and one for each attempt that took long once. No attempt has more than
    one measurement under way.

    A look waits for all attempts together hardly longer than for one slow attempt, since a user may
    have many that each take almost too long.
    """

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._last: dict[Key, _Measurement] = {}  # attempts that are not apart
        self._apart: dict[Key, _Apart] = {}
        self._wait_s = WAIT_S  # the time that is left in this look

    @property
    def answers_apart(self) -> dict[Key, Future[int]]:
        """Return the last answers, or those to come, of the attempts that are measured apart."""
        return {key: apart.last.answer for key, apart in self._apart.items()}

    def begin_look(self, keys: set[Key]) -> None:
        """Begin to measure these attempts anew, and forget all others."""
        self._wait_s = WAIT_S
        for key in self._last.keys() - keys:
            del self._last[key]
        for key in self._apart.keys() - keys:
            self._apart.pop(key).worker.end()

    def measure(self, key: Key, measure: Measure) -> int | None:
        """Return what `measure` returns, or None if that is not known yet.

        An attempt has its share of a processor for that. Until it may be measured again, and for an
        attempt apart until the measurement is done, the answer is that of the last one.

        Raises:
            Unmeasurable: see there.
            OSError: `measure` has raised it.
            RuntimeError: no thread can be started now.
        """
        apart = self._apart.get(key)
        if apart is not None:
            return _measured_apart(apart, measure)
        last = self._last.get(key)
        if last is not None and last.is_fresh():
            return last.answer.result()
        worker = self._worker = self._worker or Worker()
        last = _Measurement(worker, measure)
        wait_s = max(self._wait_s, _LEAST_WAIT_S)
        try:
            used = last.answer.result(wait_s)
        except TimeoutError:
            log.info("measured-apart", job_id=key[0], waited_s=wait_s)
            self._apart[key] = _Apart(worker, last)
            self._last.pop(key, None)
            self._worker = None
            return None
        finally:
            self._wait_s -= time.monotonic() - last.began_s
        self._last[key] = last
        return used


def _measured_apart(apart: _Apart, measure: Measure) -> int | None:
    last = apart.last
    if last.answer.done():
        if not last.is_fresh():
            apart.last = _Measurement(apart.worker, measure)
        return last.answer.result()
    if time.monotonic() - last.began_s > PATIENCE_S:
        raise Unmeasurable
    return None
