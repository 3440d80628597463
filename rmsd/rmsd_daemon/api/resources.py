"""The HTTP API under /v1: jobs, nodes, status."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar, Protocol

import msgspec
import structlog
from aiohttp import web

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.inputs import (
    AskReboot,
    CancelReboot,
    Drain,
    NodeDead,
    NodeGone,
    Resume,
)
from rmsd_core.lifecycle.node_news import NodeNews
from rmsd_core.lifecycle.reboots import why_not
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_daemon.api.openapi import document
from rmsd_daemon.callers.audit import audit_view, entry
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain.errors import (
    Conflict,
    Malformed,
    NotFound,
)
from rmsd_daemon.domain.slices import in_slices
from rmsd_daemon.domain.submission import Details, Rules
from rmsd_daemon.domain.texts import MAX_REASON
from rmsd_daemon.front.access import caller_of
from rmsd_daemon.front.answers import NUMBER_BYTES, Listed, answer, turn_of
from rmsd_daemon.front.parameters import (
    parse_filter,
    parse_job_id,
    parse_limit,
    parse_number,
    parse_plan,
    wants_decisions,
)
from rmsd_daemon.front.request_limits import (
    decode,
    read_body,
)
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries import views
from rmsd_daemon.queries.decisions import with_decisions
from rmsd_daemon.queries.expected_starts import StartQuery
from rmsd_daemon.queries.explain import Explainer
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.queries.names import narrowed
from rmsd_daemon.queries.partitions import PartitionsOfNodes, partition_views
from rmsd_daemon.queries.queue import queue_rows
from rmsd_daemon.queries.reservations import ActiveByNode
from rmsd_wire.api.audit import AuditReply
from rmsd_wire.api.jobs import AttemptsReply, JobReply, JobsReply, JobView, ScriptReply
from rmsd_wire.api.list_limits import DEFAULT_LIMIT
from rmsd_wire.api.nodes import ForgottenReply, NodeAction, NodeReply, NodesReply, NodeView
from rmsd_wire.api.partitions import PartitionsReply
from rmsd_wire.api.queue import QueueReply
from rmsd_wire.api.status import ShutdownReply, StatusReply

log = structlog.get_logger()

_MAX_WAIT_S = 3600.0
_AT_ONCE = 200
"""The number of jobs or nodes of a long list that are made before other callers have their turn."""
_MOST_SCRIPT = 64 * 1024
"""The characters of a script that are shown: an answer that nobody reads stays in memory."""


def wait_s(request: web.Request) -> float:
    """Return the `wait_s` of a long poll, in seconds."""
    text = request.query.get("wait_s", "0")
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= _MAX_WAIT_S:
        raise Malformed(f"'wait_s' is '{text}'; it must be 0 to {_MAX_WAIT_S:g} seconds")
    return seconds


class NodeLinks(Protocol):
    """The links of nodes, with what their agents have told of them."""

    def can_reboot(self, node: str) -> bool: ...

    def device_limit(self, node: str) -> str: ...


class Api:
    """The handlers of jobs, nodes and status. They read the core's memory, and the database for
    jobs that are over."""

    OPERATIONS: ClassVar[tuple[str, ...]] = (
        *("jobs", "queue", "job", "attempts", "script", "explain", "plan"),
        *("nodes", "partitions", "node_action", "forget_node"),
        *("status", "audit", "openapi", "shutdown"),
    )
    """The names of its operations, which are those of the handlers, too."""

    def __init__(
        self,
        scheduler: Scheduler,
        rules: Rules,
        history: JobHistory,
        status: Callable[[Caller], Awaitable[StatusReply]],
        shut_down: Callable[[], None],
        links: NodeLinks,
    ) -> None:
        self._scheduler = scheduler
        self._rules = rules
        self._history = history
        self._status = status
        self._shut_down = shut_down
        self._links = links
        self._start_query = StartQuery(scheduler)
        self._explainer = Explainer(scheduler, history, self._start_query)

    # ------------------------------------------------------------ jobs

    async def jobs(self, request: web.Request) -> Listed:
        wanted = parse_filter(request.query).seen_by(caller_of(request))
        if "ids" in request.query:
            wanted = await narrowed(wanted, request.query["ids"], self._history)
        async with turn_of(request):
            ids, before = await self._history.page(wanted, lambda: request.transport is None)
        told = self._told(self._history.shown(ids, wanted), wants_decisions(request.query))
        return Listed(JobsReply([], before), "jobs", told)

    async def _told(
        self, shown: AsyncIterator[tuple[Job, Details]], has_decisions: bool
    ) -> AsyncIterator[JobView]:
        task_views = views.TaskViews()
        if not has_decisions:
            async for found in shown:
                yield views.in_list(self.view(*found, task_views), found[0])
            return
        async for found, decisions in with_decisions(self._history, shown):
            view = views.in_list(self.view(*found, task_views), found[0])
            yield msgspec.structs.replace(view, decisions=decisions)

    async def queue(self, request: web.Request) -> Listed:
        await self._scheduler.sound()
        named, caller = request.query.get("user"), caller_of(request)
        users = None if named is None else frozenset(named.split(","))
        if not caller.role.covers(Role.OPERATOR):
            users = frozenset({caller.user}) if users is None else users & {caller.user}
        async with turn_of(request):
            numbers = sorted(self._scheduler.details)
        rows = queue_rows(self._scheduler, numbers, users)
        kept_bytes = NUMBER_BYTES * len(numbers)
        return Listed(QueueReply([]), "jobs", rows, kept_bytes=kept_bytes, in_lists=True)

    async def job(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        seconds = wait_s(request)
        if seconds:
            await self._scheduler.until_over(job_id, seconds)
        if request.query.get("inside") == "true":
            self._scheduler.check_caught_up(job_id)
        return self._one(*await self._history.find(job_id))

    async def attempts(self, request: web.Request) -> Listed:
        job_id = parse_job_id(request.match_info["id"])
        await self._history.find(job_id)
        told = (views.attempt_view(row) async for row in self._history.attempts(job_id))
        return Listed(AttemptsReply([]), "attempts", told)

    async def script(self, request: web.Request) -> web.Response:
        job, _ = await self._history.find(parse_job_id(request.match_info["id"]))
        text = await self._history.script(job, _MOST_SCRIPT + 1)
        if text is None:
            raise NotFound(f"the script of job {job.label} is not stored")
        return answer(ScriptReply(text[:_MOST_SCRIPT], len(text) <= _MOST_SCRIPT))

    async def explain(self, request: web.Request) -> web.Response:
        job_id = parse_job_id(request.match_info["id"])
        while True:
            job, details = await self._history.find(job_id)
            if job.array is not None and (task := job.array.waiting_task):
                job, details = await self._history.find(task)
            view, over = partial(self.view, job, details), job.state.terminal
            async with turn_of(request) as turn:
                reply = await self._explainer.explain(
                    job, details, view, caller_of(request), turn.worked
                )
            if job.state.terminal == over:
                return answer(reply)
            # The job has ended meanwhile, and the commit of its end may fail: read what is stored.

    async def plan(self, request: web.Request) -> Listed:
        until_us, limit = parse_plan(request.query)
        await self._scheduler.sound()
        async with turn_of(request):
            plan = await self._start_query.plan(caller_of(request), until_us, limit)
        return Listed(plan.reply, "starts", plan.starts, kept_bytes=plan.kept_bytes)

    def _one(self, job: Job, details: Details) -> web.Response:
        return answer(JobReply(self.view(job, details)))

    def view(
        self, job: Job, details: Details, task_views: views.TaskViews | None = None
    ) -> JobView:
        """Return the view of a job as it is now. `task_views` are those of the list that it is
        in."""
        core = self._scheduler.core
        make = views.job_view
        if task_views is not None and views.waits_in_array(job) and job.id not in core.jobs:
            make = task_views.view
        view = make(job, details, core.reason(job), self._scheduler.clock.now_us())
        problem = self._history.undelivered.reason(job.id)
        return msgspec.structs.replace(view, notify_problem=problem) if problem else view

    # ------------------------------------------------------------ nodes

    async def nodes(self, request: web.Request) -> Listed:  # noqa: ARG002
        return Listed(NodesReply([]), "nodes", self._nodes())

    async def partitions(self, request: web.Request) -> web.Response:
        await self._scheduler.sound()
        caller = caller_of(request)
        async with turn_of(request):
            found = partition_views(self._rules.partitions, self._scheduler.core, caller)
            views, _ = await in_slices(found)
        return answer(PartitionsReply(views))

    async def _nodes(self) -> AsyncIterator[NodeView]:
        """Yield the nodes by name, each as it is when it is asked for."""
        await self._scheduler.sound()
        names = sorted(self._scheduler.core.nodes)
        active = ActiveByNode()
        for at in range(0, len(names), _AT_ONCE):
            await self._scheduler.sound()
            partitions = PartitionsOfNodes(self._scheduler.core.partitions)
            reserved = active.at(self._scheduler.core, self._scheduler.cluster.present_us())
            awaited = self._scheduler.awaited
            for name in names[at : at + _AT_ONCE]:
                if (view := self._node(name, partitions, reserved, awaited)) is not None:
                    yield view

    def _node(
        self,
        name: str,
        partitions: PartitionsOfNodes,
        reserved: Mapping[str, AdvanceReservation],
        awaited: Sequence[str],
    ) -> NodeView | None:
        """Return the node as it is now; None if it is gone."""
        core = self._scheduler.core
        node, row = core.nodes.get(name), self._scheduler.node_rows.get(name)
        if node is None or row is None:
            return None
        return views.node_view(
            node,
            core.used_on(name),
            row,
            partitions.of(name),
            reserved.get(name),
            awaited,
            self._links.device_limit(name),
        )

    async def node_action(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        action = decode(await read_body(request), NodeAction)
        if name not in self._scheduler.core.nodes:
            raise NotFound(f"there is no node '{name}'")
        caller = caller_of(request)
        news = self._news(name, action, caller.user)
        audit_entry = entry(caller, action.action, f"node {name}")
        if not await self._scheduler.carry_out(news, audit_entries=[audit_entry]):
            self._refuse_reboot(name, action.action)
            raise Conflict(f"node {name} has changed just now; try it again")
        log.info(f"node-{action.action}", node=name, reason=action.reason, by=caller.user)
        core = self._scheduler.core
        reserved = ActiveByNode().at(core, self._scheduler.cluster.present_us())
        partitions, awaited = PartitionsOfNodes(core.partitions), self._scheduler.awaited
        view = self._node(name, partitions, reserved, awaited)
        if view is None:
            raise NotFound(f"node '{name}' is gone: its agent has withdrawn it meanwhile")
        return answer(NodeReply(view))

    def _news(self, name: str, action: NodeAction, by: str) -> NodeNews:
        """Return what the scheduler is told. Raises DaemonError if it cannot be carried out."""
        reason = action.reason.strip()
        if len(reason) > MAX_REASON or not reason.isprintable():
            raise Malformed("a 'reason' is one line, up to 1000 characters")
        match action.action:
            case "drain":
                if not reason:
                    raise Malformed("a drain needs a 'reason'")
                return Drain(name, reason, by)
            case "resume":
                return Resume(name, by)
            case "cancel-reboot":
                self._refuse_reboot(name, action.action)
                return CancelReboot(name, by)
        self._refuse_reboot(name, action.action)
        if not self._links.can_reboot(name):
            raise Conflict(
                f"node {name} cannot be rebooted: its agent is not linked now, or has no program "
                "for it (`reboot_program` in the daemon's configuration, for its own machine, and "
                "`rmsd-agent --reboot-program` on others)"
            )
        return AskReboot(name, reason, by, action.asap, action.next_state)

    def _refuse_reboot(self, name: str, action: str) -> None:
        """Raise Conflict if a reboot of the node cannot be asked for, or cancelled."""
        node = self._scheduler.core.nodes.get(name)
        if action == "reboot" and (why := why_not(node)) is not None:
            raise Conflict(f"node {name} cannot be rebooted: {why}")
        if action == "cancel-reboot" and (node is None or node.reboot is None):
            raise Conflict(f"no reboot of node {name} was asked for")
        if action == "cancel-reboot" and node is not None and node.is_rebooting:
            raise Conflict(f"node {name} has begun its reboot, which cannot be cancelled any more")

    async def forget_node(self, request: web.Request) -> web.Response:
        name, nodes = request.match_info["name"], self._scheduler.core.nodes
        if name not in nodes:
            raise NotFound(f"there is no node '{name}'")
        caller, forced = caller_of(request), request.query.get("force") == "true"
        self._refuse_to_forget(name, forced=forced)
        audit_entry = entry(caller, "forget", f"node {name}{' by force' if forced else ''}")
        # A silent node is given up first, as after `node_dead`: its jobs are requeued.
        inputs = (NodeDead(name), NodeGone(name)) if forced else (NodeGone(name),)
        if not await self._scheduler.carry_out(*inputs, audit_entries=[audit_entry]):
            self._refuse_to_forget(name, forced=forced)
            raise Conflict(f"node {name} was not down just now; forget it again")
        # Another node may have the name already.
        log.info("node-gone", node=name, by=caller.user)
        return answer(ForgottenReply(name))

    def _refuse_to_forget(self, name: str, *, forced: bool) -> None:
        """Raise Conflict if the node exists and is not down, or with `forced`, not silent."""
        node = self._scheduler.core.nodes.get(name)
        if node is None or node.link == "down" or (forced and node.link == "suspect"):
            return
        link = "leaving, with jobs still running" if node.link == "leaving" else node.link
        detail = f"node {name} is {link}: only a node that is down can be forgotten"
        if node.link == "suspect":
            detail += "; --force gives it up now, and its jobs are requeued"
        raise Conflict(detail)

    # ------------------------------------------------------------ the daemon

    async def status(self, request: web.Request) -> web.Response:
        return answer(await self._status(caller_of(request)))

    async def audit(self, request: web.Request) -> Listed:
        query = request.query
        since_us = parse_number("since_us", query.get("since_us", "0"))
        below = parse_number("before", query["before"]) if "before" in query else None
        limit = parse_limit(query, DEFAULT_LIMIT)
        async with turn_of(request):
            ids, before = await self._history.audit_page(since_us, query.get("user"), below, limit)
        entries = (audit_view(row) async for row in self._history.audit(ids))
        return Listed(AuditReply([], before), "entries", entries)

    async def openapi(self, request: web.Request) -> web.Response:  # noqa: ARG002
        return web.Response(body=document(), content_type="application/json")

    async def shutdown(self, request: web.Request) -> web.Response:
        caller = caller_of(request)
        await self._scheduler.record([], entry(caller, "shutdown", "the daemon"))
        log.info("shutdown-asked", by=caller.user)
        self._shut_down()
        return answer(ShutdownReply(), 202)
