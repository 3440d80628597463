"""The messages of agents: which are accepted, and what the scheduler is told."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial

import structlog

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.lifecycle.inputs import Drain, Exited, Launched, RebootFailed
from rmsd_core.vocabulary import Cause, failed_by_node
from rmsd_daemon.agents.allowances import Allowances
from rmsd_daemon.agents.links import AgentLinks
from rmsd_daemon.agents.owners import NodeOwners
from rmsd_daemon.agents.pace import Pace
from rmsd_daemon.agents.sessions import Session
from rmsd_daemon.domain.texts import reason_of_agent
from rmsd_daemon.loop.mailbox import ReadyInputs, Report
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.setup.clock import DaemonClock
from rmsd_wire import link
from rmsd_wire.frames import Unreadable, cut
from rmsd_wire.link_calls import Reply
from rmsd_wire.link_values import Count, Id, Name

log = structlog.get_logger()


class Hearing:
    """Takes the messages of all sessions."""

    def __init__(
        self,
        scheduler: Scheduler,
        clock: DaemonClock,
        links: AgentLinks,
        owners: NodeOwners,
        allowances: Allowances,
    ) -> None:
        self._scheduler = scheduler
        self._clock = clock
        self._links = links
        self._owners = owners
        self._allowances = allowances
        # the nodes whose agents have asked for a drain that is not committed yet
        self._draining: set[str] = set()

    async def hear(
        self,
        session: Session,
        messages: Iterator[link.HelloParts | link.AfterHello | Unreadable],
        frame_bytes: int,
        pace: Pace | None,
    ) -> None:
        """Take the messages of a frame; return when more may be taken."""
        last_seq: int | None = None
        for message in messages:
            seq = self._take(session, message)
            if seq is not None:
                last_seq = seq if last_seq is None else max(last_seq, seq)
            if pace is not None:
                await pace.told(1)
        if last_seq is not None:
            await session.reported(last_seq, frame_bytes)

    def _take(
        self, session: Session, message: link.HelloParts | link.AfterHello | Unreadable
    ) -> int | None:
        """Pass a message on; return the sequence number of a report, else None."""
        if isinstance(message, Unreadable):
            self.note_unreadable(session, message.error)
            readable = _readable_part(message)
            if readable is None:
                return None
            if isinstance(readable, int):
                self._scheduler.put(Report(session, readable, None))
                return readable
            message = readable
        match message:
            case link.LaunchedReport() | link.ExitedReport() if not self._may_tell(
                session, message
            ):
                self._log_refused(session, message)
                self._scheduler.put(Report(session, message.seq, None))
                return message.seq
            case link.LaunchedReport():
                launched = Launched(message.job_id, message.attempt)
                self._scheduler.put(Report(session, message.seq, launched))
                return message.seq
            case link.ExitedReport():
                self._count_restart(session, message)
                self._drain(session, message)
                self._scheduler.put(Report(session, message.seq, self._exited(message)))
                return message.seq
            case link.RebootProblem():
                self._reboot_failed(session, message)
            case link.Advanced():
                session.advanced(message)
                self._scheduler.look()
            case Reply():
                session.reply(message)
        return None

    def _may_tell(self, session: Session, report: link.Report) -> bool:
        """Return whether the attempt is on a node of this agent, which alone may report on it."""
        if not self._is_its_own(session, report.node):
            return False
        job = self._scheduler.core.jobs.get(report.job_id)
        if job is None or job.attempt != report.attempt:
            return True  # the attempt was over long ago: the report changes nothing
        return any(piece.node == report.node for piece in job.allocation)

    def _is_its_own(self, session: Session, node: str) -> bool:
        return node in session.nodes or self._owners.owner(node) == session.agent_id

    def _log_refused(self, session: Session, report: link.Report) -> None:
        """Log the first report of a session that `_may_tell` refuses; there may be thousands. A
        requeued job keeps the number of its attempt until it starts again: a report on that attempt
        is no lie, but late."""
        job = self._scheduler.core.jobs.get(report.job_id)
        told = {"agent_id": session.agent_id, "job_id": report.job_id, "node": report.node}
        own = self._is_its_own(session, report.node)
        if own and job is not None and not job.allocation:
            if not session.late:
                log.info("report-late", **told)
            session.late += 1
            return
        if not session.lies:
            log.warning("report-refused", **told)
        session.lies += 1

    def _count_restart(self, session: Session, exited: link.ExitedReport) -> None:
        """Count a job that starts again because its attempt has ended with the node. Break the link
        of an agent that has used up its allowance; it may come back once the allowance has
        recovered."""
        job = self._scheduler.core.jobs.get(exited.job_id)
        is_restart = (
            (exited.cause is Cause.NODE or failed_by_node(exited.cause, exited.fault))
            and job is not None
            and job.attempt == exited.attempt
        )
        if session.counted and is_restart and self._allowances.take_restart(session.agent_id):
            self._send_away(session, "too many attempts have ended with the nodes of this agent")

    def _send_away(self, session: Session, reason: str) -> None:
        if not session.closed:
            log.warning("agent-sent-away", agent_id=session.agent_id, reason=reason)
            self._links.drop(session, link.Goodbye(reason, retry=True))

    def _drain(self, session: Session, exited: link.ExitedReport) -> None:
        """Drain the node if its agent asks for that, unless the node is drained already, or about
        to be. This goes ahead of the report, so that the report is acknowledged once the drain is
        committed. Break the link of an agent that has used up its allowance."""
        if not exited.drain or exited.node in self._draining:
            return
        node = self._scheduler.core.nodes.get(exited.node)
        reason = reason_of_agent(exited.drain)
        if not reason or node is None or node.drain_reason is not None:
            return
        log.warning("node-drained", node=exited.node, reason=reason)
        self._draining.add(exited.node)
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        done.add_done_callback(partial(self._drained, exited.node))
        self._scheduler.put(ReadyInputs([Drain(exited.node, reason)], done))
        if session.counted and self._allowances.take_drain(session.agent_id, reason):
            self._send_away(session, "this agent has had too many nodes drained")

    def _reboot_failed(self, session: Session, told: link.RebootProblem) -> None:
        """End the reboot of an agent's own node that does not reboot. What is told of others, or of
        reboots that are over, changes nothing. Break the link of an agent that has used up its
        allowance."""
        node = self._scheduler.core.nodes.get(told.node)
        if node is None or node.reboot is None or not node.is_rebooting:
            return
        if node.reboot.boot_id != told.boot_id or not self._is_its_own(session, told.node):
            return
        reason = reason_of_agent(f"reboot failed: {told.message}")
        log.error("reboot-failed", node=told.node, reason=reason)
        self._links.reboot_failed(told.node)
        self._scheduler.put(ReadyInputs([RebootFailed(told.node, told.boot_id, reason)]))
        if session.counted and self._allowances.take_drain(session.agent_id, reason):
            self._send_away(session, "this agent has had too many nodes drained")

    def _drained(self, name: str, done: asyncio.Future[bool]) -> None:
        self._draining.discard(name)
        if not done.cancelled():
            done.exception()  # the agent tells it again, if the daemon is stopping

    def note_unreadable(self, session: Session, error: str) -> None:
        """Count a message that cannot be read, and log the first one of a session."""
        if not session.unreadable:  # logged once: there may be thousands
            log.error("message-unreadable", agent_id=session.agent_id, error=error)
        session.unreadable += 1

    def _exited(self, message: link.ExitedReport) -> Exited:
        end_us = message.end_us
        if end_us is None:
            end_us = self._clock.now_us() - round(message.ago_s * self._clock.rate * 1e6)
        outcome = Outcome(
            message.cause,
            message.exit_code,
            message.signal,
            message.cpu_s,
            message.max_rss_mib,
            cut(message.message),
            message.fault,
        )
        return Exited(message.job_id, message.attempt, message.node, end_us, outcome)


def _readable_part(message: Unreadable) -> link.Report | Reply | int | None:
    """Return the usable part of a message that cannot be read as a whole.

    A report that a job has ended becomes an end for an unknown reason. Of another report, the
    sequence number alone is returned, to be acknowledged: a repetition of the report would be no
    better.
    """
    kind, seq = message.field("type", str), message.field("seq", Id)
    if kind == "reply" and (call := message.field("call", Id)) is not None:
        return Reply(call, 503, f"the agent's answer cannot be read: {message.error}")
    if kind not in ("launched", "exited") or seq is None:
        return None
    job_id, attempt = message.field("job_id", Id), message.field("attempt", Count)
    node = message.field("node", Name)
    if kind == "launched" or job_id is None or attempt is None or node is None:
        return seq
    why = f"its agent's report of the end cannot be read: {message.error}"
    return link.ExitedReport(seq, job_id, attempt, node, Cause.UNKNOWN, message=why)
