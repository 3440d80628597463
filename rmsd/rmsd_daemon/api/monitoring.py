"""The handlers for programs that watch the daemon: metrics, and whether the daemon works."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import ClassVar

from aiohttp import web

from rmsd_daemon.front.rpc_times import RpcTimes
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.metric_sources import Sources
from rmsd_daemon.queries.status import Counts

Page = Callable[[Sources, str], tuple[bytes, str]]


class MonitoringApi:
    """Serves metrics in the formats of Prometheus. No metric is of a single job or user.

    answers: the durations of answers, which the middleware of `rpc_times` fills.
    """

    OPERATIONS: ClassVar[tuple[str, ...]] = ("metrics", "slurm_metrics", "healthz", "readyz")

    def __init__(
        self, scheduler: Scheduler, counts: Callable[[], Awaitable[Counts]], recipe: str
    ) -> None:
        self.answers: RpcTimes = {}
        self._scheduler = scheduler
        self._counts = counts
        self._recipe = recipe

    async def metrics(self, request: web.Request) -> web.Response:
        return await self._page(request, "own_page")

    async def slurm_metrics(self, request: web.Request) -> web.Response:
        return await self._page(request, "slurm_page")

    async def _page(self, request: web.Request, name: str) -> web.Response:
        # The library takes 50 ms to import, and most daemons are never asked.
        pages = await asyncio.to_thread(import_module, "rmsd_daemon.queries.metric_pages")
        make: Page = getattr(pages, name)
        sources = Sources(self._scheduler, await self._counts(), self.answers, self._recipe)
        body, content_type = make(sources, request.headers.get("Accept", ""))
        return web.Response(body=body, headers={"Content-Type": content_type})

    async def healthz(self, request: web.Request) -> web.Response:  # noqa: ARG002
        return web.Response(text="ok\n")

    async def readyz(self, request: web.Request) -> web.Response:  # noqa: ARG002
        scheduler = self._scheduler
        missing = [f"{one.what} fails: {one.error}" for one in scheduler.troubles.failing]
        if scheduler.awaited:
            missing.append(f"waiting for {len(scheduler.awaited)} nodes after a restore")
        if missing:
            return web.Response(text="".join(f"{line}\n" for line in missing), status=503)
        return web.Response(text="ok\n")
