"""The page "Submit": a form that becomes a job, by the rules of `rsub`."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from rmsd_client.connection.http import idempotency_key
from rmsd_client.console.cli import plural
from rmsd_client.errors import UsageError
from rmsd_client.rsub import spec_of
from rmsd_client.show.job_fields import local_time
from rmsd_client.show.tested import why_unknown
from rmsd_client.submit.directory import current_dir
from rmsd_client.submit.options import parse_command_line
from rmsd_ui.daemon import DaemonSocket, RefusedError
from rmsd_ui.forms import FORM
from rmsd_ui.rendering import Renderer

Json = dict[str, Any]

OPTIONS = {
    "name": "--job-name",
    "partition": "--partition",
    "time": "--time",
    "nodes": "--nodes",
    "ntasks": "--ntasks",
    "cpus": "--cpus-per-task",
    "mem": "--mem",
    "workdir": "--chdir",
}
"""The fields of the form beside the script, and the options of `rsub` that they are."""
_BY_SPEC = {
    "time_limit_s": "time",
    "tasks": "ntasks",
    "cpus_per_task": "cpus",
    "mem_mib": "mem",
}
"""The fields of the form that have another name in a SubmitSpec."""
_FIRST_SCRIPT = "#!/bin/sh\n"
_UNNAMED = "job"


class Submitting:
    """The handlers of the page "Submit"."""

    def __init__(self, daemon: DaemonSocket, renderer: Renderer) -> None:
        self._daemon = daemon
        self._renderer = renderer

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/submit", self.ask), web.post("/submit", self.submit)]

    async def ask(self, request: web.Request) -> web.Response:
        """Show the form with nothing filled in but the directory."""
        typed = {"script": _FIRST_SCRIPT, "workdir": current_dir(), "key": secrets.token_hex(16)}
        return await self._form(request, typed)

    async def submit(self, request: web.Request) -> web.Response:
        """Submit the job, or tell when it would start. What was typed stays in the form if it is
        wrong, or refused."""
        form = request[FORM]
        wrong = _wrong_fields(form)
        if wrong:
            return await self._form(request, form, wrong=wrong, status=400)
        try:
            spec = _spec(form)
        except UsageError as error:
            # another message is about a configuration, or the environment
            at = "script" if str(error).startswith("script") else "form"
            return await self._form(request, form, wrong={at: str(error)}, status=400)
        try:
            if form.get("act") == "test":
                tested = await self._daemon.act(lambda client: client.test_submit(spec))
                return await self._form(request, form, tested=_start_text(tested))
            key = _key(form, spec)
            [job] = await self._daemon.act(lambda client: client.submit([spec], key))
        except RefusedError as error:
            field = _BY_SPEC.get(error.field, error.field)
            at = field if field in OPTIONS else "form"
            return await self._form(request, form, wrong={at: str(error)}, status=error.status)
        job_id = job["job_id"]
        return self._renderer.done(f"/jobs/{job_id}", f"Job {job_id} is submitted.")

    async def _form(
        self,
        request: web.Request,
        typed: Mapping[str, str],
        *,
        wrong: Mapping[str, str] | None = None,
        tested: str = "",
        status: int = 200,
    ) -> web.Response:
        partitions = (await self._daemon.get("/v1/partitions"))["partitions"]
        values = {name: typed.get(name, "") for name in ("script", "key", *OPTIONS)}
        return await self._renderer.page(
            request,
            "submit.html",
            typed=values,
            wrong=wrong or {},
            tested=tested,
            partitions=[one["name"] for one in partitions],
            status=status,
        )


def _flag(form: Mapping[str, str], name: str) -> list[str]:
    """Return the option that a field is; none if it is empty."""
    text = form.get(name, "").strip()
    return [f"{OPTIONS[name]}={text}"] if text else []


def _wrong_fields(form: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with each field that no daemon needs to see."""
    wrong = {}
    for name in OPTIONS:
        flags = _flag(form, name)
        try:
            parse_command_line(flags)
        except UsageError as error:
            wrong[name] = str(error).removeprefix(f"{flags[0]}: ")
    workdir = form.get("workdir", "").strip()
    if workdir and not workdir.startswith("/"):
        wrong["workdir"] = f"'{workdir}' does not begin with '/': name a directory from the root on"
    return wrong


def _spec(form: Mapping[str, str]) -> Json:
    """Return the job that a form asks for. Raises UsageError for a script that cannot be run."""
    flags = [flag for name in OPTIONS for flag in _flag(form, name)]
    return spec_of(_UNNAMED, form.get("script", ""), flags)


def _start_text(tested: Json) -> str:
    """Return the words for a `TestReply`."""
    if tested["start_us"] is None:
        return f"{why_unknown(tested).capitalize()}."
    return (
        f"It would be job {tested['job_id']} and start at {local_time(tested['start_us'])} on "
        f"{tested['nodelist'] or 'any nodes'}, with {plural(tested['cpus'], 'processor')}, in "
        f"the partition {tested['partition']}."
    )


def _key(form: Mapping[str, str], spec: Json) -> str:
    """Return the idempotency key of a submit. A form that is sent twice submits once; after a
    change of what was typed, it is another submit."""
    if not form.get("key"):
        return idempotency_key()
    made = json.dumps([form["key"], spec], sort_keys=True)
    return hashlib.sha256(made.encode()).hexdigest()
