"""The API's calls to agents: output of jobs (`rlog`), and tasks of steps (`rrun`)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal, cast

from aiohttp import web

from rmsd_core.job import Job
from rmsd_core.vocabulary import Cause, JobState
from rmsd_daemon.access import caller_of
from rmsd_daemon.api import answer, check_stands_in, wait_s
from rmsd_daemon.auth import Role
from rmsd_daemon.history import Found, History, parse_job_id
from rmsd_daemon.launch import output_path
from rmsd_daemon.links import AgentLinks
from rmsd_daemon.problems import UNREACHABLE, ApiError, bad_request
from rmsd_daemon.request_limits import decode, read_body
from rmsd_daemon.scheduler import Scheduler
from rmsd_daemon.submission import check_words
from rmsd_wire import link
from rmsd_wire.api import TaskReply, TaskSpec

_CALL_S = 30.0
_KILL_S = 60.0
_MAX_READ = 8 << 20
_MAX_PATH = 4096
_WAITING = (JobState.PENDING, JobState.CONFIGURING)


class StepsApi:
    """Handlers that ask the agent of a job's node."""

    def __init__(
        self,
        scheduler: Scheduler,
        links: AgentLinks,
        history: History,
        role_of: Callable[[str], Role],
        *,
        as_users: bool,
    ) -> None:
        self._role_of = role_of
        self._as_users = as_users
        self._scheduler = scheduler
        self._links = links
        self._history = history

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/v1/jobs/{id}/output", self.output),
            web.post("/v1/jobs/{id}/tasks", self.start_task),
            web.delete("/v1/jobs/{id}/tasks/{step}/{task}", self.stop_task),
        ]

    async def output(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        query = request.query
        stream = query.get("stream", "stdout")
        if stream not in ("stdout", "stderr"):
            raise bad_request(f"'stream' is '{stream}'; it must be stdout or stderr")
        offset = _number(query.get("offset", "0"), "offset")
        limit = min(_number(query.get("limit", str(1 << 16)), "limit"), _MAX_READ)
        step, task = query.get("step", ""), _number(query.get("task", "0"), "task")
        deadline = asyncio.get_running_loop().time() + wait_s(request)
        job, details = await self._started(job_id, deadline)
        if details.emulate is not None:  # it writes nothing
            await self._scheduler.until_over(job_id, _left_s(deadline))
            job, details = await self._history.find(job_id)
        if details.emulate is not None or job.state in _WAITING or not job.allocation:
            return _output(b"", offset, job.state.terminal)
        node = _node(job, query.get("node"))
        left_s = _left_s(deadline)
        reply = await self._links.session_of(node).call(
            lambda call: link.ReadFile(
                call=call,
                job_id=job_id,
                attempt=job.attempt,
                node=node,
                stream=cast("Literal['stdout', 'stderr']", stream),
                offset=offset,
                limit=limit,
                wait_s=left_s,
                step=step,
                task=task,
                path="" if step else output_path(job, details, stream),
                user=job.user if self._as_users else "",
            ),
            left_s + _CALL_S,
        )
        _check(reply)
        return _output(reply.data, reply.offset, reply.eof, reply if step else None)

    async def _started(self, job_id: int, deadline: float) -> Found:
        """The job once it runs or is over, or as it is at the deadline."""
        while True:
            job, details = await self._history.find(job_id)
            left_s = _left_s(deadline)
            if job.state not in _WAITING or not left_s or self._scheduler.stopping:
                return job, details
            await self._scheduler.changed(job_id, left_s)

    async def start_task(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        spec = decode(await read_body(request), TaskSpec)
        if not spec.argv:
            raise bad_request("'argv' is empty: there is no command to run")
        check_words("argv", spec.argv, spec.env)
        if len(spec.workdir) > _MAX_PATH or len(spec.step) > _MAX_PATH:
            raise bad_request(f"'workdir' and 'step' have up to {_MAX_PATH} characters")
        job, details = await self._running(job_id)
        if spec.attempt not in (0, job.attempt):  # a request that was under way for long
            raise ApiError(409, f"attempt {spec.attempt} of job {job_id} is over")
        check_stands_in(caller_of(request), job.user, self._role_of)  # it runs as the job's user
        node = _node(job, spec.node)
        reply = await self._links.session_of(node).call(
            lambda call: link.StartTask(
                call=call,
                job_id=job_id,
                attempt=job.attempt,
                node=node,
                step=spec.step,
                task=spec.task,
                argv=spec.argv,
                env=spec.env,
                workdir=spec.workdir or details.workdir,
            ),
            _CALL_S,
        )
        _check(reply)
        return answer(TaskReply(), 201)

    async def stop_task(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        number = _number(request.query.get("signal", "15"), "signal")
        if not 1 <= number <= link.MAX_SIGNAL:
            raise bad_request(f"'signal' is {number}; it must be 1 to {link.MAX_SIGNAL}")
        task = _number(request.match_info["task"], "task")
        job, _ = await self._running(job_id)
        node = _node(job, request.query.get("node"))
        reply = await self._links.session_of(node).call(
            lambda call: link.StopTask(
                call=call,
                job_id=job_id,
                attempt=job.attempt,
                node=node,
                step=request.match_info["step"],
                task=task,
                signal=number,
            ),
            _CALL_S,
        )
        _check(reply)
        return answer(TaskReply())

    async def _running(self, job_id: int) -> Found:
        """A script whose trial is being killed waits for that, rather than to fail of what it is
        refused: it would be over by itself, and not run again.
        """
        while True:
            if self._scheduler.restoring:  # it may run, though the backup does not say so
                detail = f"job {job_id} is as it was in the backup; nodes are being heard"
                raise ApiError(503, detail, UNREACHABLE)
            job, details = await self._history.find(job_id)
            killed = job.state is JobState.COMPLETING and job.stop_cause is Cause.TRIAL
            if not killed or self._scheduler.stopping:
                break
            await self._scheduler.changed(job_id, _KILL_S)
        if job.state not in (JobState.RUNNING, JobState.CONFIGURING):
            raise ApiError(409, f"job {job_id} is {job.state.value}: it has no tasks now")
        return job, details


def _left_s(deadline: float) -> float:
    return max(0.0, deadline - asyncio.get_running_loop().time())


def _node(job: Job, name: str | None) -> str:
    names = [piece.node for piece in job.allocation]
    if name is None:
        return names[0]
    if name not in names:
        raise bad_request(f"node '{name}' is not one of job {job.id}'s: {', '.join(names)}")
    return name


def _number(text: str, field: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise bad_request(f"'{field}' is '{text}', which is not a usable number")
    return int(text)


def _check(reply: link.Reply) -> None:
    if reply.status >= 400:
        raise ApiError(reply.status, reply.error, reply.exit_code or 1)


def _output(data: bytes, offset: int, eof: bool, task: link.Reply | None = None) -> web.Response:
    headers = {"X-RMS-Offset": str(offset), "X-RMS-EOF": str(int(eof))}
    if task is not None and not task.running:
        if task.exit_code is not None:
            headers["X-RMS-Exit-Code"] = str(task.exit_code)
        if task.signal is not None:
            headers["X-RMS-Signal"] = str(task.signal)
    return web.Response(body=data, headers=headers, content_type="application/octet-stream")
