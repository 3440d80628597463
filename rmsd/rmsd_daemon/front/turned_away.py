"""The pace of refusals: requests that are turned away get a limited number of answers a second."""

from __future__ import annotations

import asyncio

from aiohttp import web
from aiohttp.web_request import BaseRequest

from rmsd_daemon.domain.rates import Rates
from rmsd_daemon.front.access import known_caller
from rmsd_daemon.front.connections import peer_of

_PER_S = 100.0
_AT_ONCE = 200.0
"""The answers at once to one user, or to one peer without a known user."""
_LONGEST_S = 30.0
"""A connection whose answer would have to wait longer is broken off. Clients wait 10 s for an
answer."""

_ADMITTED = web.RequestKey("admitted", bool)


def admit(request: web.Request) -> None:
    """Note that the request counts for the rate of its caller, which bounds the number of such
    requests."""
    request[_ADMITTED] = True


class TurnedAway:
    """Delays the answers to requests that count for no caller's rate. A caller that is not known,
    or asks too often, could otherwise occupy the event loop with refusals on a thousand
    connections.

    A connection serves its next request only after the answer to the one before.
    """

    def __init__(
        self, per_s: float = _PER_S, at_once: float = _AT_ONCE, longest_s: float = _LONGEST_S
    ) -> None:
        self._rates = Rates(per_s, at_once)
        self._longest_s = longest_s

    def guard(self, runner: web.AppRunner) -> None:
        """Make the answer to every request of the runner, which is set up, pass through this
        object."""
        server = runner.server
        assert server is not None
        served = server.request_handler

        async def handle(request: BaseRequest) -> web.StreamResponse:
            try:
                response = await served(request)
            except web.HTTPException:  # aiohttp refused the request before any handler of ours
                await self._hold(request)
                raise
            if _ADMITTED not in request:
                await self._hold(request)
            return response

        # Each connection takes the server's handler when it is made; there is no other hook.
        server.request_handler = handle

    async def _hold(self, request: BaseRequest) -> None:
        """Wait until the answer may be sent, or break the connection off."""
        if (transport := request.transport) is None:
            return
        caller = known_caller(request)
        who = peer_of(transport) if caller is None else f"user {caller.name}"
        now_s = asyncio.get_running_loop().time()
        wait_s = self._rates.wait_s(who, 1, now_s, self._longest_s)
        if wait_s > self._longest_s:
            transport.abort()
        elif wait_s:
            await asyncio.sleep(wait_s)
