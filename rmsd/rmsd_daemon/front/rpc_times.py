"""The durations of the answers of each route, for monitoring."""

from __future__ import annotations

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from rmsd_daemon.front.access import operation_of
from rmsd_daemon.front.operation import AGENT
from rmsd_daemon.loop.timings import Timings

RpcTimes = dict[str, Timings]
"""The durations by the name of the operation. Long polls and streams are left out, since
they wait on purpose."""


def timing(times: RpcTimes) -> Middleware:
    """Return the middleware that measures each request; it is the outermost one."""

    @web.middleware
    async def timed(request: web.Request, handler: Handler) -> web.StreamResponse:
        operation = operation_of(request)
        if operation is None or operation.needs is AGENT or operation.streams:
            return await handler(request)
        if "wait_s" in request.query:
            return await handler(request)
        with times.setdefault(operation.name, Timings()).one():
            return await handler(request)

    return timed
