"""The pane with the live output of the chosen job."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import CancelledError

from textual.content import Content
from textual.widgets import Log

from rmsd_client.api import Client
from rmsd_client.cli import printable
from rmsd_top.follower import Follower
from rmsd_top.texts import MOST_LINES


class OutputPane(Log):
    """Shows the output of one job at a time."""

    def __init__(self, connect: Callable[[], Client]) -> None:
        super().__init__(highlight=False, max_lines=MOST_LINES, id="output")
        self._connect = connect
        self._follower: Follower | None = None

    def follow(self, job: str, stream: str) -> None:
        """Show this output from now on."""
        self.stop()
        app = self.app  # the follower's thread has no app of its own

        def in_app(call: Callable[[], object]) -> None:
            with contextlib.suppress(RuntimeError, CancelledError):  # the app has ended meanwhile
                app.call_from_thread(call)

        def show(text: str, begins: bool) -> None:
            in_app(lambda: self._add(follower, text, begins))

        def note(text: str) -> None:
            in_app(lambda: self._remark(follower, text))

        follower = self._follower = Follower(self._connect, job, stream, show, note)

    def stop(self) -> None:
        """Show nothing."""
        self.close()
        self.clear()
        self.border_subtitle = ""

    def close(self) -> None:
        """Read no more."""
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
