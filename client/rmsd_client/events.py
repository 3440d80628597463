"""The daemon's events for programs: `GET /v1/events`, read line by line."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from rmsd_client.api import Client
from rmsd_client.calls.calls import ApiCalls

_SILENCE_S = 40.0
"""The silence after which a stream counts as broken. The daemon sends a comment every 15 s."""
_MOST_LINE = 16 << 20
MOST_DATA = 16 << 20
"""Characters of an event, whose data may have several lines."""
_MOST_MARK = 64
"""Characters of a mark, as the daemon takes it."""


class Event(NamedTuple):
    """News of the daemon. `states`: the jobs that have changed, each with its state; None: more has
    changed than is told, so read everything again. `nodes`: the nodes that have changed other than
    by jobs. If both are empty, nothing has changed, and the daemon is there: this comes every 15 s
    at least."""

    states: Mapping[int, str] | None
    nodes: Collection[str] = ()


class Events:
    """The events of the daemon of `client`, over the client's connection, which is used for nothing
    else meanwhile. Iterated over again, they go on where they broke off, if the daemon still knows
    what came then.

    Iteration ends with the daemon's stream. It raises ApiError if the daemon refuses the stream (an
    older daemon, which has none, with the status 404), and Unreachable if it breaks.
    `client.connection.end()` ends it from another thread.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._mark = ""

    def __iter__(self) -> Iterator[Event]:
        headers = {"Accept": "text/event-stream"}
        if self._mark:
            headers["Last-Event-ID"] = self._mark
        calls = ApiCalls(self._client.connection)
        kind = data = ""
        for line in _lines(calls, calls.stream("/v1/events", headers, _SILENCE_S)):
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "id" and value.isascii() and value.isprintable():
                self._mark = value[:_MOST_MARK]
            elif name == "event":
                kind = value
            elif name == "data":
                if len(data) + len(value) > MOST_DATA:
                    raise calls.no_daemon(f"its event has more than {MOST_DATA} characters")
                data += value
            elif not line:
                yield _event(calls, kind, data) if data else Event({})
                kind = data = ""


def _lines(calls: ApiCalls, parts: Iterator[bytes]) -> Iterator[str]:
    """Yield the lines of a stream, without their ends."""
    rest = b""
    for part in parts:
        *lines, rest = (rest + part).split(b"\n")
        if len(rest) > _MOST_LINE:
            raise calls.no_daemon(f"a line of its events has more than {_MOST_LINE} bytes")
        for line in lines:
            yield line.removesuffix(b"\r").decode("utf-8", "replace")


def _event(calls: ApiCalls, kind: str, data: str) -> Event:
    if kind not in ("jobs", "nodes"):
        return Event(None)
    try:
        told = json.loads(data)[kind]
        if kind == "nodes":
            return Event({}, [str(name) for name in told])
        return Event({int(one["job_id"]): str(one["state"]) for one in told})
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):  # Infinity is a number
        raise calls.no_daemon(f"its event has no {kind}") from None
