"""The pages of the dashboard, made of what the API tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from aiohttp import ClientError, web
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rmsd_client import device_text
from rmsd_client.cli import plural
from rmsd_client.explain_text import explain, unwrapped
from rmsd_client.job_fields import label, local_time
from rmsd_ui.daemon import DaemonSocket, RefusedError
from rmsd_wire.durations import format_duration

_HERE = Path(__file__).parent
_PAGE_JOBS = "100"
_FILTERS = ("states", "user", "name", "partition")
_MOST_FILTER = 200
_STATES = (("", "waiting and running"), ("PD", "waiting"), ("R", "running"), ("all", "all"))


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["duration"] = lambda value: "" if value is None else format_duration(value)
    made.filters["limit"] = format_duration
    made.filters["counted"] = lambda jobs: plural(len(jobs), "job")
    made.filters["when"] = lambda value: "" if value is None else local_time(value)
    made.filters["label"] = label
    made.filters["devices"] = lambda node: device_text.counted([node]).replace(",", ", ")
    return made


class Pages:
    """The handlers of the pages, the files and the stream of events."""

    def __init__(self, daemon: DaemonSocket) -> None:
        self._daemon = daemon
        self._environment = _environment()

    def routes(self) -> list[web.RouteDef]:
        """Return the routes. All of them read; none changes anything."""
        return [
            web.get("/", self.jobs),
            web.get(r"/jobs/{id:\d{1,18}(?:_\d{1,9})?}", self.job),
            web.get("/nodes", self.nodes),
            web.get("/events", self.events),
            web.get(r"/static/{name:ui\.(?:js|css)}", self.static),
        ]

    async def jobs(self, request: web.Request) -> web.Response:
        """Show the queue, a hundred jobs at a time, by the filters of the query."""
        chosen = {name: request.query.get(name, "")[:_MOST_FILTER] for name in _FILTERS}
        query = {name: text for name, text in chosen.items() if text}
        before = request.query.get("before", "")
        page = {"before": before} if before else {}
        told = await self._daemon.get("/v1/jobs", {**query, **page, "limit": _PAGE_JOBS})
        older = told["before"]
        return await self._page(
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
        return await self._page("job.html", job=told["job"], lines=unwrapped(explain(told)))

    async def nodes(self, request: web.Request) -> web.Response:  # noqa: ARG002
        told = await self._daemon.get("/v1/nodes")
        return await self._page("nodes.html", nodes=told["nodes"])

    async def _page(self, template: str, **values: Any) -> web.Response:
        you = (await self._daemon.get("/v1/status"))["you"]
        return self._answer(template, 200, you=you, **values)

    def _answer(self, template: str, status: int, **values: Any) -> web.Response:
        text = self._environment.get_template(template).render(page=template, **values)
        return web.Response(text=text, status=status, content_type="text/html", charset="utf-8")

    def refused(self, error: RefusedError) -> web.Response:
        """Return the page that tells what the daemon has said."""
        return self._answer("refused.html", error.status, detail=str(error), you=None)

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
