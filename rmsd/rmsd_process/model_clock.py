"""The daemon's model clock in another process: an agent, a client. Standard library only."""

from __future__ import annotations

import time


def boot_id() -> str:
    """Return the id of this boot of the machine, within which readings of CLOCK_MONOTONIC can be
    compared. Raises OSError where the kernel does not tell it, as Linux does."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()


class ModelClock:
    """The model clock as the daemon told of it, carried on by CLOCK_MONOTONIC.

    rate: model seconds per real second. model_us: what the clock showed when the daemon's
    CLOCK_MONOTONIC was at `monotonic_ns`. On the machine with that `boot_id` both share
    CLOCK_MONOTONIC; elsewhere the making of this object stands for that instant.
    """

    def __init__(self, rate: float, model_us: int, monotonic_ns: int, boot: str) -> None:
        self.rate = rate
        self._model_us = model_us
        self._anchor_ns = monotonic_ns if _is_this_boot(boot) else time.monotonic_ns()

    def now_us(self) -> float:
        return self._model_us + (time.monotonic_ns() - self._anchor_ns) / 1000 * self.rate

    def monotonic_ns(self, model_us: float) -> int:
        """Return when CLOCK_MONOTONIC shows this model time."""
        return self._anchor_ns + round((model_us - self._model_us) * 1000 / self.rate)

    def real_s_until(self, model_us: float) -> float:
        """Return the real seconds until this model time; below zero if it is past."""
        return (model_us - self.now_us()) / self.rate / 1e6


class PacedModelClock:
    """A paced clock as the daemon told of it: it shows the latest instant that was told. A real
    second counts as a second of model time where a process needs one."""

    rate = 1.0

    def __init__(self, model_us: int) -> None:
        self._model_us = model_us

    def now_us(self) -> float:
        return self._model_us

    def advance(self, to_us: int) -> None:
        """Go on to an instant that the daemon has told."""
        self._model_us = to_us


def _is_this_boot(boot: str) -> bool:
    try:
        return boot == boot_id()
    except OSError:
        return False
