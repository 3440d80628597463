"""A progress bar on standard error, on a terminal only."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import Self

_WIDTH = 30
_EVERY_S = 0.1


class Progress:
    """`with Progress("replaying", total) as bar: bar.update(done)`; gone when done."""

    def __init__(self, label: str, total: int) -> None:
        self._label = label
        self._total = max(1, total)
        self._begun = time.monotonic()
        self._drawn = self._begun  # nothing is drawn for what is done at once
        self._visible = False
        self.shown = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __enter__(self) -> Self:
        return self

    def update(self, done: int) -> None:
        now = time.monotonic()
        if not self.shown or now - self._drawn < _EVERY_S:
            return
        self._drawn = now
        self._visible = True
        share = min(1.0, done / self._total)
        filled = round(share * _WIDTH)
        left = ""
        if done:
            left_s = (now - self._begun) / done * (self._total - done)
            left = f"  {left_s:.0f} s left"
        bar = "#" * filled + "-" * (_WIDTH - filled)
        sys.stderr.write(f"\r{self._label} [{bar}] {done:,}/{self._total:,}{left}\x1b[K")
        sys.stderr.flush()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._visible:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
