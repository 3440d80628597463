"""The faults of the controller and of accounting, as files that each of Slurm's commands reads.

A refusal is a file of its own, which the submit that it meets removes. So two submits at once meet
two refusals.
"""

from __future__ import annotations

import contextlib
import os
import time

REFUSAL = "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"
"""The message of a refused submit, if no other is given."""

MOST_REFUSALS = 10_000
_REFUSAL, _UNREACHABLE, _LAG = "refusal-", "unreachable", "lag"


class Faults:
    """The faults in a folder. Times are of CLOCK_MONOTONIC, which all processes share."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def clear(self) -> None:
        """End all faults."""
        for name in self._names():
            self._remove(name)

    def refuse(self, submits: int, message: str = REFUSAL) -> None:
        """Have as many of the next submits refused, with this message of Slurm's.

        Raises:
            ValueError: too many.
        """
        if not 0 <= submits <= MOST_REFUSALS:
            raise ValueError(f"{submits} refusals: 0 to {MOST_REFUSALS}")
        for number in range(submits):
            self._write(f"{_REFUSAL}{time.monotonic_ns():020}-{number:06}", message)

    def take_back_refusals(self) -> None:
        """Let the next submits be taken."""
        for name in self._names():
            if name.startswith(_REFUSAL):
                self._remove(name)

    def next_refusal(self) -> str | None:
        """Take the next refusal, and return its message; None if there is none."""
        for name in sorted(self._names()):
            if name.startswith(_REFUSAL):
                with contextlib.suppress(OSError):
                    text = self._read(name)
                    os.unlink(os.path.join(self._folder, name))  # fails if another has taken it
                    return text
        return None

    def unreachable_for(self, seconds: float) -> None:
        """Have the controller unreachable from now on, for some time."""
        self._write(_UNREACHABLE, repr(time.monotonic() + seconds))

    @property
    def is_unreachable(self) -> bool:
        """Return whether the controller is unreachable now."""
        return time.monotonic() < self._number(_UNREACHABLE)

    def let_accounting_lag(self, seconds: float) -> None:
        """Have accounting know what was true so long ago, from now on; 0 ends this."""
        self._write(_LAG, repr(seconds))

    @property
    def lag_s(self) -> float:
        """Return how far accounting lags behind [s]."""
        return self._number(_LAG)

    def _names(self) -> list[str]:
        with contextlib.suppress(FileNotFoundError):
            return os.listdir(self._folder)
        return []

    def _number(self, name: str) -> float:
        with contextlib.suppress(FileNotFoundError):
            return float(self._read(name))
        return 0.0

    def _read(self, name: str) -> str:
        with open(os.path.join(self._folder, name), encoding="utf-8") as file:
            return file.read()

    def _write(self, name: str, text: str) -> None:
        path = os.path.join(self._folder, name)
        beside = os.path.join(self._folder, f".{os.getpid()}")
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, path)

    def _remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self._folder, name))
