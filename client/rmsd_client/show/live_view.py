"""A list that is shown again whenever the daemon tells of a change, for `rstat -i`.

While nothing changes, nothing is asked. Where the daemon's events cannot be had, the list is read
every so many seconds until they are there again.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import NoReturn

from rmsd_client.api import Client
from rmsd_client.console.cli import plural
from rmsd_client.errors import EXIT_UNREACHABLE, ClientError
from rmsd_client.show.news import LinkState, NewsThread

REST_S = 0.5
"""The least time between two looks. It is longer where a look takes longer: a long list is asked
for half of the time at most."""


class LiveView:
    """Shows a list again and again until the program is interrupted.

    show: reads the list with `client`, and prints it. connect: makes a connection that does not
    retry, for the events. every_s: the seconds between two looks where the daemon does not tell of
    changes. moves: some of what is shown changes without an event, such as priorities and what jobs
    use, so that there is a look every `every_s` seconds in any case. tell: tells the user of
    outages.
    """

    def __init__(
        self,
        client: Client,
        show: Callable[[], object],
        connect: Callable[[], Client],
        *,
        every_s: int,
        moves: bool,
        tell: Callable[[str], None],
    ) -> None:
        self._client = client
        self._show = show
        self._every_s = every_s
        self._moves = moves
        self._tell = tell
        self._wanted = threading.Event()
        self._link: tuple[LinkState, str] | None = None
        self._told = LinkState.LIVE  # the state that the user knows of
        self._is_away = False
        self._count = 0
        self._news = NewsThread(connect, self._changed, self._linked)

    def run(self) -> NoReturn:
        """Show the list until an error that no waiting mends. A daemon that is away is waited for,
        unless it is away at the first look."""
        self._news.start()
        try:
            self._wanted.wait(self._every_s)  # the first event comes at once, and asks for the list
            while True:
                began_s = time.monotonic()
                self._wanted.clear()
                self._look()
                time.sleep(max(REST_S, time.monotonic() - began_s))
                self._wanted.wait(self._pause_s())
        finally:
            self._news.close()

    def _pause_s(self) -> float | None:
        is_live = self._link is not None and self._link[0] is LinkState.LIVE
        return None if is_live and not self._moves and not self._is_away else self._every_s

    def _look(self) -> None:
        self._tell_of_the_link()
        try:
            if self._told is not LinkState.LIVE or self._is_away:
                self._client.status()  # raises for a daemon that is away, before a line is printed
            if self._count:
                print(f"\n{time.strftime('%Y-%m-%dT%H:%M:%S')}")
            self._show()
            sys.stdout.flush()
        except ClientError as error:
            if not self._count or error.exit_code != EXIT_UNREACHABLE:
                raise
            if not self._is_away and self._told is LinkState.LIVE:  # else an outage is known
                self._tell(f"{error}; trying again every {plural(self._every_s, 'second')}")
            self._is_away = True
            return
        self._is_away = False
        self._count += 1
        self._client.retry_for_s = 0.0  # this view asks again, and tells the user

    def _tell_of_the_link(self) -> None:
        """Tell the user whether the daemon tells of changes, each time that this has changed."""
        if self._link is None or self._link[0] is self._told or not self._count:
            return
        self._told, why = self._link
        if self._told is LinkState.LIVE:
            self._tell("the daemon tells of changes again")
            return
        if self._told is LinkState.WITHOUT_EVENTS:
            why = "this daemon has no events"
        pause = plural(self._every_s, "second")
        self._tell(f"no news of changes: {why}; looking every {pause} until there is")

    # ------------------------------------------------------------ in the thread of the news

    def _changed(self, _: frozenset[int] | None) -> None:
        self._wanted.set()

    def _linked(self, link: LinkState, why: str) -> None:
        self._link = link, why
        if link is not LinkState.LIVE:  # else an event follows
            self._wanted.set()
