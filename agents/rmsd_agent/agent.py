"""The agent: what the daemon's messages mean here."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Protocol

import msgspec
import structlog

from rmsd_agent.attempts.attempts import Attempts
from rmsd_agent.attempts.binding import Binding
from rmsd_agent.attempts.site_programs import ProgramPaths
from rmsd_agent.attempts.timers import Timers
from rmsd_agent.calls.calls import Calls
from rmsd_agent.calls.problems import UNREADABLE_CALL
from rmsd_agent.machine.delegation import Delegation
from rmsd_agent.machine.device_filter import DeviceFilter
from rmsd_agent.machine.users import Users
from rmsd_agent.reboots import Reboots
from rmsd_agent.reports import Key, Reports, key_of
from rmsd_agent.state.journal import Journal
from rmsd_agent.state.records import status_now
from rmsd_agent.state.state_dir import AgentStateDir
from rmsd_agent.units.pool import Pool
from rmsd_core.vocabulary import Cause, Fault
from rmsd_process.running_version import RUNNING_VERSION
from rmsd_wire import PROTOCOL
from rmsd_wire.frames import Unreadable, cut
from rmsd_wire.link import (
    Ack,
    Advance,
    Advanced,
    EndedAttempt,
    ExitedReport,
    Hello,
    Launch,
    RebootNode,
    Report,
    SetLimit,
    SetSuspension,
    StopAttempt,
    ToAgent,
    ToDaemon,
    Welcome,
    encoder,
)
from rmsd_wire.link_calls import (
    ReadEnded,
    ReadFile,
    ReadUse,
    Reply,
    SignalJob,
    SignalStep,
    StartTask,
    StopTask,
    WriteInput,
)
from rmsd_wire.link_values import Count, Id, Name
from rmsd_wire.names import is_node_name
from rmsd_wire.node_info import NodeInfo

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()


class Wire(Protocol):
    """The link carries messages to the daemon. Without a link it drops them; reports are kept."""

    def send(self, message: ToDaemon) -> None: ...

    def renew(self) -> None:
        """End the session, and open another: its Hello tells the nodes anew."""

    async def deliver(self, reply: Reply) -> None:
        """Return when the reply is on its way, or dropped."""


class Agent:
    """Holds attempts, with processes or timers, for its nodes."""

    def __init__(
        self,
        state: AgentStateDir,
        nodes: Sequence[NodeInfo],
        wire: Wire,
        extra_env: dict[str, str],
        *,
        allow_root_jobs: bool = False,
        delegation: Delegation | None = None,
        binding: Binding | None = None,
        programs: ProgramPaths | None = None,
        device_filter: DeviceFilter | None = None,
    ) -> None:
        self._state = state
        self._nodes = list(nodes)
        self._wire = wire
        self._reports = Reports(wire.send)
        self._pool = Pool(state)
        users = Users(allow_root=allow_root_jobs)
        cores = sum(node.cores for node in nodes)
        self._attempts = Attempts(
            state, self._pool, self._reports, extra_env, users, delegation, cores, binding,
            programs, device_filter,
        )  # fmt: skip
        self._timers = Timers(self._reports)
        self._reboots = Reboots(
            state, programs or ProgramPaths(), self._holds, wire.send, wire.renew
        )
        machine = next((node.name for node in nodes if node.kind == "real"), "")
        self._calls = Calls(self._attempts, self._pool, users, wire.deliver, machine)
        self._journal = Journal(state.path)
        self._refused: dict[str, str] = {}  # the refusals of the last session, by node
        # the ends that a daemon which asks for them gets, page by page
        self._told: list[EndedAttempt] = []
        self._answers: set[asyncio.Task[None]] = set()

    @property
    def names(self) -> set[str]:
        """Return the names of the nodes that are hosted."""
        return {node.name for node in self._nodes}

    @property
    def timers(self) -> Timers:
        """Return the timers of emulated jobs."""
        return self._timers

    @property
    def journal(self) -> Journal:
        """Return what has ended, as the daemon has acknowledged it."""
        return self._journal

    @property
    def refused(self) -> dict[str, str]:
        """Return the nodes that the daemon refuses in this session, with its reasons."""
        return dict(self._refused)

    def resize(self, nodes: Sequence[NodeInfo]) -> None:
        """Host these nodes, of the same names, from now on. The next Hello tells the daemon."""
        self._nodes = list(nodes)
        self._attempts.resize(sum(node.cores for node in nodes))

    async def open(self) -> None:
        """Take over what an earlier agent left, and get ready to run jobs."""
        self._attempts.recover()
        await self._pool.open(self._attempts)

    async def close(self) -> None:
        """Leave; jobs go on."""
        self._reboots.close()
        self._timers.close()
        self._attempts.close()
        await self._pool.close()

    def hello(self) -> list[ToDaemon]:
        """Return the first messages of a session: the Hello with who and what is here, then every
        report that is not acknowledged."""
        held = [*self._attempts.held(), *self._timers.held()]
        hello = Hello(
            protocol=PROTOCOL,
            version=RUNNING_VERSION,
            agent_id=self._state.agent_id,
            epoch=self._state.next_epoch(),
            nodes=self._reboots.told(self._nodes),
            held=held,
            leaving=sorted({attempt.node for attempt in held} - self.names),
            remembers=True,
        )
        return [hello, *self._reports.open_session()]

    def _holds(self, name: str) -> bool:
        """Return whether a job is left on the node."""
        held = (*self._attempts.held(), *self._timers.held())
        return any(attempt.node == name and not attempt.over for attempt in held)

    def link_up(self, welcome: Welcome) -> None:
        """Begin a session that the daemon has opened."""
        if welcome.refused != self._refused:
            self._refused = welcome.refused
            for node, reason in welcome.refused.items():
                log.error("node-refused", node=node, reason=reason)
        self._timers.link_up(welcome.clock)

    def link_lost(self) -> None:
        self._timers.link_lost()

    def hear(self, message: ToAgent | Unreadable) -> None:
        """Do what a message of an open session says. No message ends the agent."""
        if isinstance(message, Unreadable):
            self._cannot_read(message)
            return
        try:
            self._obey(message)
        except Exception as error:
            log.exception("message-failed", kind=type(message).__name__)
            if isinstance(message, Launch):
                key = (message.job_id, message.attempt, message.node)
                self._refuse(key, f"the agent of this node failed at its launch: {error!r}")

    def _obey(self, message: ToAgent) -> None:
        match message:
            case Launch():
                self._launch(message)
            case StopAttempt():
                self._stop(message)
            case SetLimit():
                key = (message.job_id, message.attempt, message.node)
                self._attempts.set_limit(key, message.time_limit_s)
                self._timers.set_limit(key, message.time_limit_s)
            case SetSuspension():
                key = (message.job_id, message.attempt, message.node)
                self._attempts.set_suspended(key, suspended=message.since_us is not None)
                self._timers.set_suspended(key, message.since_us, message.before_us)
            case RebootNode():
                found = (node for node in self._nodes if node.name == message.node)
                self._reboots.begin(message, next(found, None))
            case Ack():
                self._forget(self._reports.acknowledge(message.seq))
            case Advance(number, to_us):
                self._wire.send(Advanced(number, self._timers.advance(to_us)))
            case ReadEnded():
                self._answer_in_background(self._answer_ended(message))
            case StartTask() | StopTask() | SignalJob() | SignalStep() | WriteInput():
                self._answer_in_background(self._calls.answer(message))
            case ReadFile() | ReadUse():
                self._answer_in_background(self._calls.answer(message))

    def _answer_in_background(self, work: Coroutine[None, None, None]) -> None:
        answer = asyncio.get_running_loop().create_task(work)
        self._answers.add(answer)
        answer.add_done_callback(self._answers.discard)

    def _cannot_read(self, message: Unreadable) -> None:
        """Answer what a daemon of another version, or a failing one, waits for."""
        kind = message.field("type", str)
        log.error("message-unreadable", kind=kind, error=message.error)
        why = f"the agent (rmsd {RUNNING_VERSION}) cannot read it: {message.error}"
        if (call := message.field("call", Id)) is not None:
            self._wire.send(Reply(call, status=UNREADABLE_CALL, error=cut(why)))
        job_id, attempt = message.field("job_id", Id), message.field("attempt", Count)
        node = message.field("node", Name)
        if kind == "launch" and job_id is not None and attempt is not None and node is not None:
            self._refuse((job_id, attempt, node), f"its launch: {why}")

    def _refuse(self, key: Key, why: str) -> None:
        """Report that an attempt cannot be launched here, unless it is here already."""
        if key not in self._attempts and key not in self._timers:
            self._reports.exited(key, status_now(Cause.LAUNCH, why, fault=Fault.UNKNOWN))

    def _launch(self, launch: Launch) -> None:
        key = (launch.job_id, launch.attempt, launch.node)
        clock = self._timers.clock
        assert clock is not None  # a session is open
        if not is_node_name(launch.node):  # the attempt's directory has the node's name in its own
            self._refuse(key, f"'{launch.node}' is no name of a node")
            return
        if launch.emulation is not None and launch.emulation.exec == "timer":
            self._timers.launch(key, launch)
        else:
            self._attempts.launch(key, launch, clock.rate, clock.now_us())

    def _stop(self, stop: StopAttempt) -> None:
        key = (stop.job_id, stop.attempt, stop.node)
        if key in self._attempts:
            self._attempts.stop(key, stop.cause, grace_s=stop.grace_s)
        elif key in self._timers:
            self._timers.stop(stop, key)
        else:
            self._reports.exited(key, status_now(stop.cause))  # never here, or long forgotten

    def _forget(self, done: list[Report]) -> None:
        exits = [report for report in done if isinstance(report, ExitedReport)]
        if ended := [*filter(None, map(self._as_ended, exits))]:
            self._journal.add(ended)
        for report in exits:
            self._attempts.forget(key_of(report))
            self._timers.forget(key_of(report))

    async def _answer_ended(self, asked: ReadEnded) -> None:
        """Answer with a page of what has ended here, acknowledged or not.

        The first page decides what the others tell: what ends meanwhile is reported anyway.
        """
        if asked.offset == 0:
            pending = [
                report for report in self._reports.pending() if isinstance(report, ExitedReport)
            ]
            self._told = [*self._journal.read(), *filter(None, map(self._as_ended, pending))]
        encoded: list[msgspec.Raw] = []
        size_bytes, next_offset = 0, asked.offset
        for one in self._told[asked.offset :]:
            raw = encoder.encode(one)
            if encoded and asked.limit and size_bytes + len(raw) > asked.limit:
                break
            encoded.append(msgspec.Raw(raw))
            size_bytes += len(raw)
            next_offset += 1
        eof = next_offset >= len(self._told)
        if eof:
            self._told = []
        data = encoder.encode(encoded)
        await self._wire.deliver(Reply(asked.call, data=data, offset=next_offset, eof=eof))

    def _as_ended(self, report: ExitedReport) -> EndedAttempt | None:
        """Describe an end for the daemon. Return None if the agent never held this attempt."""
        key, clock = key_of(report), self._timers.clock
        launch = self._attempts.launch_of(key) or self._timers.launch_of(key)
        if launch is None or clock is None:
            return None
        end_us = report.end_us
        if end_us is None:
            end_us = round(clock.now_us() - report.ago_s * clock.rate * 1e6)
        return EndedAttempt(
            *key,
            batch=launch.batch,
            cores=launch.cores,
            start_us=launch.model_start_us,
            end_us=end_us,
            cause=report.cause,
            exit_code=report.exit_code,
            signal=report.signal,
            cpu_s=report.cpu_s,
            max_rss_mib=report.max_rss_mib,
            message=report.message,
            fault=report.fault,
        )
