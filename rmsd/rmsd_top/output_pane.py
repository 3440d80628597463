"""The pane with the live output of the chosen job."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable

from textual.content import Content
from textual.widgets import Log

from rmsd_client.api import Client
from rmsd_client.console.cli import printable
from rmsd_top.follower import Follower
from rmsd_top.loops import call_in
from rmsd_top.texts import MOST_LINES

_LOOK_S = 1.0
"""The pause after which a thread that waits for the app looks whether its output is followed."""


class OutputPane(Log):
    """Shows the output of one job at a time."""

    def __init__(self, connect: Callable[[], Client]) -> None:
        super().__init__(highlight=False, max_lines=MOST_LINES, id="output")
        self._connect = connect
        self._follower: Follower | None = None
        self._is_closed = False

    def follow(self, job: str, stream: str) -> None:
        """Show this output from now on."""
        self.stop()
        if self._is_closed:
            return
        loop, context = asyncio.get_running_loop(), contextvars.copy_context()

        def in_app(call: Callable[[], object]) -> None:
            """Run `call` and wait for its end: a job may write faster than a terminal shows."""
            shown = threading.Event()

            def run() -> None:
                try:
                    context.run(call)  # the follower's thread has no app of its own
                finally:
                    shown.set()

            if call_in(loop, run):
                while not follower.is_closed and not shown.wait(_LOOK_S):
                    pass

        def show(text: str, begins: bool) -> None:
            in_app(lambda: self._add(follower, text, begins))

        def note(text: str) -> None:
            in_app(lambda: self._remark(follower, text))

        follower = self._follower = Follower(self._connect, job, stream, show, note)
        follower.start()

    def stop(self) -> None:
        """Show nothing."""
        self._read_no_more()
        self.clear()
        self.border_subtitle = ""

    def close(self) -> None:
        """Read no more, and follow nothing that is chosen while the app ends."""
        self._is_closed = True
        self._read_no_more()

    def _read_no_more(self) -> None:
        if self._follower is not None:
            self._follower.close()
            self._follower = None

    def _add(self, follower: Follower, text: str, begins: bool) -> None:
        if follower is not self._follower:
            return
        if begins:
            self.clear()
        self.write(text)

    def _remark(self, follower: Follower, text: str) -> None:
        if follower is self._follower:
            self.border_subtitle = Content(printable(text))

    @property
    def text(self) -> str:
        """Return the text that is shown."""
        return "\n".join(self.lines)
