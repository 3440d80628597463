"""The web server of `rmsd ui`, on a port of the loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from aiohttp import web
from aiohttp.typedefs import Handler

from rmsd_ui.acts import Acts
from rmsd_ui.charts import Charts
from rmsd_ui.daemon import DaemonSocket, RefusedError
from rmsd_ui.door import Door, add_headers
from rmsd_ui.doorkeeper import Doorkeeper
from rmsd_ui.following import EventRelay
from rmsd_ui.forms import MOST_BYTES
from rmsd_ui.pages import Pages
from rmsd_ui.rendering import Renderer
from rmsd_ui.shared import Shared
from rmsd_ui.submitting import Submitting
from rmsd_ui.watching import Watching
from rmsd_ui.what_if import WhatIf

_LAST_REQUESTS_S = 0.5


async def serve(socket_path: str, port: int, opened: Callable[[str], None]) -> None:
    """Serve until cancelled. `opened` is called with the one-time address.

    Raises:
        OSError: the port cannot be had.
    """
    daemon, door = DaemonSocket(socket_path), Door()
    renderer = Renderer(daemon, door.form_token)
    follower = EventRelay(daemon)
    daemon.acted = follower.note_act
    shared = Shared(follower)
    what_if = WhatIf(daemon, renderer)
    handlers = (
        Pages(daemon, renderer, shared, follower),
        Charts(daemon, renderer, shared),
        Acts(daemon, renderer),
        Submitting(daemon, renderer),
        Watching(daemon, renderer),
        what_if,
    )

    @web.middleware
    async def tell_refusals(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except RefusedError as error:
            return renderer.refused(request, error)

    app = web.Application(middlewares=[door.guard(), tell_refusals], client_max_size=MOST_BYTES)
    app.add_routes([web.get("/open/{secret}", door.open, allow_head=False)])
    for one in handlers:
        app.add_routes(one.routes())
    app.on_response_prepare.append(add_headers)
    runner = web.AppRunner(
        app, access_log=None, shutdown_timeout=_LAST_REQUESTS_S, handler_cancellation=True
    )
    await runner.setup()
    try:
        server = runner.server
        assert server is not None
        doorkeeper = Doorkeeper(server, door.is_own)
        loop = asyncio.get_running_loop()
        listening = await loop.create_server(doorkeeper.arriving, "127.0.0.1", port)
        try:
            door.port = listening.sockets[0].getsockname()[1]
            opened(door.address)
            await asyncio.Event().wait()
        finally:
            listening.close()  # the runner closes the connections
    finally:
        await runner.cleanup()
        await what_if.close()
        await daemon.close()
