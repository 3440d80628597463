"""The pages of the dashboard that show jobs and nodes, made of what the API tells."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

from aiohttp import ClientError, web

from rmsd_client.explain_text import explain, unwrapped
from rmsd_core.vocabulary import RUNNING_STATES, TERMINAL_STATES
from rmsd_ui.acts import JOB, acts_on, is_operator
from rmsd_ui.daemon import DaemonSocket
from rmsd_ui.rendering import Renderer

_HERE = Path(__file__).parent
_PAGE_JOBS = "100"
_FILTERS = ("states", "user", "name", "partition")
_MOST_FILTER = 200
_STATES = (("", "waiting and running"), ("PD", "waiting"), ("R", "running"), ("all", "all"))
_STREAMS = (("stdout", "Output"), ("stderr", "Error output"))


class Pages:
    """The handlers of the pages, the files and the stream of events."""

    def __init__(self, daemon: DaemonSocket, renderer: Renderer) -> None:
        self._daemon = daemon
        self._renderer = renderer

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
        told = await self._daemon.get("/v1/jobs", {**query, **page, "limit": _PAGE_JOBS})
        older = told["before"]
        return await self._renderer.page(
            request,
            "jobs.html",
            jobs=list(reversed(told["jobs"])),
            chosen=chosen,
            states=_STATES,
            newest=f"/?{urlencode(query)}" if before else "",
            older=f"/?{urlencode({**query, 'before': older})}" if older else "",
        )

    async def job(self, request: web.Request) -> web.Response:
        """Show a job: why it waits or until when it runs, its attempts, what it asked for."""
        told = await self._daemon.get(f"/v1/jobs/{request.match_info['id']}/explain")
        you, job = await self._renderer.caller(), told["job"]
        is_apart = job["stderr"] not in ("", job["stdout"])
        return await self._renderer.page(
            request,
            "job.html",
            you=you,
            job=job,
            job_name=request.match_info["id"],
            lines=unwrapped(explain(told)),
            acts=acts_on(job, you),
            streams=_STREAMS if is_apart else _STREAMS[:1],
            is_running=job["state"] in RUNNING_STATES,
            is_over=job["state"] in TERMINAL_STATES,
        )

    async def nodes(self, request: web.Request) -> web.Response:
        told = await self._daemon.get("/v1/nodes")
        you = await self._renderer.caller()
        return await self._renderer.page(
            request, "nodes.html", you=you, nodes=told["nodes"], is_operator=is_operator(you)
        )

    async def static(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        kind = "text/javascript" if name.endswith(".js") else "text/css"
        text = (_HERE / "static" / name).read_text(encoding="utf-8")
        return web.Response(text=text, content_type=kind, charset="utf-8")

    async def events(self, request: web.Request) -> web.StreamResponse:
        """Pass the daemon's events on, until the page or the daemon leaves."""
        mark = request.headers.get("Last-Event-ID")
        source = await self._daemon.stream("/v1/events", {"Last-Event-ID": mark} if mark else {})
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        response.force_close()
        try:
            await response.prepare(request)
            async for part in source.content.iter_any():
                await response.write(part)
        except (ClientError, ConnectionError):
            pass  # the page asks again
        finally:
            source.close()
        return response
