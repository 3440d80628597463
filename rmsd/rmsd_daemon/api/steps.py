"""The HTTP API of steps: `rrun` and `srun` tell when they begin and end, `sacct` asks for them."""

from __future__ import annotations

from typing import ClassVar

from aiohttp import web

from rmsd_core.vocabulary import STARTED_STATES
from rmsd_daemon.agents.links import AgentLinks
from rmsd_daemon.api.job_use import job_use
from rmsd_daemon.callers.auth import Role
from rmsd_daemon.domain.errors import Conflict
from rmsd_daemon.domain.steps import StepRecords
from rmsd_daemon.domain.together import Together
from rmsd_daemon.front.access import caller_of
from rmsd_daemon.front.answers import answer, turn_of
from rmsd_daemon.front.parameters import check_ids, parse_job_id, parse_number
from rmsd_daemon.front.request_limits import decode, read_body
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.history import JobHistory
from rmsd_wire.api.steps import StepBody, StepEndBody, StepReply, StepsReply


class StepsApi:
    """Handlers of steps."""

    OPERATIONS: ClassVar[tuple[str, ...]] = ("steps", "begin_step", "end_step", "job_use")

    def __init__(
        self, scheduler: Scheduler, history: JobHistory, steps: StepRecords, links: AgentLinks
    ) -> None:
        self._links = links
        self._scheduler = scheduler
        self._history = history
        self._steps = steps
        self._ended = Together(scheduler.record_steps)  # others wait for one commit of steps

    async def begin_step(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        body = decode(await read_body(request), StepBody)
        self._scheduler.check_caught_up(job_id)
        job, _ = await self._history.find(job_id)
        if job.state not in STARTED_STATES:
            raise Conflict(f"job {job_id} is {job.state.value}: it has no steps now")
        now_us = self._scheduler.clock.now_us()
        number = self._steps.begin(job.user, job_id, job.attempt, body, now_us)
        return answer(StepReply(number), 201)

    async def end_step(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        number = parse_number("number", request.match_info["number"])
        body = decode(await read_body(request), StepEndBody)
        job, _ = await self._history.find(job_id)
        attempt = self._steps.attempt_of(job_id, number) or job.attempt
        if attempt and (body.exit_code or body.signal):
            await self._ended.put(
                {
                    "job_id": job_id,
                    "attempt": attempt,
                    "exit_code": body.exit_code,
                    "signal": body.signal,
                }
            )
        self._steps.end(job_id, number, body, self._scheduler.clock.now_us())
        return answer(StepReply(number))

    async def job_use(self, request: web.Request) -> web.Response:
        job, details = await self._history.find(parse_job_id(request.match_info["id"]))
        return answer(await job_use(self._links, job, details, turn_of(request)))

    async def steps(self, request: web.Request) -> web.Response:
        words = request.query.get("ids", "").split(",")
        ids = sorted({parse_number("ids", word) for word in words if word})
        check_ids(ids)
        caller = caller_of(request)
        every = caller.role.covers(Role.OPERATOR)
        user = None if every else caller.user
        worst = await self._history.worst_steps(ids, user)
        known_from_us = self._steps.known_from_us(user)
        return answer(StepsReply(self._steps.of(ids, user), worst, known_from_us))
