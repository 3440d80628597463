"""The pages that are looked at rather than read: Gantt chart, cluster, map, series."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from aiohttp import web

from rmsd_client.console.cli import plural
from rmsd_client.show.job_fields import local_time
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import STARTED_STATES, TERMINAL_STATES, JobState
from rmsd_lab_cli.pictures.colours import variables
from rmsd_lab_cli.pictures.page import GANTT_SCRIPTS
from rmsd_ui.acts import is_operator
from rmsd_ui.cluster import ClusterSource
from rmsd_ui.daemon import DaemonSocket
from rmsd_ui.gantt import TIMES, gantt_view
from rmsd_ui.node_map import node_map
from rmsd_ui.nodes import nodes_of
from rmsd_ui.rendering import Renderer
from rmsd_ui.runs import RunsSource, newest
from rmsd_ui.series import charts_of, columns_of
from rmsd_ui.shared import Shared

Json = dict[str, Any]

_USUAL = "1d"
_MOST_JOBS = 3000
"""The most jobs of each kind (over, running, waiting) that series are made of."""
_PICTURES = "rmsd_lab_cli.pictures"
_STATIC = Path(__file__).parent / "static"
_OWN_FILES = ("charts.css", "map.js")
_FILES = (*_OWN_FILES, "gantt.css", *GANTT_SCRIPTS)


class Charts:
    """The handlers of these pages."""

    def __init__(self, daemon: DaemonSocket, renderer: Renderer, shared: Shared) -> None:
        self._daemon = daemon
        self._renderer = renderer
        self._shared = shared
        self._runs = RunsSource(daemon, shared)
        self._cluster = ClusterSource(daemon, shared)

    def routes(self) -> list[web.RouteDef]:
        """Return the routes. All of them read; none changes anything."""
        return [
            web.get("/gantt", self.gantt),
            web.get("/cluster", self.cluster),
            web.get("/map", self.map),
            web.get("/series", self.series),
            *(web.get(f"/static/{name}", self.static) for name in _FILES),
        ]

    async def gantt(self, request: web.Request) -> web.Response:
        """Show who ran where, who runs, and who is expected to."""
        chosen = {name: _time(request, name) for name in ("past", "ahead")}
        past_s, ahead_s = (TIMES[one][1] for one in chosen.values())

        async def values(status: Json) -> Json:
            runs = await self._runs.runs_of(status, past_s, ahead_s)
            # 4,500 runs on 10,000 nodes take a second, in which other pages must have answers.
            view = await asyncio.to_thread(gantt_view, runs, past_s, status["clock"]["rate"])
            shown = {"times": TIMES, "chosen": chosen, "scripts": GANTT_SCRIPTS}
            return {**view._asdict(), **shown}

        return await self._shown(request, "gantt.html", tuple(chosen.values()), values)

    async def cluster(self, request: web.Request) -> web.Response:
        """Show the nodes, jobs and reservations in few numbers, and what was used."""
        return await self._shown(request, "cluster.html", (), self._cluster.values)

    async def map(self, request: web.Request) -> web.Response:
        """Show each node as a cell of a map."""

        async def values(_: Json) -> Json:
            nodes = await nodes_of(self._daemon, self._shared)
            return (await asyncio.to_thread(node_map, nodes))._asdict()

        return await self._shown(request, "map.html", (), values)

    async def series(self, request: web.Request) -> web.Response:
        """Show queue length, processors in use, waits and slowdowns over time."""
        chosen = _time(request, "past")

        async def values(status: Json) -> Json:
            return {"times": TIMES, "chosen": chosen, **await self._series(status, chosen)}

        return await self._shown(request, "series.html", (chosen,), values)

    async def _series(self, status: Json, chosen: str) -> Json:
        until_us = status["clock"]["model_us"]
        since_us = max(0, until_us - round(TIMES[chosen][1] * SECOND_US))
        over, running, waiting = await asyncio.gather(
            newest(self._daemon, TERMINAL_STATES, _MOST_JOBS, ended_since_us=str(since_us)),
            newest(self._daemon, STARTED_STATES, _MOST_JOBS),
            newest(self._daemon, frozenset({JobState.PENDING}), _MOST_JOBS),
        )
        views = [*over["jobs"], *running["jobs"], *waiting["jobs"]]
        columns = columns_of(views, since_us, until_us)
        return {
            "columns": columns,
            "charts": charts_of(columns, status["cores"], local_time),
            "left_out": _left_out(ended=over, run=running, wait=waiting),
        }

    async def _shown(
        self,
        request: web.Request,
        template: str,
        chosen: tuple[str, ...],
        make: Callable[[Json], Awaitable[Json]],
    ) -> web.Response:
        """Return a page of the values that `make` gives, from the state of the daemon. They are
        shared by the pages of the same choices."""

        async def values() -> Json:
            status = await self._daemon.get("/v1/status")
            return {"cluster": status, **await make(status)}

        shown = await self._shared.get((template, *chosen), values)
        if shown is None:
            return self._renderer.later(template)
        you = shown.value["cluster"]["you"]
        own = not is_operator(you)  # the daemon shows the caller no jobs of others
        return await self._renderer.page(
            request, template, you=you, own=own, is_late=shown.is_late, **shown.value
        )

    async def static(self, request: web.Request) -> web.Response:
        """Return a file of the charts: those of `rmsd gantt` are the lab's."""
        name = request.path.rpartition("/")[2]
        kind = "text/javascript" if name.endswith(".js") else "text/css"
        if name in _OWN_FILES:
            text = (_STATIC / name).read_text(encoding="utf-8")
        else:
            text = files(_PICTURES).joinpath(name).read_text(encoding="utf-8")
            if name.endswith(".css"):
                text = f"{variables()}\n{text}"
        return web.Response(text=text, content_type=kind, charset="utf-8")


def _time(request: web.Request, name: str) -> str:
    """Return a time of TIMES that the query asks for."""
    asked = request.query.get(name, _USUAL)
    return asked if asked in TIMES else _USUAL


def _left_out(**found: dict[str, Any]) -> list[str]:
    """Return sentences about the jobs that series leave out, by what they do."""
    return [
        f"More than {plural(_MOST_JOBS, 'job')} {what}: older ones than job "
        f"{told['jobs'][0]['job_id']} are not counted."
        for what, told in found.items()
        if told["before"] is not None and told["jobs"]
    ]
