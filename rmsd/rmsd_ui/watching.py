"""A running job on its page: its output as it comes, what it uses now, and its script."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import NamedTuple

from aiohttp import web

from rmsd_ui.acts import JOB
from rmsd_ui.daemon import DaemonSocket, RefusedError
from rmsd_ui.rendering import Renderer

PART = 64 * 1024
"""Bytes of output in one answer. A page begins with so much of the end of a long output."""
_FIRST_STEP = 1 << 20
_LONGEST = 1 << 50  # longer than any output
_WAIT_S = 20
_STREAMS = ("stdout", "stderr")
_TOLD = ("X-RMS-Offset", "X-RMS-EOF", "X-RMS-Attempt")


class _OutputReader(NamedTuple):
    """Reads one output of a job, of the attempt that the offsets belong to ("": whichever)."""

    daemon: DaemonSocket
    job_id: str
    stream: str
    attempt: str

    async def read(
        self, offset: int, limit: int, wait_s: int = 0
    ) -> tuple[bytes, Mapping[str, str]]:
        """Return up to `limit` bytes from an offset on, and the headers of the answer. Raises
        RefusedError."""
        query = {
            "stream": self.stream,
            "offset": str(offset),
            "limit": str(limit),
            "wait_s": str(wait_s),
            **({"attempt": self.attempt} if self.attempt else {}),
        }
        return await self.daemon.read(f"/v1/jobs/{self.job_id}/output", query, limit)

    async def end(self, begin: int) -> int:
        """Return the present length of an output that has `begin` bytes or more. No answer has the
        length, but answers show whether there is a byte at an offset."""
        step = _FIRST_STEP
        while begin + step < _LONGEST and await self._has(begin + step):
            begin, step = begin + step, 2 * step
        beyond = begin + step
        while begin < beyond:
            middle = (begin + beyond) // 2
            if await self._has(middle):
                begin = middle + 1
            else:
                beyond = middle
        return begin

    async def _has(self, offset: int) -> bool:
        data, _ = await self.read(offset, 1)
        return bool(data)


class Watching:
    """The handlers of what a job's page shows while the job runs."""

    def __init__(self, daemon: DaemonSocket, renderer: Renderer) -> None:
        self._daemon = daemon
        self._renderer = renderer

    def routes(self) -> list[web.RouteDef]:
        """Return the routes. All of them read; none changes anything."""
        return [
            web.get(f"{JOB}/output", self.output),
            web.get(f"{JOB}/use", self.use),
            web.get(f"{JOB}/script", self.script),
        ]

    async def output(self, request: web.Request) -> web.Response:
        """Return a part of a job's output as plain text: from the `offset` of the query on, waiting
        for more; without an offset the end of the present output. The headers say where the part
        ends, as those of the API do."""
        query = request.query
        stream, attempt = query.get("stream", "stdout"), query.get("attempt", "")
        given = query.get("offset", "")
        numbers_are_usable = all(_is_number(one) for one in (given, attempt) if one)
        if stream not in _STREAMS or not numbers_are_usable:
            raise web.HTTPBadRequest(text="This is no part of an output.")
        reader = _OutputReader(self._daemon, request.match_info["id"], stream, attempt)
        if given:
            data, headers = await reader.read(int(given), PART, _WAIT_S)
        else:
            data, headers = await reader.read(0, PART)
            if len(data) == PART:
                reader = reader._replace(attempt=headers.get("X-RMS-Attempt", ""))
                data, headers = await reader.read(await reader.end(PART) - PART, PART)
        told = {name: headers[name] for name in _TOLD if name in headers}
        return web.Response(
            body=data,
            content_type="text/plain",
            charset="utf-8",
            headers=told,
        )

    async def use(self, request: web.Request) -> web.Response:
        """Show what a running job uses now on each of its nodes. A job that does not run is no
        error: it may have ended since its page was made."""
        job_id = request.match_info["id"]
        nodes, note = [], ""
        try:
            nodes = (await self._daemon.get(f"/v1/jobs/{job_id}/use"))["nodes"]
        except RefusedError as error:
            if error.status != HTTPStatus.CONFLICT:
                raise
            note = str(error)
        return await self._renderer.page(
            request, "use.html", job_name=job_id, nodes=nodes, note=note
        )

    async def script(self, request: web.Request) -> web.Response:
        """Show the script of a job."""
        job_id = request.match_info["id"]
        told = await self._daemon.get(f"/v1/jobs/{job_id}/script")
        return await self._renderer.page(request, "script.html", job_name=job_id, told=told)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 18
