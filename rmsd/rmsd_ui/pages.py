"""The pages of the dashboard that show jobs and nodes, made of what the API tells."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from rmsd_client.show.explain_text import explain, unwrapped
from rmsd_core.vocabulary import RUNNING_STATES, TERMINAL_STATES
from rmsd_ui.acts import JOB, acts_on, is_operator
from rmsd_ui.daemon import DaemonSocket, RefusedError
from rmsd_ui.following import EventRelay
from rmsd_ui.nodes import NodesPage, nodes_of, nodes_page
from rmsd_ui.rendering import Renderer
from rmsd_ui.shared import Shared

_HERE = Path(__file__).parent
_PAGE_JOBS = "100"
_FILTERS = ("states", "user", "name", "partition")
_NODE_FILTERS = ("state", "text")
_MOST_FILTER = 200
_STATES = (("", "waiting and running"), ("PD", "waiting"), ("R", "running"), ("all", "all"))
_STREAMS = (("stdout", "Output"), ("stderr", "Error output"))


class Pages:
    """The handlers of the pages, the files and the stream of events."""

    def __init__(
        self, daemon: DaemonSocket, renderer: Renderer, shared: Shared, follower: EventRelay
    ) -> None:
        self._daemon = daemon
        self._renderer = renderer
        self._shared = shared
        self._follower = follower

    def routes(self) -> list[web.RouteDef]:
        """Return the routes. All of them read; none changes anything."""
        return [
            web.get("/", self.jobs),
            web.get(JOB, self.job),
            web.get("/nodes", self.nodes),
            web.get("/events", self.events),
            web.get(r"/static/{name:(?:ui\.css|ui\.js|job\.js)}", self.static),
        ]

    async def jobs(self, request: web.Request) -> web.Response:
        """Show the queue, a hundred jobs at a time, by the filters of the query."""
        chosen = {name: request.query.get(name, "")[:_MOST_FILTER] for name in _FILTERS}
        query = {name: text for name, text in chosen.items() if text}
        before = request.query.get("before", "")
        page = {"before": before} if before else {}
        asked = {**query, **page, "limit": _PAGE_JOBS}
        key = ("jobs", *asked.items())
        shown = await self._shared.get(key, lambda: self._with_caller("/v1/jobs", asked))
        if shown is None:
            return self._renderer.later("jobs.html")
        told, you = shown.value
        older = told["before"]
        return await self._renderer.page(
            request,
            "jobs.html",
            you=you,
            is_late=shown.is_late,
            jobs=list(reversed(told["jobs"])),
            chosen=chosen,
            states=_STATES,
            newest=f"/?{urlencode(query)}" if before else "",
            older=f"/?{urlencode({**query, 'before': older})}" if older else "",
        )

    async def job(self, request: web.Request) -> web.Response:
        """Show a job: why it waits or until when it runs, its attempts, what it asked for."""
        path = f"/v1/jobs/{request.match_info['id']}/explain"
        shown = await self._shared.get(path, lambda: self._with_caller(path))
        if shown is None:
            return self._renderer.later("job.html")
        told, you = shown.value
        job = told["job"]
        is_apart = job["stderr"] not in ("", job["stdout"])
        return await self._renderer.page(
            request,
            "job.html",
            you=you,
            is_late=shown.is_late,
            job=job,
            job_name=request.match_info["id"],
            lines=unwrapped(explain(told)),
            acts=acts_on(job, you),
            streams=_STREAMS if is_apart else _STREAMS[:1],
            is_running=job["state"] in RUNNING_STATES,
            is_over=job["state"] in TERMINAL_STATES,
        )

    async def _with_caller(
        self, path: str, query: Mapping[str, str] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return an answer of the daemon, and the caller as it knows it. Raises RefusedError."""
        told, you = await asyncio.gather(self._daemon.get(path, query), self._renderer.caller())
        return told, you

    async def nodes(self, request: web.Request) -> web.Response:
        """Show the nodes, a hundred at a time, by the filters of the query."""
        chosen = {name: request.query.get(name, "")[:_MOST_FILTER] for name in _NODE_FILTERS}
        first = request.query.get("from", "")
        number = int(first) if first.isascii() and first.isdigit() and len(first) < 10 else 0

        async def values() -> tuple[NodesPage, dict[str, Any]]:
            nodes, you = await asyncio.gather(
                nodes_of(self._daemon, self._shared), self._renderer.caller()
            )
            return nodes_page(nodes, chosen["state"], chosen["text"], number), you

        shown = await self._shared.get(("nodes.html", number, *chosen.values()), values)
        if shown is None:
            return self._renderer.later("nodes.html")
        part, you = shown.value

        def at(begin: int | None) -> str:
            return "" if begin is None else f"/nodes?{urlencode({**chosen, 'from': begin})}"

        return await self._renderer.page(
            request,
            "nodes.html",
            you=you,
            is_late=shown.is_late,
            is_operator=is_operator(you),
            chosen=chosen,
            part=part,
            before=at(part.before),
            after=at(part.after),
        )

    async def static(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        kind = "text/javascript" if name.endswith(".js") else "text/css"
        text = (_HERE / "static" / name).read_text(encoding="utf-8")
        return web.Response(text=text, content_type=kind, charset="utf-8")

    async def events(self, request: web.Request) -> web.StreamResponse:
        """Pass the daemon's events on, until the page or the daemon leaves."""
        events = self._follower.events()
        async with contextlib.aclosing(events):
            event = await anext(events, None)  # before the answer begins
            if event is None:
                raise RefusedError(503, "the daemon does not answer")
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            response.force_close()
            await response.prepare(request)
            with contextlib.suppress(ConnectionError):  # the page has left
                while event is not None:
                    await response.write(event)
                    event = await anext(events, None)
        return response
