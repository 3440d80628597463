"""The stream of what changes, as server-sent events: `GET /v1/events`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar

import msgspec
from aiohttp import web

from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain.errors import DaemonError, TooMany, Unavailable
from rmsd_daemon.domain.feed import News, Subscription
from rmsd_daemon.front.access import caller_of, check_still
from rmsd_daemon.front.operation import EVENT_STREAM
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_wire.api.events import ChangedJob, JobsChanged, NodesChanged

MOST_STREAMS = 64
"""The most open streams of one caller."""
_RETRY_S = 1.0
_PAUSE_S = 0.25
"""The time between two events of a stream. Changes of this time come together, and the last state
of a job counts."""
_QUIET_S = 15.0
"""After this time without news a comment is sent. It finds connections that are gone, and the
caller's token is looked at again."""
_HEADERS = {
    "Content-Type": EVENT_STREAM,
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # nginx would keep events back until its buffer is full
}
_encoder = msgspec.json.Encoder()


class EventsApi:
    """The handler of streams. Each stream tells what its caller may see.

    gave: notes how many bytes are handed to a request's connection, so that a stream that is not
    read is given up.
    """

    OPERATIONS: ClassVar[tuple[str, ...]] = ("events",)

    def __init__(self, scheduler: Scheduler, gave: Callable[[web.Request, int], None]) -> None:
        self._scheduler = scheduler
        self._gave = gave
        self._open: dict[str, int] = {}

    async def events(self, request: web.Request) -> web.StreamResponse:
        """Tell the caller what changes, until it leaves, its token ends or the daemon stops."""
        caller = caller_of(request)
        count = self._open.get(caller.name, 0)
        if count >= MOST_STREAMS:
            detail = f"{caller.name} has {count} streams of events open, as many as may be; "
            raise TooMany(f"{detail}close one and try again", _RETRY_S)
        if self._scheduler.stopping:
            raise Unavailable("the daemon is stopping")
        self._open[caller.name] = count + 1
        try:
            feed, mark = self._scheduler.feed, request.headers.get("Last-Event-ID")
            with feed.subscribed(_seen_by(caller), mark) as subscription:
                return await self._stream(request, subscription)
        finally:
            self._open[caller.name] -= 1
            if not self._open[caller.name]:
                del self._open[caller.name]

    async def _stream(self, request: web.Request, subscription: Subscription) -> web.StreamResponse:
        response = web.StreamResponse(headers=_HEADERS)
        response.force_close()  # the stream ends with its connection
        check_still(request)
        await response.prepare(request)
        try:
            while not self._scheduler.stopping:
                text = _text(subscription.take())
                self._gave(request, len(text))
                await response.write(text)
                await asyncio.sleep(_PAUSE_S)
                await subscription.wait(_QUIET_S)
                check_still(request)
        except (DaemonError, ConnectionError):
            pass  # the token has ended or the caller has left; the answer has begun, and ends here
        return response


def _seen_by(caller: Caller) -> str | None:
    """Return the user whose jobs the caller sees; None: it sees all jobs."""
    return None if caller.role.covers(Role.OPERATOR) else caller.user


def _text(news: News | None) -> bytes:
    """Return the events that tell `news`; without news, a comment. The last one has the mark."""
    if news is None:
        return b":\n\n"
    if news.anew:
        return f"id: {news.mark}\nevent: anew\ndata: {{}}\n\n".encode()
    # JSON of msgspec has no line breaks, which would end an event.
    events = []
    if news.nodes:
        events.append(b"event: nodes\ndata: %s\n\n" % _encoder.encode(NodesChanged([*news.nodes])))
    if news.states:
        jobs = [ChangedJob(job_id, state) for job_id, state in news.states.items()]
        events.append(b"event: jobs\ndata: %s\n\n" % _encoder.encode(JobsChanged(jobs)))
    last = events.pop() if events else b"\n"  # an id without data is no event
    return b"%sid: %s\n%s" % (b"".join(events), news.mark.encode(), last)
