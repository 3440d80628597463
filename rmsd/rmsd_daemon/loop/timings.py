"""The durations of repeated actions, for `rmsd status` and monitoring."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rmsd_daemon.domain.histogram import DURATIONS_S, Histogram

_KEPT = 1000


@dataclass(slots=True)
class Timings:
    """The number of times that something was done, the latest durations in milliseconds, and all
    durations in seconds."""

    count: int = 0
    recent_ms: deque[float] = field(default_factory=lambda: deque(maxlen=_KEPT))
    all_s: Histogram = field(default_factory=lambda: Histogram(DURATIONS_S))

    def done(self, started_s: float) -> None:
        """Record an action that began at `started_s` of the performance counter and is done now."""
        self.count += 1
        took_s = time.perf_counter() - started_s
        self.recent_ms.append(took_s * 1000)
        self.all_s.observe(took_s)

    @contextmanager
    def one(self) -> Iterator[None]:
        """Measure the time of the block, unless the block raises an error."""
        started_s = time.perf_counter()
        yield
        self.done(started_s)
