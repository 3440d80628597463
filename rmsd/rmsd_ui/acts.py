"""The acts on jobs and nodes: forms that the caller sends, and what the daemon makes of them.

Each act is one call of the client library, with the caller's own rights. Pages offer the acts that
the caller may do; the daemon decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from aiohttp import web

from rmsd_client.api import Client
from rmsd_client.submit.job_updates import longer_by_s, update_of
from rmsd_core.vocabulary import RUNNING_STATES, TERMINAL_STATES, JobState
from rmsd_ui.daemon import DaemonSocket, RefusedError
from rmsd_ui.forms import FORM
from rmsd_ui.rendering import Renderer

Json = dict[str, Any]

JOB = r"/jobs/{id:\d{1,18}(?:_\d{1,9})?}"
"""The route of a job's page."""
_NODE = r"/nodes/{node:[\w.-]{1,128}}"
_CHANGED = ("time", "nice", "comment")
"""The fields of the form that changes a job, which are options of `rjob update`."""


class JobAct(NamedTuple):
    """An act on a job: its action in the API, the words of its button, and its message."""

    action: str
    words: str
    message: str


_HOLD = JobAct("hold", "Hold", "is held: it does not start, or start again, before it is released")
_RELEASE = JobAct("release", "Release", "is released")
_REQUEUE = JobAct("requeue", "Requeue", "is ended, and will run again from its beginning")
_RESTART = JobAct("restart", "Run again", "will run again from its beginning")
_SUSPEND = JobAct("suspend", "Suspend", "is suspended: its processes stand still")
_RESUME = JobAct("resume", "Resume", "is resumed")
_ACTS = {one.action: one for one in (_HOLD, _RELEASE, _REQUEUE, _RESTART, _SUSPEND, _RESUME)}


def is_operator(you: Mapping[str, Any]) -> bool:
    """Return whether the caller has the rights of an operator."""
    return you["role"] in ("operator", "admin")


def acts_on(job: Json, you: Mapping[str, Any]) -> list[JobAct]:
    """Return the acts that the job's state and the caller's role allow, without the cancel."""
    state = JobState(job["state"])
    if state is JobState.PENDING:
        return _acts_on_a_hold(job["conditions"] and job["conditions"]["held_by"], you)
    acts = []
    if state in RUNNING_STATES and job["requeue"]:
        acts += [_REQUEUE, *_acts_on_a_hold(job["requeue_hold"], you)]
    if is_operator(you) and state in (JobState.RUNNING, JobState.SUSPENDED):
        acts.append(_SUSPEND if state is JobState.RUNNING else _RESUME)
    if state in TERMINAL_STATES and job["requeue"]:
        acts.append(_RESTART)
    return acts


def _acts_on_a_hold(held_by: str | None, you: Mapping[str, Any]) -> list[JobAct]:
    if not held_by:
        return [_HOLD]
    return [_RELEASE] if held_by == "user" or is_operator(you) else []


class Acts:
    """The handlers of the forms about jobs and nodes, and of the pages that ask before an act."""

    def __init__(self, daemon: DaemonSocket, renderer: Renderer) -> None:
        self._daemon = daemon
        self._renderer = renderer

    def routes(self) -> list[web.RouteDef]:
        """Return the routes. Those with GET ask, and change nothing."""
        return [
            web.post(f"{JOB}/{{action:{'|'.join(_ACTS)}}}", self.act_on_job),
            web.get(f"{JOB}/cancel", self.ask_cancel),
            web.post(f"{JOB}/cancel", self.cancel),
            web.get(f"{JOB}/change", self.ask_change),
            web.post(f"{JOB}/change", self.change),
            web.get(f"{_NODE}/drain", self.ask_drain),
            web.post(f"{_NODE}/drain", self.drain),
            web.post(f"{_NODE}/resume", self.resume),
        ]

    # ------------------------------------------------------------------ jobs

    async def act_on_job(self, request: web.Request) -> web.Response:
        job_id, act = request.match_info["id"], _ACTS[request.match_info["action"]]
        await self._daemon.act(lambda client: client.change(job_id, act.action))
        return self._renderer.done(f"/jobs/{job_id}", f"Job {job_id} {act.message}.")

    async def ask_cancel(self, request: web.Request) -> web.Response:
        """Show the question before a cancel."""
        return await self._page_of_job(request, "cancel.html")

    async def cancel(self, request: web.Request) -> web.Response:
        job_id = request.match_info["id"]
        await self._daemon.act(lambda client: client.cancel(job_id))
        return self._renderer.done(f"/jobs/{job_id}", f"Job {job_id} is cancelled.")

    async def ask_change(self, request: web.Request) -> web.Response:
        """Show the form that changes a job."""
        typed = dict.fromkeys(_CHANGED, "")
        return await self._page_of_job(request, "change.html", typed=typed, error="")

    async def change(self, request: web.Request) -> web.Response:
        """Change the fields that were filled in. What was typed stays in the form if it is wrong,
        or refused."""
        form, job_id = request[FORM], request.match_info["id"]
        typed = {name: form.get(name, "").strip() for name in _CHANGED}

        def update(client: Client) -> None:
            asked = update_of("update", {name: text or None for name, text in typed.items()})
            if (more_s := longer_by_s(typed["time"] or None)) is not None:
                time_limit_s = client.job(job_id)["time_limit_s"]
                asked["time_limit_s"] = None if time_limit_s is None else time_limit_s + more_s
            client.update(job_id, asked)

        try:
            if not any(typed.values()):
                raise RefusedError(400, "Nothing was filled in: say what to change.")
            await self._daemon.act(update)
        except RefusedError as error:
            return await self._page_of_job(
                request, "change.html", typed=typed, error=str(error), status=error.status
            )
        return self._renderer.done(f"/jobs/{job_id}", f"Job {job_id} is changed.")

    async def _page_of_job(
        self, request: web.Request, template: str, *, status: int = 200, **values: Any
    ) -> web.Response:
        job_name = request.match_info["id"]
        job = (await self._daemon.get(f"/v1/jobs/{job_name}"))["job"]
        return await self._renderer.page(
            request, template, status=status, job=job, job_name=job_name, **values
        )

    # ------------------------------------------------------------------ nodes

    async def ask_drain(self, request: web.Request) -> web.Response:
        """Show the form with the reason of a drain."""
        node = request.match_info["node"]
        return await self._renderer.page(request, "drain.html", node=node, reason="", error="")

    async def drain(self, request: web.Request) -> web.Response:
        node, reason = request.match_info["node"], request[FORM].get("reason", "").strip()
        try:
            await self._daemon.act(lambda client: client.drain(node, reason))
        except RefusedError as error:
            return await self._renderer.page(
                request,
                "drain.html",
                node=node,
                reason=reason,
                error=str(error),
                status=error.status,
            )
        return self._renderer.done(
            "/nodes", f"Node {node} is drained: nothing new starts there, and jobs there run on."
        )

    async def resume(self, request: web.Request) -> web.Response:
        node = request.match_info["node"]
        await self._daemon.act(lambda client: client.resume(node))
        return self._renderer.done("/nodes", f"Node {node} is in use again.")
