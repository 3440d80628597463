"""The feed: what commits have changed, for pages and programs that stay open.

A commit is told once, and a subscriber that does not see a job never learns of it. While nothing
changes, the feed does no work, however many subscribe.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

MOST_KEPT = 10_000
"""The latest changes of jobs and nodes that are kept for subscribers who come back."""
MOST_PENDING = 500
"""The most jobs, and nodes, in one piece of news. A subscriber for whom there is more reads its
lists anew."""


class FeedEntry(NamedTuple):
    """A job whose row a commit has changed, with its owner and its state after the commit."""

    job_id: int
    user: str
    state: str


class News(NamedTuple):
    """The changes that a subscriber is told. `mark` says how far they reach.

    states: the latest state of each job that has changed. anew: the changes are not known one by
    one, so that all that is shown must be read again; `states` and `nodes` are empty then. nodes:
    the nodes that have changed, or that are gone.
    """

    mark: str
    states: dict[int, str]
    anew: bool
    nodes: tuple[str, ...] = ()


class Subscription:
    """The changes for one subscriber since it was last told.

    user: the owner of the jobs that the subscriber sees; None: it sees all jobs.
    """

    def __init__(self, feed: Feed, user: str | None) -> None:
        self.user = user
        self._feed = feed
        self._states: dict[int, str] = {}
        self._nodes: dict[str, None] = {}  # a set in the order of the changes
        self._anew = False
        self._changed = asyncio.Event()

    def note(self, states: Mapping[int, str], nodes: Collection[str] = ()) -> None:
        """Add the states of jobs that the subscriber sees, and nodes that have changed."""
        if not self._anew:
            if max(len(states), len(nodes)) <= MOST_PENDING:
                self._states.update(states)
                self._nodes.update(dict.fromkeys(nodes))
            most = max(map(len, (states, nodes, self._states, self._nodes)))
            if most > MOST_PENDING:
                self.begin_anew()
        self._changed.set()

    def begin_anew(self) -> None:
        """Have the subscriber read everything again."""
        self._states, self._nodes = {}, {}
        self._anew = True
        self._changed.set()

    async def wait(self, timeout_s: float) -> None:
        """Return when there is news, or after `timeout_s` seconds."""
        try:
            await asyncio.wait_for(self._changed.wait(), timeout_s)
        except TimeoutError:
            return

    def take(self) -> News | None:
        """Return the news since the last call; None if there is none."""
        if not self._changed.is_set():
            return None
        news = News(self._feed.mark, self._states, self._anew, tuple(self._nodes))
        self._states, self._nodes, self._anew = {}, {}, False
        self._changed.clear()
        return news


class Feed:
    """Subscriptions, and the latest changes for those who come back with a mark.

    A mark is `EPOCH-NUMBER`. The epoch is another one after each start of the daemon and after each
    return to the last commit, since changes may be missing between two epochs.
    """

    def __init__(self) -> None:
        self._subscriptions: set[Subscription] = set()
        self._begin_epoch()

    def _begin_epoch(self) -> None:
        self._epoch = secrets.token_hex(4)
        self._number = 0
        self._kept: deque[tuple[int, FeedEntry | str]] = deque(maxlen=MOST_KEPT)

    @property
    def mark(self) -> str:
        """Return the mark of the latest change."""
        return f"{self._epoch}-{self._number}"

    def tell(self, changes: Sequence[FeedEntry], nodes: Collection[str] = ()) -> None:
        """Tell the subscribers what a commit has changed: jobs, and `nodes`, which everybody
        sees."""
        if not changes and not nodes:
            return
        self._number += 1
        self._kept.extend((self._number, change) for change in changes)
        self._kept.extend((self._number, name) for name in nodes)
        if not self._subscriptions:
            return
        of_all: dict[int, str] = {}
        of_users: dict[str, dict[int, str]] = {}
        for job_id, user, state in changes:
            of_all[job_id] = state
            of_users.setdefault(user, {})[job_id] = state
        for one in self._subscriptions:
            states = of_all if one.user is None else of_users.get(one.user, {})
            if states or nodes:
                one.note(states, nodes)

    def tell_anew(self) -> None:
        """Have all subscribers read everything again: the changes since the last commit are not
        known one by one."""
        self._begin_epoch()
        for one in self._subscriptions:
            one.begin_anew()

    @contextmanager
    def subscribed(self, user: str | None, mark: str | None) -> Iterator[Subscription]:
        """Yield a subscription that goes on at `mark`. Without a mark, or if changes since the mark
        are no longer kept, its first news is to read everything."""
        subscription = Subscription(self, user)
        missed = self._since(mark) if mark is not None else None
        if missed is None:
            subscription.begin_anew()
        else:
            subscription.note(
                {
                    change.job_id: change.state
                    for change in missed
                    if isinstance(change, FeedEntry) and user in (None, change.user)
                },
                {change for change in missed if isinstance(change, str)},
            )
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)

    def _since(self, mark: str) -> list[FeedEntry | str] | None:
        """Return the changes after `mark`, the oldest first; None if they are not all known."""
        epoch, _, text = mark.partition("-")
        if epoch != self._epoch or not (text.isascii() and text.isdecimal()) or len(text) > 18:
            return None
        number = int(text)
        oldest = self._kept[0][0] if self._kept else self._number + 1
        # The oldest commit that is kept may have lost a part of its changes to the bound.
        complete_from = oldest + (len(self._kept) == MOST_KEPT)
        if not complete_from - 1 <= number <= self._number:
            return None
        missed: list[FeedEntry | str] = []
        for at, change in reversed(self._kept):
            if at <= number:
                break
            missed.append(change)
        missed.reverse()
        return missed
