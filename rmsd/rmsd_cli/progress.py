"""A progress bar on standard error, on a terminal only, drawn by rich."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_EVERY_S = 0.1

_listeners: list[Callable[[str, int, int], None]] = []


def listen(listener: Callable[[str, int, int], None]) -> None:
    """Have all progress of this process told as well, to a function that takes the label, what is
    done and the total."""
    _listeners.append(listener)


class Progress:
    """A progress bar: `with Progress("replaying", total) as bar: bar.update(done)`. It vanishes at
    the end.

    rich is imported only for a bar that is drawn; short work has none.
    """

    def __init__(self, label: str, total: int) -> None:
        self._label = label
        self._total = max(1, total)
        self._drawn = time.monotonic()
        self._bar: Bar | None = None
        # A notebook's stream says that it is a terminal, and has no cursor.
        terminal = sys.stderr.isatty() and sys.stderr is sys.__stderr__
        self._possible = terminal and os.environ.get("TERM") != "dumb"

    def __enter__(self) -> Self:
        return self

    def update(self, done: int) -> None:
        now = time.monotonic()
        if not (self._possible or _listeners) or now - self._drawn < _EVERY_S:
            return
        self._drawn = now
        for listener in _listeners:
            listener(self._label, min(done, self._total), self._total)
        if not self._possible:
            return
        if self._bar is None:
            self._bar = _bar()
            self._bar.add_task(self._label, total=self._total)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=min(done, self._total), refresh=True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def _bar() -> Bar:
    """Return a bar that draws itself without a thread, since studies fork. The bar does not hide
    the cursor: a killed command would leave the terminal without one."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    class WithCursor(Console):
        def show_cursor(self, show: bool = True) -> bool:
            return show

    return Bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(None),
        TextColumn("{task.completed:,}/{task.total:,}"),
        TimeRemainingColumn(),
        console=WithCursor(stderr=True),
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
