"""The agent: what the daemon's messages mean here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from importlib.metadata import version

import structlog

from rmsd_agent.attempts import Attempts
from rmsd_agent.calls import Calls
from rmsd_agent.delegation import Delegation
from rmsd_agent.emulated import Timers
from rmsd_agent.journal import Journal
from rmsd_agent.pool import Pool
from rmsd_agent.records import StateDir, status_now
from rmsd_agent.reports import Reports, key_of
from rmsd_agent.users import Users
from rmsd_wire import PROTOCOL
from rmsd_wire.link import (
    Ack,
    Call,
    EndedAttempt,
    Exited,
    Hello,
    Launch,
    NodeInfo,
    ReadEnded,
    ReadFile,
    Reply,
    Report,
    StartTask,
    Stop,
    StopTask,
    ToAgent,
    ToDaemon,
    Welcome,
    encoder,
)

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()


class Agent:
    """Holds attempts, with processes or timers, for its nodes.

    `send` queues a message for the daemon; without a link it is dropped, which reports survive.
    """

    def __init__(
        self,
        state: StateDir,
        nodes: Sequence[NodeInfo],
        send: Callable[[ToDaemon], None],
        extra_env: dict[str, str],
        *,
        allow_root_jobs: bool = False,
        delegation: Delegation | None = None,
    ) -> None:
        self._state = state
        self._nodes = list(nodes)
        self._send = send
        self._reports = Reports(send)
        self._pool = Pool(state)
        users = Users(allow_root=allow_root_jobs)
        self._attempts = Attempts(state, self._pool, self._reports, extra_env, users, delegation)
        self._timers = Timers(self._reports, state.boot_id)
        self._calls = Calls(self._attempts, self._pool, users)
        self._journal = Journal(state.path)
        self._refused: dict[str, str] = {}  # by the last session
        self._answers: set[asyncio.Task[None]] = set()

    @property
    def names(self) -> set[str]:
        """Of the nodes that are hosted."""
        return {node.name for node in self._nodes}

    async def open(self) -> None:
        """Take over what an earlier agent left, and get ready to run jobs."""
        self._attempts.recover()
        await self._pool.open(self._attempts)

    async def close(self) -> None:
        """Leave; jobs go on."""
        self._timers.close()
        self._attempts.close()
        await self._pool.close()

    def hello(self) -> list[ToDaemon]:
        """How a session begins: who and what is here, then every report not acknowledged."""
        held = [*self._attempts.held(), *self._timers.held()]
        hello = Hello(
            protocol=PROTOCOL,
            version=version("rmsd"),
            agent_id=self._state.agent_id,
            epoch=self._state.next_epoch(),
            nodes=self._nodes,
            held=held,
            leaving=sorted({attempt.node for attempt in held} - self.names),
            remembers=True,
        )
        return [hello, *self._reports.open_session()]

    def link_up(self, welcome: Welcome) -> None:
        """A session is open."""
        if welcome.refused != self._refused:
            self._refused = welcome.refused
            for node, reason in welcome.refused.items():
                log.error("node-refused", node=node, reason=reason)
        self._timers.link_up(welcome.clock)

    def link_lost(self) -> None:
        self._timers.link_lost()

    def hear(self, message: ToAgent) -> None:
        """Do what a message of an open session says."""
        match message:
            case Launch():
                self._launch(message)
            case Stop():
                self._stop(message)
            case Ack():
                self._forget(self._reports.acknowledge(message.seq))
            case ReadEnded():
                self._send(Reply(message.call, data=encoder.encode(self._ended())))
            case StartTask() | StopTask() | ReadFile():
                answer = asyncio.get_running_loop().create_task(self._answer(message))
                self._answers.add(answer)
                answer.add_done_callback(self._answers.discard)

    def _launch(self, launch: Launch) -> None:
        key = (launch.job_id, launch.attempt, launch.node)
        clock = self._timers.clock
        assert clock is not None  # a session is open
        if launch.emulation is not None and launch.emulation.exec == "timer":
            self._timers.launch(key, launch)
        else:
            self._attempts.launch(key, launch, clock.rate, clock.now_us())

    def _stop(self, stop: Stop) -> None:
        key = (stop.job_id, stop.attempt, stop.node)
        if key in self._attempts:
            self._attempts.stop(key, stop.cause)
        elif key in self._timers:
            self._timers.stop(stop, key)
        else:
            self._reports.exited(key, status_now(stop.cause))  # never here, or long forgotten

    def _forget(self, done: list[Report]) -> None:
        exits = [report for report in done if isinstance(report, Exited)]
        if ended := [*filter(None, map(self._as_ended, exits))]:
            self._journal.add(ended)
        for report in exits:
            self._attempts.forget(key_of(report))
            self._timers.forget(key_of(report))

    def _ended(self) -> list[EndedAttempt]:
        """What has ended here, acknowledged or not."""
        pending = [report for report in self._reports.pending() if isinstance(report, Exited)]
        return [*self._journal.read(), *filter(None, map(self._as_ended, pending))]

    def _as_ended(self, report: Exited) -> EndedAttempt | None:
        """None: it was never here."""
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
        )

    async def _answer(self, call: Call) -> None:
        self._send(await self._calls.answer(call))
