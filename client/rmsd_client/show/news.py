"""The daemon's events in a thread of their own, which connects again whenever they break off: for
`rmsd top`, and for the lists that `rstat -i` shows again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import Enum

from rmsd_client.api import Client
from rmsd_client.errors import EXIT_UNREACHABLE, ApiError, ClientError
from rmsd_client.events import Events

PAUSE_S = 1.0
"""The time after which a stream that has broken off is asked for again."""
REFUSED_PAUSE_S = 5.0
"""The time after which a daemon that has refused its events is asked for them again."""
_NOT_FOUND = 404


class LinkState(Enum):
    """The state of the connection to the daemon."""

    LIVE = "live"
    LOST = "lost"
    WITHOUT_EVENTS = "without events"


class NewsThread:
    """Tells of events until it is closed. Both callbacks are called in the thread.

    changed: is called with the jobs that have changed, or None if anything may have; without jobs
    if nodes alone have changed.
    linked: is called with the state of the connection when that changes, and why it is lost.
    """

    def __init__(
        self,
        connect: Callable[[], Client],
        changed: Callable[[frozenset[int] | None], None],
        linked: Callable[[LinkState, str], None],
    ) -> None:
        self._connect = connect
        self._changed = changed
        self._linked = linked
        self._link: LinkState | None = None
        self._closed = threading.Event()
        self._client: Client | None = None
        self._thread = threading.Thread(target=self._run, name="news", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        if self._client is not None:
            self._client.connection.end()

    def _run(self) -> None:
        self._follow_all()
        if self._client is not None:
            self._client.close()

    def _follow_all(self) -> None:
        """Follow one stream after the other."""
        while not self._closed.is_set():
            try:
                if self._client is None:
                    self._client = self._connect()
                    events = Events(self._client)
                self._follow(events)
                self._tell(LinkState.LOST, "the daemon has ended its events")
            except ApiError as error:
                is_older = error.status == _NOT_FOUND
                self._tell(LinkState.WITHOUT_EVENTS if is_older else LinkState.LOST, str(error))
                if error.exit_code != EXIT_UNREACHABLE:  # else the daemon is about to stop
                    self._closed.wait(REFUSED_PAUSE_S)
                    continue
            except ClientError as error:
                self._tell(LinkState.LOST, str(error))
            self._closed.wait(PAUSE_S)

    def _follow(self, events: Events) -> None:
        for event in events:
            if self._closed.is_set():
                return
            self._tell(LinkState.LIVE, "")
            if event.states is None:
                self._changed(None)
            elif event.states or event.nodes:
                self._changed(frozenset(event.states))

    def _tell(self, link: LinkState, why: str) -> None:
        if link != self._link and not self._closed.is_set():
            self._link = link
            self._linked(link, why)
