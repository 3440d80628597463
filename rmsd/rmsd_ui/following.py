"""The daemon's events for all pages: one stream from the daemon, however many pages are open."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator

from aiohttp import ClientError

from rmsd_ui.daemon import DaemonSocket, RefusedError

_MOST_WAITING = 100
"""The most events that wait for one page. A page that does not take them is left, and asks anew."""
_MOST_EVENT = 1 << 20
_ANEW = b"event: anew\ndata: {}\n\n"
_Queue = asyncio.Queue[bytes]


class EventRelay:
    """Passes the daemon's events on to the pages.

    version: another number after each event. What was read under the present number is still
    true, as long as the daemon `is_heard`. acted_version: the number after the latest act of the
    caller, whose outcome is shown at once.
    """

    def __init__(self, daemon: DaemonSocket) -> None:
        self.version = 0
        self.acted_version = 0
        self.is_heard = False
        self._daemon = daemon
        self._pages: set[_Queue] = set()
        self._task: asyncio.Task[None] | None = None

    def note_act(self) -> None:
        """Note that the caller has changed something, before the daemon's event says so."""
        self.version += 1
        self.acted_version = self.version

    async def events(self) -> AsyncGenerator[bytes, None]:
        """Yield the events for a page, from `anew` on, until the daemon leaves."""
        with self._page() as queue:
            if self.is_heard:
                yield _ANEW
            while event := await queue.get():
                yield event

    @contextlib.contextmanager
    def _page(self) -> Iterator[_Queue]:
        """Yield the queue of a page. The stream from the daemon is open while there is a page."""
        queue = _Queue(_MOST_WAITING)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._follow())
        self._pages.add(queue)
        try:
            yield queue
        finally:
            self._pages.discard(queue)
            if not self._pages and self._task is not None:
                self._task.cancel()
                self._task = None
                self._lost()

    async def _follow(self) -> None:
        """Pass events on until the daemon leaves."""
        this = asyncio.current_task()
        source = None
        try:
            source = await self._daemon.stream("/v1/events", {})
            rest = b""
            async for part in source.content.iter_any():
                *events, rest = (rest + part).split(b"\n\n")
                if len(rest) > _MOST_EVENT:
                    return
                for event in events:
                    self._pass_on(event + b"\n\n")
        except (ClientError, RefusedError):
            pass  # the pages ask again
        finally:
            if source is not None:
                source.close()
            if this is self._task:
                self._lost()

    def _lost(self) -> None:
        """Note that the daemon is not heard, and end the streams of all pages."""
        self.is_heard = False
        self.version += 1
        for queue in self._pages:
            _put(queue, b"")

    def _pass_on(self, event: bytes) -> None:
        self.is_heard = True
        if not event.startswith(b":"):  # a comment says that nothing has changed
            self.version += 1
        for queue in self._pages:
            _put(queue, event)


def _put(queue: _Queue, event: bytes) -> None:
    """Have a page take the event; one that is far behind is ended instead."""
    if queue.full():
        while not queue.empty():
            queue.get_nowait()
        event = b""
    queue.put_nowait(event)
