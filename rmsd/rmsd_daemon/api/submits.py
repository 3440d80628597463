"""The HTTP API that takes new jobs, and hears on a paced clock that there will be no more."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import ClassVar, TypeVar

import msgspec
from aiohttp import web

from rmsd_core.model_time import NEVER_US
from rmsd_daemon.api.reservation_members import tell_members
from rmsd_daemon.api.resources import wait_s
from rmsd_daemon.api.submit_checks import (
    check_fits,
    check_may_be_nice,
    check_may_command,
    check_reservations,
    check_stands_in,
    on_fewest_nodes,
)
from rmsd_daemon.callers.audit import entry
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.callers.growth import Growth
from rmsd_daemon.domain.errors import (
    DaemonError,
    DependencyOver,
    Malformed,
    TooLarge,
    TooManyJobs,
    not_paced,
    pruned_job,
)
from rmsd_daemon.domain.notify import is_command
from rmsd_daemon.domain.places import MOST_NAMES_AT_ONCE, bytes_stored, named_nodes
from rmsd_daemon.domain.submission import NewJob, Rules, new_job
from rmsd_daemon.front.access import caller_of, check_still
from rmsd_daemon.front.answers import Listed, answer, turn_of
from rmsd_daemon.front.request_limits import RequestLimits, check_count, decode, read_body
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries import views
from rmsd_daemon.queries.dependencies import Dependencies
from rmsd_daemon.queries.filters import ANY
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.queries.tested_start import StartTester
from rmsd_daemon.store.idempotency import key_of
from rmsd_wire.api.plan import TestBody
from rmsd_wire.api.submission import RunOutReply, SubmitBody, SubmitReply, SubmitSpec, Submitted
from rmsd_wire.link_values import PACED

_AT_ONCE = 200
"""The number of jobs that are made before other callers have their turn."""
_MAX_KEY = 255

_T = TypeVar("_T")


class Submits:
    """The handlers of submits, of their end on a paced clock, and of the question when a job would
    start."""

    OPERATIONS: ClassVar[tuple[str, ...]] = ("submit", "test_submit", "run_out")

    def __init__(
        self,
        scheduler: Scheduler,
        rules: Rules,
        limits: RequestLimits,
        growth: Growth,
        history: JobHistory,
        role_of: Callable[[str], Role],
    ) -> None:
        self._scheduler = scheduler
        self._rules = rules
        self._limits = limits
        self._growth = growth
        self._history = history
        self._role_of = role_of
        self._dependencies = Dependencies(scheduler, history)
        self._start_tester = StartTester(scheduler)

    async def submit(self, request: web.Request) -> Listed:
        body, caller = await read_body(request), caller_of(request)
        self._growth.check(caller)
        given = _idempotency_key(request)
        key = given and key_of(caller.user, given)
        digest = hashlib.blake2b(body, digest_size=16).hexdigest() if key else ""
        ids = key and await self._scheduler.repeated(key, digest)
        if not ids:
            ids = await self._submit(request, body, key, digest)
        await self._history.refuse_pruned(ids)
        return Listed(SubmitReply([]), "jobs", self._submitted(ids), status=201)

    async def _submitted(self, ids: Sequence[int]) -> AsyncIterator[Submitted]:
        """Yield what the caller is told of the jobs with these numbers, which ascend. Raises
        NotFound if one is deleted meanwhile: an answer without it would say that it never was."""
        left = iter(ids)
        has_points = self._scheduler.recipe.order == "priority"
        async for found in self._history.shown(ids, ANY):
            if (job_id := next(left)) != found[0].id:
                raise pruned_job(job_id)
            yield views.submitted(*found, has_points=has_points)
        for job_id in left:
            raise pruned_job(job_id)

    async def _submit(
        self, request: web.Request, body: bytes, key: str | None, digest: str
    ) -> list[int]:
        """Submit the jobs of the body, and return their numbers. `key` and `digest` identify the
        request."""
        caller = caller_of(request)
        check_count(body, self._limits.jobs)
        asked = decode(body, SubmitBody)
        if not asked.jobs:
            raise Malformed("'jobs' is empty: there is nothing to submit")
        new = await self._checked(request, asked.jobs, self._arrival_us(asked.at_us))
        ids = await self._submit_made(new, caller, key, digest, asked.at_us)
        count, more_bytes = sum(one.details.count for one in new), sum(map(_more_bytes, new))
        self._growth.jobs(caller, len(body), count, more_bytes)
        return ids

    def _arrival_us(self, at_us: int | None) -> int:
        """Return the submit time of jobs that are to arrive at `at_us`; None: now."""
        clock = self._scheduler.clock
        if at_us is None:
            return clock.now_us()
        if clock.rate != PACED:
            raise not_paced("at_us")
        if not clock.now_us() <= at_us < NEVER_US:
            raise Malformed(
                f"'at_us' is {at_us}; the clock shows {clock.now_us()}, and jobs cannot arrive "
                "before then"
            )
        return at_us

    async def run_out(self, request: web.Request) -> web.Response:
        over = await self._scheduler.run_out(wait_s(request))
        live = len(self._scheduler.core.jobs)
        return answer(RunOutReply(self._scheduler.clock.now_us(), live, over))

    async def test_submit(self, request: web.Request) -> web.Response:
        body, caller = await read_body(request), caller_of(request)
        self._growth.check(caller)
        spec, now_us = decode(body, TestBody).job, self._scheduler.clock.now_us()
        new = await self._checked(request, [spec], now_us)
        await self._settled(
            new, caller, lambda: self._scheduler.check_submit(new, self._limits.user_jobs)
        )
        return answer(await self._start_tester.of(new[0].job, turn_of(request)))

    async def _checked(
        self, request: web.Request, specs: Sequence[SubmitSpec], submit_us: int
    ) -> list[NewJob]:
        """Return the jobs of a request, which have one submit time, after all checks that need no
        other jobs."""
        caller = caller_of(request)
        new: list[NewJob] = []
        counts: Counter[str] = Counter()
        named = 0
        for i, given in enumerate(specs):
            spec = await self._dependencies.resolve(given, caller)
            new.append(await self._fewest(request, i, spec, len(specs), submit_us))
            counts[(user := new[-1].job.user)] += new[-1].details.count
            if counts[user] > self._limits.user_jobs:  # before all that takes long for many tasks
                raise TooManyJobs(
                    f"'jobs' has {counts[user]} jobs of {user} with the tasks of arrays, and a "
                    f"user may have {self._limits.user_jobs}"
                )
            components = len(new[-1].job.request.components)  # one for each partition
            named += components * named_nodes(spec.nodelist, spec.exclude)
            if named > MOST_NAMES_AT_ONCE:
                raise TooLarge(
                    f"'jobs' names more than {MOST_NAMES_AT_ONCE} nodes, those for each partition "
                    "together; use several requests"
                )
            if spec.array or spec.nodelist or spec.exclude or len(new) % _AT_ONCE == 0:
                await asyncio.sleep(0)
        requests = [one.job.request for one in new]
        core = self._scheduler.core
        await check_fits(core.never_fits, core.nodes, requests, turn_of(request))
        inside = [(one.job.reservation, one.job.user) for one in new if one.job.reservation]
        await tell_members(self._scheduler, self._rules.accounts.is_listed, inside)
        await check_reservations(core, [one.job for one in new], turn_of(request))
        check_still(request)
        return new

    async def _submit_made(
        self, new: list[NewJob], caller: Caller, key: str | None, digest: str, at_us: int | None
    ) -> list[int]:
        audit_entry = entry(caller, "submit", "")
        most = self._limits.user_jobs
        return await self._settled(
            new, caller, lambda: self._scheduler.submit(new, key, digest, most, audit_entry, at_us)
        )

    async def _settled(
        self, new: list[NewJob], caller: Caller, then: Callable[[], Awaitable[_T]]
    ) -> _T:
        """Settle the dependencies of new jobs on jobs that are over, and return what `then`
        returns."""
        while True:
            await self._dependencies.settle(new, caller, self._scheduler.clock.now_us())
            with contextlib.suppress(DependencyOver):  # then its end is stored: settle it
                return await then()

    async def _fewest(
        self, request: web.Request, i: int, spec: SubmitSpec, count: int, now_us: int
    ) -> NewJob:
        """Return the job of a spec. Of a range of nodes, it has the fewest that can hold it."""
        caller = caller_of(request)
        new = self._new_job(i, spec, caller, count, now_us)
        if spec.most_nodes is None:
            return new

        def on_nodes(nodes: int) -> NewJob:
            fixed = msgspec.structs.replace(spec, nodes=nodes, most_nodes=None)
            return self._new_job(i, fixed, caller, count, now_us)

        turn = turn_of(request)
        return await on_fewest_nodes(self._scheduler.core, new, spec.most_nodes, on_nodes, turn)

    def _new_job(self, i: int, spec: SubmitSpec, caller: Caller, count: int, now_us: int) -> NewJob:
        try:
            user = spec.user or caller.user
            if is_command(spec.notify):
                check_may_command(caller, user)
            check_stands_in(caller, user, self._role_of)
            check_may_be_nice(caller, 0, spec.nice)
            return new_job(spec, user, now_us, self._rules)
        except DaemonError as error:
            if count == 1:
                raise
            detail = f"jobs[{i}]: {error.detail}; no job was submitted"
            raise type(error)(detail, field=error.field) from error


def _more_bytes(new: NewJob) -> int:
    """Return the bytes that a job adds to the database beyond the texts of its request: the nodes
    that its lists stand for, in its row and in the event of its submit, and what the row of each
    task has of its array."""
    names, details = bytes_stored(new.job.request), new.details
    of_tasks = 0 if details.array is None else details.count * len(msgspec.json.encode(details))
    return (1 + details.count) * names + of_tasks


def _idempotency_key(request: web.Request) -> str | None:
    """Return the request's idempotency key, if it has one. Raises Malformed if the key could not be
    stored (the server makes a str of any bytes)."""
    key = request.headers.get("Idempotency-Key")
    if key is None or (0 < len(key) <= _MAX_KEY and key.isascii() and key.isprintable()):
        return key
    raise Malformed(f"the Idempotency-Key must be 1 to {_MAX_KEY} printable ASCII characters")
