"""The page "What if": what another scheduler would have done, found by `rmsd what-if`.

The command runs in a process of its own, as the account of the dashboard and with its rights, one
at a time. It ends after a while, when the caller stops it, and with the dashboard.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from rmsd_ui.daemon import DaemonSocket
from rmsd_ui.forms import FORM
from rmsd_ui.rendering import Renderer

MOST_S = 300
"""The time that a what-if may take [s]."""
_PROGRAM = (sys.executable, "-P", "-m", "rmsd_lab_cli.what_if.told")
_MOST_LINE = 1 << 20
_MOST_ERROR = 2000
_MOST_RECIPES, _MOST_TEXT = 4, 200
_WAITING = 20
"""The waiting jobs that are shown."""
_ASSUMED = ("prediction", "estimate")
_FIELDS = {"recipes": "", "since": "1d", "assume": _ASSUMED[0]}
"""The fields of the form, and what they have at first."""


@dataclass(eq=False)
class WhatIfRun:
    """A what-if and how it goes. done, total: the simulated jobs, of all; a total of 0 means that
    the history is still read. error: why there is no result."""

    typed: Mapping[str, str]
    began_s: float = field(default_factory=time.monotonic)
    done: int = 0
    total: int = 0
    parts: list[dict[str, Any]] | None = None
    error: str = ""

    @property
    def is_over(self) -> bool:
        return self.parts is not None or self.error != ""

    @property
    def share(self) -> int:
        """Return how much is simulated [%]."""
        return 100 * self.done // self.total if self.total else 0


class WhatIf:
    """The handlers of the page. A dashboard has one caller, so it has one run at a time."""

    def __init__(self, daemon: DaemonSocket, renderer: Renderer) -> None:
        self._daemon = daemon
        self._renderer = renderer
        self._run: WhatIfRun | None = None
        self._task: asyncio.Task[None] | None = None

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/what-if", self.show),
            web.post("/what-if", self.begin),
            web.post("/what-if/stop", self.stop),
        ]

    async def show(self, request: web.Request) -> web.Response:
        """Show the form, and the run that goes on or has ended."""
        return await self._page(request, _FIELDS if self._run is None else self._run.typed)

    async def begin(self, request: web.Request) -> web.Response:
        """Begin a run. What was typed stays in the form if it is wrong."""
        form = request[FORM]
        typed = {name: form.get(name, "").strip() for name in _FIELDS}
        if self._run is not None and not self._run.is_over:
            error = "A what-if is running: wait for its result, or stop it."
            return await self._page(request, typed, error=error, status=409)
        if error := _wrong(typed):
            return await self._page(request, typed, error=error, status=400)
        self._run = WhatIfRun(typed)
        self._task = asyncio.get_running_loop().create_task(self._follow(self._run))
        return self._renderer.done("/what-if", "The simulation has begun.")

    async def stop(self, request: web.Request) -> web.Response:  # noqa: ARG002
        """End the run, if one goes on."""
        run = self._run
        if run is None or run.is_over:
            return self._renderer.done("/what-if", "No simulation is running.")
        await self.close()
        return self._renderer.done("/what-if", "The simulation is stopped.")

    async def close(self) -> None:
        """End the process of the run."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _page(
        self, request: web.Request, typed: Mapping[str, str], *, error: str = "", status: int = 200
    ) -> web.Response:
        run = self._run
        return await self._renderer.page(
            request,
            "what-if.html",
            is_late=run is not None and not run.is_over,
            typed=typed,
            assumed=_ASSUMED,
            error=error,
            run=run,
            ran_s=0 if run is None else int(time.monotonic() - run.began_s),
            most_s=MOST_S,
            status=status,
        )

    async def _follow(self, run: WhatIfRun) -> None:
        """Run the program, and note what it tells."""
        try:
            async with asyncio.timeout(MOST_S):
                await self._tell(run)
        except TimeoutError:
            run.error = (
                f"This takes more than {MOST_S} s: look back less far, or try fewer recipes."
            )
        except asyncio.CancelledError:
            run.error = "It was stopped."
        except (OSError, ValueError) as error:
            run.error = f"It cannot be read what the simulation tells: {error}"
        if not run.is_over:
            run.error = "The simulation has ended without a result."

    async def _tell(self, run: WhatIfRun) -> None:
        process = await asyncio.create_subprocess_exec(
            *(*_PROGRAM, str(MOST_S), *self._arguments(run.typed)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_MOST_LINE,
        )
        try:
            assert process.stdout is not None
            async for line in process.stdout:
                told = json.loads(line)
                run.done, run.total = told.get("done", run.done), told.get("total", run.total)
                run.parts = told.get("parts")
                run.error = str(told.get("error", ""))[:_MOST_ERROR]
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    def _arguments(self, typed: Mapping[str, str]) -> list[str]:
        """Return the command line. No field can be an option, since all are values of one."""
        since = [f"--since={typed['since']}"] if typed["since"] else []
        return [
            *(f"--server=unix:{self._daemon.path}", f"--limit={_WAITING}"),
            *(f"--assume={typed['assume']}", *since),
            *(f"--recipe={one}" for one in typed["recipes"].split()),
        ]


def _wrong(typed: Mapping[str, str]) -> str:
    """Return what is wrong with the fields; "" if the command can be asked."""
    recipes = typed["recipes"].split()
    if not recipes:
        return "Name a recipe: see `rmsd recipes`."
    if len(recipes) > _MOST_RECIPES:
        return f"These are {len(recipes)} recipes; at most {_MOST_RECIPES} are tried at a time."
    if any(len(text) > _MOST_TEXT for text in (*recipes, typed["since"])):
        return f"A recipe and a time have at most {_MOST_TEXT} characters."
    if typed["assume"] not in _ASSUMED:
        return "Jobs that are not over run as long as predicted, or as their users said."
    return ""
