"""The API's calls to agents: output of jobs (`rlog`), and tasks of steps (`rrun`)."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import ClassVar, Literal, NamedTuple, cast

import msgspec
from aiohttp import web

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation
from rmsd_core.vocabulary import RESTARTED, RUNNING_STATES, JobState
from rmsd_daemon.agents.links import AgentLinks
from rmsd_daemon.api.resources import wait_s
from rmsd_daemon.api.submit_checks import check_stands_in
from rmsd_daemon.callers.audit import entry
from rmsd_daemon.callers.auth import Role
from rmsd_daemon.callers.growth import Growth
from rmsd_daemon.domain.errors import Conflict, DaemonError, Malformed, NotFound, Unavailable
from rmsd_daemon.domain.ranges import within
from rmsd_daemon.domain.steps import StepRecords
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.domain.texts import check_words
from rmsd_daemon.front.access import caller_of, check_still
from rmsd_daemon.front.answers import answer, turn_of
from rmsd_daemon.front.parameters import parse_job_id
from rmsd_daemon.front.problems import cannot_be, check_reply
from rmsd_daemon.front.request_limits import decode, read_body
from rmsd_daemon.loop.launch import output_path
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.history import Found, JobHistory
from rmsd_wire.api.jobs import SignalBody, SignalReply
from rmsd_wire.api.tasks import TaskInput, TaskInputReply, TaskReply, TaskSpec
from rmsd_wire.link_calls import (
    ReadFile,
    Reply,
    SignalJob,
    SignalStep,
    StartTask,
    StopTask,
    WriteInput,
)
from rmsd_wire.link_values import MAX_SIGNAL

_CALL_S = 30.0
_KILL_S = 60.0
_MAX_READ = 1 << 20
"""The most bytes of output in one answer; a caller that wants more asks again, from the answer's
end."""
_MAX_PATH = 4096
_MOST_TYPISTS = 10_000


class _Wanted(NamedTuple):
    """The part of a job's output that a request asks for. `attempt`: the attempt that `offset`
    refers to, if the request says so."""

    stream: Literal["stdout", "stderr"]
    offset: int
    limit: int
    node: str | None
    step: str
    task: int
    attempt: int | None

    def offset_in(self, attempt: int) -> int:
        """Return the offset in an attempt's output: 0 if the request refers to another attempt."""
        return self.offset if self.attempt in (None, attempt) else 0

    def can_read(self, job: Job) -> bool:
        """Return whether there may be something to read. The tasks of a killed attempt can no
        longer be read."""
        if job.state is JobState.PENDING:
            return job.attempt > 0 and not self.step
        return job.state is not JobState.CONFIGURING


class JobIoApi:
    """Handlers that ask the agent of a job's node."""

    OPERATIONS: ClassVar[tuple[str, ...]] = (
        "output",
        "start_task",
        "stop_task",
        "task_input",
        "signal_job",
    )
    """The names of its operations, which are those of the handlers, too."""

    def __init__(
        self,
        scheduler: Scheduler,
        links: AgentLinks,
        history: JobHistory,
        growth: Growth,
        role_of: Callable[[str], Role],
        *,
        as_users: bool,
    ) -> None:
        self._role_of = role_of
        self._as_users = as_users
        self._scheduler = scheduler
        self._links = links
        self._history = history
        self._growth = growth
        self.steps = StepRecords(scheduler.clock.now_us())
        self._typists: set[tuple[str, str, int, int, str, int]] = set()  # on record already

    async def output(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        wanted = _wanted(request.query)
        deadline = asyncio.get_running_loop().time() + wait_s(request)
        while True:
            job, details = await self._started(job_id, wanted, deadline)
            if details.emulate is not None:  # an emulated job writes nothing
                await self._scheduler.until_over(job_id, _left_s(deadline))
                job, details = await self._history.find(job_id)
            job = job.copied()  # a live job changes meanwhile
            place = await self._place(job, wanted)
            over = job.state.terminal  # noted before the end of the output is looked for
            starts = job.state is JobState.CONFIGURING
            nothing = details.emulate is not None or not place
            if nothing or (starts and wanted.step):
                reply = Reply(0, offset=wanted.offset_in(job.attempt), eof=True)
            else:
                reply = await self._read(job, details, place, wanted, _left_s(deadline))
                if wanted.step:
                    return _output(reply.data, reply.offset, reply.eof, job.attempt, reply)
            done = reply.data or not reply.eof or over
            if done or not await self._goes_on(job_id, job.attempt, deadline):
                return _output(reply.data, reply.offset, reply.eof and over, job.attempt)

    async def _read(
        self, job: Job, details: Details, place: Allocation, wanted: _Wanted, left_s: float
    ) -> Reply:
        """Return what the agent has of the output. If the agent cannot read it, return no output in
        three cases. The job waits for another attempt, and there is time left for that. The job was
        cancelled while it waited, so that no further output comes. Or the job is starting, and may
        read its own output before the daemon is told of its start. Raises DaemonError in all other
        cases."""
        node, offset = _node(job, place, wanted.node), wanted.offset_in(job.attempt)
        starts = job.state is JobState.CONFIGURING
        try:
            reply = await self._links.session_of(node).call(
                lambda call: ReadFile(
                    call=call,
                    job_id=job.id,
                    attempt=job.attempt,
                    node=node,
                    stream=wanted.stream,
                    offset=offset,
                    limit=wanted.limit,
                    wait_s=left_s,
                    step=wanted.step,
                    task=wanted.task,
                    path=""
                    if wanted.step or starts
                    else output_path(job, details, wanted.stream, place),
                    user=job.user if self._as_users else "",
                ),
                left_s + _CALL_S,
            )
            check_reply(reply)
            if len(reply.data) > wanted.limit or not 0 <= reply.offset < 1 << 62:
                raise cannot_be(node)
        except DaemonError:
            waits = job.state is JobState.PENDING and left_s > 0
            waited = job.state.terminal and job.start_us is None and wanted.attempt == job.attempt
            if not (waits or waited or starts):
                raise
            return Reply(0, offset=offset, eof=True)
        return reply

    async def _started(self, job_id: int, wanted: _Wanted, deadline: float) -> Found:
        """Return the job once it has an attempt to read, or once it is over. At the deadline return
        the job as it is."""
        while True:
            job, details = await self._history.find(job_id)
            left_s = _left_s(deadline)
            if wanted.can_read(job) or not left_s or self._scheduler.stopping:
                return job, details
            await self._changed(job_id, left_s)

    async def _goes_on(self, job_id: int, attempt: int, deadline: float) -> bool:
        """Return whether the job, whose attempt has ended, is over or in another attempt by the
        deadline."""
        while True:
            job, _ = await self._history.find(job_id)
            if job.state.terminal or job.attempt != attempt:
                return True
            left_s = _left_s(deadline)
            if not left_s or self._scheduler.stopping:
                return False
            await self._changed(job_id, left_s)

    async def _changed(self, job_id: int, left_s: float) -> None:
        """Return when the job has changed, or after `left_s` seconds. Return at once if the job is
        over: its end may have been announced while the database was read, and nothing is announced
        after it."""
        if job_id in self._scheduler.details:
            await self._scheduler.changed(job_id, left_s)

    async def _place(self, job: Job, wanted: _Wanted) -> Allocation:
        """Return the place of the job's output. If the job waits to start again, or was cancelled
        while it waited, the output of its script is where its last attempt ran."""
        if wanted.step or job.allocation or not job.attempt:
            return job.allocation
        row = await self._history.attempt(job.id, job.attempt)
        return () if row is None else msgspec.convert(row["allocation"], Allocation)

    async def start_task(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        spec = decode(await read_body(request), TaskSpec)
        if not spec.argv:
            raise Malformed("'argv' is empty: there is no command to run")
        check_words("argv", spec.argv, spec.env)
        if len(spec.workdir) > _MAX_PATH or len(spec.step) > _MAX_PATH:
            raise Malformed(f"'workdir' and 'step' have up to {_MAX_PATH} characters")
        job, details = await self._running(job_id)
        check_still(request)  # the job may be in another attempt by now
        if spec.attempt not in (0, job.attempt):  # the request was under way for long
            raise Conflict(f"attempt {spec.attempt} of job {job_id} is over")
        caller = caller_of(request)
        check_stands_in(caller, job.user, self._role_of)  # the task runs as the job's user
        node, attempt = _node(job, job.allocation, spec.node), job.attempt
        await self.put_on_record(request, "start-task", job, _of_step(spec.task, spec.step), node)
        reply = await self._links.session_of(node).call(
            lambda call: StartTask(
                call=call,
                job_id=job_id,
                attempt=attempt,
                node=node,
                step=spec.step,
                task=spec.task,
                argv=spec.argv,
                env=spec.env,
                workdir=spec.workdir or details.workdir,
                stdin=spec.stdin,
                terminal=spec.terminal,
                bind=spec.bind,
                umask=spec.umask,
            ),
            _CALL_S,
        )
        is_open = job.attempt == attempt and node in job.open_nodes
        try:
            check_reply(reply)
        except NotFound as error:
            if is_open and details.emulate is None:  # (a timer has no tasks)
                # The agent has just come back, and is not told of the job yet.
                raise Unavailable(f"{error.detail}, and is to be") from None
            raise
        return answer(TaskReply(), 201)

    async def stop_task(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        number = _number(request.query.get("signal", "15"), "signal")
        within("signal", number, 1, MAX_SIGNAL)
        task = _number(request.match_info["task"], "task")
        job, _ = await self._running(job_id)
        check_still(request)  # the job may be in another attempt by now
        node = _node(job, job.allocation, request.query.get("node"))
        step = request.match_info["step"]
        attempt = job.attempt
        await self.put_on_record(request, "stop-task", job, _of_step(task, step), node)
        reply = await self._links.session_of(node).call(
            lambda call: StopTask(
                call=call,
                job_id=job_id,
                attempt=attempt,
                node=node,
                step=step,
                task=task,
                signal=number,
            ),
            _CALL_S,
        )
        check_reply(reply)
        return answer(TaskReply())

    async def task_input(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        task = _number(request.match_info["task"], "task")
        body = decode(await read_body(request), TaskInput)
        job, _ = await self._running(job_id)
        check_still(request)  # the job may be in another attempt by now
        caller = caller_of(request)
        check_stands_in(caller, job.user, self._role_of)  # the task obeys what it reads
        node, attempt = _node(job, job.allocation, body.node), job.attempt
        step = request.match_info["step"]
        typist = (caller.name, caller.grant, job_id, attempt, step, task)
        if typist not in self._typists:  # each key at a terminal is a request
            await self.put_on_record(request, "task-input", job, _of_step(task, step), node)
        reply = await self._links.session_of(node).call(
            lambda call: WriteInput(
                call, job_id, attempt, node, step, task, body.data, body.eof, body.rows, body.cols
            ),
            _CALL_S,
        )
        check_reply(reply)
        if not 0 <= reply.offset <= len(body.data):
            raise cannot_be(node)
        if len(self._typists) >= _MOST_TYPISTS:
            self._typists.clear()
        self._typists.add(typist)  # there is such a task: its name is short
        return answer(TaskInputReply(reply.offset, reply.eof))

    async def signal_job(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        body = decode(await read_body(request), SignalBody)
        job, details = await self._running(job_id)
        check_still(request)  # the job may be in another attempt by now
        attempt = job.attempt
        to_script = body.to == "script" and body.step is None
        pieces = job.allocation[:1] if to_script else job.allocation
        nodes = [piece.node for piece in pieces if piece.node in job.open_nodes]
        for node in nodes:
            self._links.session_of(node)  # check first that all nodes can be reached
        if nodes and details.emulate is None:
            what = "" if body.step is None else f"step {body.step} of "
            await self.put_on_record(request, "signal-job", job, what, nodes[0])
        reached = 0
        for node in nodes if details.emulate is None else ():
            if job.attempt != attempt or node not in job.open_nodes:
                continue
            reply = await self._links.session_of(node).call(
                partial(_signal_call, job_id, attempt, node, body), _CALL_S
            )
            if body.step is not None and reply.status == HTTPStatus.NOT_FOUND:
                continue  # the step has no task on this node
            check_reply(reply)
            reached += 1
        if body.step is not None:
            if not reached:
                raise NotFound(f"step {body.step} of job {job_id} does not run now")
            if body.signal == signal.SIGKILL:
                self.steps.cancel(job_id, attempt, body.step)
        return answer(SignalReply(reached))

    async def put_on_record(
        self, request: web.Request, action: str, job: Job, what: str, node: str
    ) -> None:
        """Write to the audit trail what another account does, or a token other than the job's own.
        What the job does itself, which may start thousands of tasks, is not recorded.

        Raises:
            DaemonError: the entry could not be stored.
        """
        self._links.session_of(node)  # check first that the node can be reached
        caller = caller_of(request)
        if caller.user != job.user or caller.grant:
            subject = f"{what}job {job.id} of {job.user}"
            async with turn_of(request):  # each is a commit, for which other callers' commits wait
                check_still(request)
                self._growth.check(caller)
                await self._scheduler.record([], entry(caller, action, subject, "asked"))
                self._growth.entry(caller)

    async def _running(self, job_id: int) -> Found:
        """Return a running job with its details.

        A script that is being killed, to run again, waits for that. A refusal would end the script
        by itself, and the job would not run again.
        """
        while True:
            self._scheduler.check_caught_up(job_id)
            job, details = await self._history.find(job_id)
            killed = job.state is JobState.COMPLETING and job.stop_cause in RESTARTED
            if not killed or self._scheduler.stopping:
                break
            await self._scheduler.changed(job_id, _KILL_S)
        if job.state not in RUNNING_STATES:
            raise Conflict(f"job {job_id} is {job.state.value}: it has no tasks now")
        return job, details


def _wanted(query: Mapping[str, str]) -> _Wanted:
    """Return the part of the output that the query asks for. Raises DaemonError if the query is
    unusable."""
    stream = query.get("stream", "stdout")
    if stream not in ("stdout", "stderr"):
        raise Malformed(f"'stream' is '{stream}'; it must be stdout or stderr")
    return _Wanted(
        cast("Literal['stdout', 'stderr']", stream),
        _number(query.get("offset", "0"), "offset"),
        min(_number(query.get("limit", str(1 << 16)), "limit"), _MAX_READ),
        query.get("node"),
        query.get("step", ""),
        _number(query.get("task", "0"), "task"),
        _number(query["attempt"], "attempt") if "attempt" in query else None,
    )


def _of_step(task: int, step: str) -> str:
    return f"task {task} of step {step} of "


def _signal_call(
    job_id: int, attempt: int, node: str, body: SignalBody, call: int
) -> SignalJob | SignalStep:
    if body.step is not None:
        return SignalStep(call, job_id, attempt, node, body.step, body.signal)
    return SignalJob(call, job_id, attempt, node, body.signal, body.to)


def _left_s(deadline: float) -> float:
    return max(0.0, deadline - asyncio.get_running_loop().time())


def _node(job: Job, place: Allocation, name: str | None) -> str:
    names = [piece.node for piece in place]
    if name is None:
        return names[0]
    if name not in names:
        raise Malformed(f"node '{name}' is not one of job {job.id}'s: {', '.join(names)}")
    return name


def _number(text: str, field: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise Malformed(f"'{field}' is '{text}', which is not a usable number")
    return int(text)


def _output(
    data: bytes, offset: int, eof: bool, attempt: int, task: Reply | None = None
) -> web.Response:
    headers = {
        "X-RMS-Offset": str(offset),
        "X-RMS-EOF": str(int(eof)),
        "X-RMS-Attempt": str(attempt),
    }
    if task is not None and not task.running:
        if task.exit_code is not None:
            headers["X-RMS-Exit-Code"] = str(task.exit_code)
        if task.signal is not None:
            headers["X-RMS-Signal"] = str(task.signal)
        if task.cpu_s is not None:
            headers["X-RMS-CPU-S"] = f"{task.cpu_s:.6f}"
        if task.max_rss_mib is not None:
            headers["X-RMS-Max-RSS-MiB"] = str(task.max_rss_mib)
    return web.Response(body=data, headers=headers, content_type="application/octet-stream")
