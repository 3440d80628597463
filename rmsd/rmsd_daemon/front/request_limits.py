"""Limits of the requests of one caller: how many, how large, and how slow."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from rmsd_daemon.domain.errors import DaemonError, Malformed, TooLarge, TooMany, TooSlow
from rmsd_daemon.domain.rates import Rates
from rmsd_daemon.domain.turns import Turns
from rmsd_daemon.front.access import caller_of, check_still, operation_of
from rmsd_daemon.front.answers import TURN, Answers
from rmsd_daemon.front.connections import Connections
from rmsd_daemon.front.held import HeldBytes
from rmsd_daemon.front.turned_away import admit
from rmsd_wire.malformed import MALFORMED

_BURST_S = 4.0
"""A caller that was quiet may send the requests of this many seconds at once."""
_LONGEST_DELAY_S = 1.0
"""A caller that asks too often waits for its turn; it is refused if that is further away than
this."""
_TOKEN_BYTES = 16 << 10
"""A body costs one token more for each of this number of bytes."""
_BODY_S = 30.0
_BODY_BYTES_PER_S = 64 << 10
_MAX_STRINGS = 250_000
"""The most strings in a body; a submit of a thousand jobs with a hundred variables each has
fewer."""
_LARGE_BYTES = 64 << 10
_BODIES_AT_A_TIME = 4
"""The number of bodies of the largest size that one caller may have in memory."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The limits from the settings. `jobs`: in one request; `user_jobs`: of one user, waiting and
    running; `rate`: requests a second of one caller."""

    body_bytes: int
    jobs: int
    user_jobs: int
    rate: float


def limit(limits: RequestLimits, connections: Connections, answers: Answers) -> Middleware:
    """Return the middleware that serves a request of a known caller in the caller's turn, until its
    answer is sent."""
    rates = Rates(limits.rate, max(1.0, limits.rate * _BURST_S))
    bodies = HeldBytes(_BODIES_AT_A_TIME * limits.body_bytes, "in other requests")
    turns = Turns()

    @web.middleware
    async def limited(request: web.Request, handler: Handler) -> web.StreamResponse:
        length = request.content_length or 0
        if length > limits.body_bytes:
            raise too_large(length, limits.body_bytes)
        # A request that changes nothing is cancelled when its client leaves.
        operation = operation_of(request)
        polls = request.method in ("GET", "HEAD") and (
            request.query.get("wait_s", "0") != "0" or (operation is not None and operation.streams)
        )
        user = caller_of(request).name
        with connections.serving(request, user, polls):
            now_s = asyncio.get_running_loop().time()
            tokens = 1 + length / _TOKEN_BYTES
            wait_s = rates.wait_s(user, tokens, now_s, _LONGEST_DELAY_S)
            if wait_s > _LONGEST_DELAY_S:
                detail = f"too many requests of {user}: more than {limits.rate:g} a second"
                raise TooMany(detail, retry_after_s=wait_s)
            admit(request)
            answers.held.check(user, 1)
            # The body stays in memory until the answer is sent.
            with bodies.held(user, length), turns.of(user) as turn:
                request[TURN] = turn
                if wait_s:
                    await asyncio.sleep(wait_s)
                await turn.come_in()
                try:
                    response = await handler(request)
                except DaemonError:
                    if request.method == "GET":
                        check_still(request)
                    raise
                await answers.send(request, response)
                return response

    return limited


def too_large(length: int, most: int) -> DaemonError:
    return TooLarge(f"the body has {length} bytes, more than the limit of {most}")


async def read_body(request: web.Request) -> bytes:
    """Return the body, if it comes in time and takes no time to decode.

    Raises:
        DaemonError: the body comes too slowly, or in too many parts; or the caller's token was
            revoked
            or has expired while it came.
    """
    within_s = _BODY_S + (request.content_length or 0) / _BODY_BYTES_PER_S
    try:
        async with asyncio.timeout(within_s):
            body = await _whole_body(request)
    except RuntimeError as error:  # aiohttp: the connection was lost before the read
        raise ConnectionResetError(str(error)) from None
    except TimeoutError:
        detail = f"the body did not come within {within_s:.0f} s"
        raise TooSlow(detail) from None
    strings = (body.count(b'"') - body.count(b'\\"')) // 2
    if strings > _MAX_STRINGS:
        detail = f"the body has {strings} strings, more than the limit of {_MAX_STRINGS}"
        raise TooLarge(detail)
    check_still(request)
    return body


async def _whole_body(request: web.Request) -> bytes:
    """Read the body as `request.read()` does, which keeps it. An idle connection keeps its latest
    request."""
    body = bytearray()
    while part := await request.content.readany():
        body += part
        if len(body) >= request.client_max_size > 0:
            raise web.HTTPRequestEntityTooLarge(request.client_max_size, len(body))
    return bytes(body)


class _JobsOnly(msgspec.Struct, forbid_unknown_fields=True):
    jobs: list[msgspec.Raw]


def check_count(body: bytes, most: int) -> None:
    """Raise DaemonError if the body of a submit has more jobs than one request may have."""
    if len(body) < _LARGE_BYTES and body.count(b"{") <= most:
        return
    jobs = len(decode(body, _JobsOnly).jobs)
    if jobs > most:
        detail = f"'jobs' has {jobs} jobs, more than the limit of {most}; use several requests"
        raise TooLarge(detail)


def decode(body: bytes, kind: type[_T]) -> _T:
    """Return the body as a value of type `kind`. Raises DaemonError if it is none."""
    try:
        return msgspec.json.decode(body, type=kind)
    except MALFORMED as error:
        raise Malformed(f"the body is not usable: {error}") from error
