"""Which agents have a link, and which nodes are theirs: who may say what of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice

import structlog
from aiohttp import WSMsgType, web

import rmsd_wire
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.lifecycle.inputs import Exited, NodeDead, NodeGone, NodeSuspect
from rmsd_core.lifecycle.inputs import Launched as CoreLaunched
from rmsd_core.vocabulary import Cause
from rmsd_daemon.agents.sessions import Session
from rmsd_daemon.domain.errors import DaemonError, NodeUnreachable, NotPermitted
from rmsd_daemon.domain.rates import Pauses, Rates
from rmsd_daemon.front.access import caller_of, check_still
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.loop.work import MakeLaunch, Order, Register, Report
from rmsd_daemon.setup.clock import Clock, clock_message
from rmsd_daemon.store.records import Row
from rmsd_wire import link
from rmsd_wire.frames import FRAME_BYTES, MAX_FRAME_BYTES, Unreadable, cut, messages_in
from rmsd_wire.malformed import MALFORMED
from rmsd_wire.names import NODE_NAME_RULE, is_node_name

log = structlog.get_logger()

HEARTBEAT_S = 10.0
_HELLO_WITHIN_S = 10.0
_ENDED_WITHIN_S = 60.0
_MAX_REMOTE_FRAME_BYTES = 16 << 20
"""Of an agent on another machine; one of the daemon's own may have very many emulated nodes."""
_MAX_ENDED_BYTES = 64 << 20
"""What an agent may tell in all of what has ended there."""
_LARGE_AT_ONCE = 32
"""Launches with large scripts that are in memory at a time, on their way to agents."""
_MAX_CORES = 1 << 24
_MOST_LOGGED = 10
"""Nodes that an agent withdraws, or that are refused, which the log names one by one."""
_MOST_NODES = 10_000
"""Of an agent on another machine, with those that it had before and that are not forgotten: each
costs every pass a little."""
_MOST_HELD = 200_000
"""Attempts that an agent on another machine may hold. If none of them is known here, the event
loop is busy for about a second with so many."""
_HELLO_TIMES = 2
_NODE_BYTES = 512
"""A Hello adds its bytes to the database, in events and rows, and so many for each node, which will
be lost again. ..."""
_HELLO_AT_ONCE_BYTES = 64 << 20
_HELLO_BYTES_PER_S = 64 << 10
"""... An agent on another machine may add so much at once, and so much a second: with 10,000 nodes
it may come back eight times at once."""
_RESTART_BYTES = 2 << 10
"""What an attempt adds to the database when it ends with its node, and its job starts again. An
agent on another machine has the same share for these: it could end each new attempt at once."""
_AT_ONCE = 200
_FRAME_MESSAGES = 10
"""A frame costs as much as so many messages."""
_FLOOD_S = 0.05
_BREATH_S = 0.005
"""Who tells so many messages in less than that time, more than nodes have to tell, is heard with
pauses, so that others are served between. (Nothing is read from the link meanwhile, once what has
come from there fills its buffer.)"""


class _Pace:
    """How fast an agent is heard: whoever tells very much, in one frame or in many, is heard with
    pauses."""

    def __init__(self) -> None:
        self._told = 0
        self._since_s = asyncio.get_running_loop().time()

    async def told(self, messages: int) -> None:
        """Note so many messages; return when more may be heard."""
        self._told += messages
        if self._told < _AT_ONCE:
            return
        loop = asyncio.get_running_loop()
        flood = loop.time() - self._since_s < _FLOOD_S
        await asyncio.sleep(_BREATH_S if flood else 0)
        self._told, self._since_s = 0, loop.time()


class AgentLinks:
    """All sessions. Nodes whose agent is not heard of for `node_dead_s` are dead. `opened` is told
    of a request that has become the link of an agent."""

    def __init__(
        self,
        scheduler: Scheduler,
        clock: Clock,
        node_dead_s: float,
        opened: Callable[[web.Request], None],
    ) -> None:
        self._opened = opened
        self._scheduler = scheduler
        self._clock = clock
        self._node_dead_s = node_dead_s
        self._sessions: dict[str, Session] = {}  # by agent
        self._by_node: dict[str, Session] = {}
        self._deadlines: dict[str, asyncio.TimerHandle] = {}
        self._refused: dict[str, dict[str, str]] = {}  # by agent, at its latest hello
        self._tasks: set[asyncio.Task[None]] = set()
        self._large = asyncio.Semaphore(_LARGE_AT_ONCE)
        self._pauses = Pauses()
        self._added = Rates(_HELLO_BYTES_PER_S, _HELLO_AT_ONCE_BYTES)
        self._hasty: set[str] = set()  # agents whose latest attempt to open a link was too early

    # ------------------------------------------------------------ for the scheduler

    def send(self, node: str, message: link.Launch | link.Stop) -> None:
        if session := self._by_node.get(node):
            session.send(message)

    def send_late(self, node: str, make: MakeLaunch) -> None:
        if session := self._by_node.get(node):
            session.send_late(make)

    def reset(self) -> None:
        for session in list(self._sessions.values()):
            self._drop(session)

    def revoked(self, agent_id: str) -> None:
        """The agent's key does not hold any more: its link ends."""
        if session := self._sessions.get(agent_id):
            self._drop(session, link.Goodbye("its key was revoked", retry=False))

    def watch_nodes(self, names: Iterable[str]) -> None:
        loop = asyncio.get_running_loop()
        for name in names:
            if name not in self._by_node and name not in self._deadlines:
                self._deadlines[name] = loop.call_later(self._node_dead_s, self._dead, name)

    # ------------------------------------------------------------ for the API

    def session_of(self, node: str) -> Session:
        """Raises DaemonError when the node has no link."""
        if session := self._by_node.get(node):
            return session
        raise NodeUnreachable(f"node {node} cannot be reached now: there is no link to its agent")

    async def close(self) -> None:
        """The daemon stops; agents are told to dial again."""
        for deadline in self._deadlines.values():
            deadline.cancel()
        goodbye = link.Goodbye("the daemon is stopping", retry=True)
        for session in list(self._sessions.values()):
            self._forget(session)
            await session.close(goodbye)

    # ------------------------------------------------------------ sessions

    async def agent_link(self, request: web.Request) -> web.WebSocketResponse:
        """GET /v1/link."""
        caller = caller_of(request)
        if caller.agent_id is None and not caller.own:
            raise NotPermitted("a join token opens no link: the agent must join first")
        most_bytes = MAX_FRAME_BYTES if caller.own else _MAX_REMOTE_FRAME_BYTES
        ws = web.WebSocketResponse(
            heartbeat=HEARTBEAT_S,
            max_msg_size=most_bytes,
            compress=False,
            autoping=False,  # else pings without end would be answered without a pause
        )
        await ws.prepare(request)
        if caller.agent_id is not None and (wait_s := self._too_early_s(caller.agent_id)):
            reason = f"this agent dials too often; its next link may be open in {wait_s:.3g} s"
            await self._refuse(ws, reason, retry=True, silent=caller.agent_id in self._hasty)
            self._hasty.add(caller.agent_id)
            return ws
        try:
            first = await ws.receive_bytes(timeout=_HELLO_WITHIN_S)
            messages = messages_in(first, link.to_daemon.decode)
        except TimeoutError:
            await self._refuse(ws, f"no Hello within {_HELLO_WITHIN_S:g} s", retry=True)
            return ws
        except (TypeError, *MALFORMED) as error:
            await self._refuse(ws, f"a Hello was expected: {error}", retry=True)
            return ws
        hello = next(messages, None)
        if not isinstance(hello, link.Hello):
            what = hello.error if isinstance(hello, Unreadable) else "something else came"
            await self._refuse(ws, f"the first message must be Hello: {what}", retry=True)
            return ws
        if caller.agent_id not in (None, hello.agent_id):
            await self._refuse(ws, "this key belongs to another agent")
            return ws
        if not rmsd_wire.OLDEST_PROTOCOL <= hello.protocol <= rmsd_wire.PROTOCOL:
            await self._refuse(
                ws,
                f"the agent speaks version {hello.protocol} of the protocol, the daemon "
                f"{rmsd_wire.OLDEST_PROTOCOL} to {rmsd_wire.PROTOCOL}; upgrade "
                + ("the daemon" if hello.protocol > rmsd_wire.PROTOCOL else "the agent"),
            )
            return ws
        if not caller.own and (why := self._too_much(hello)):
            await self._refuse(ws, why)
            return ws
        try:
            check_still(request)
        except DaemonError as error:
            await self._refuse(ws, str(error))
            return ws
        if caller.agent_id is not None:
            size = _HELLO_TIMES * len(first) + _NODE_BYTES * len(hello.nodes)
            now_s = asyncio.get_running_loop().time()
            self._added.take(caller.agent_id, size, now_s)
        self._opened(request)
        session = self._open(ws, hello, trusted=caller.own)
        loop = asyncio.get_running_loop()
        pump = loop.create_task(_pump(session, request))
        try:
            # At once, so that a true exit wins over a lost attempt: an agent of the version before
            # does not say in its Hello which attempts are over.
            pace = _Pace()
            await self._hear(
                session, messages, len(first), pace if len(first) > FRAME_BYTES else None
            )
            async for frame in ws:
                await pace.told(_FRAME_MESSAGES)
                if frame.type is WSMsgType.PING:
                    await ws.pong(frame.data)
                if frame.type is not WSMsgType.BINARY:
                    continue
                try:
                    messages = messages_in(frame.data, link.to_daemon.decode)
                except MALFORMED as error:
                    self._log_unreadable(session, str(error))
                    continue
                await self._hear(session, messages, len(frame.data), pace)
        finally:
            pump.cancel()
            self._drop(session)
        return ws

    async def _hear(
        self,
        session: Session,
        messages: Iterator[link.ToDaemon | Unreadable],
        frame_bytes: int,
        pace: _Pace | None,
    ) -> None:
        """Take the messages of a frame; return when there is room for more."""
        last_seq = -1
        for message in messages:
            last_seq = max(last_seq, self._take(session, message))
            if pace is not None:
                await pace.told(1)
        if last_seq >= 0:
            await session.reported(last_seq, frame_bytes)

    def _too_early_s(self, agent_id: str) -> float:
        """Return 0 if the agent may open a link now, else how long it must wait. Each Hello costs a
        batch, as many numbers of jobs as it claims to know, and room in the database for ever."""
        now_s = asyncio.get_running_loop().time()
        wait_s = self._added.owed_s(agent_id, now_s) or self._pauses.wait_s(agent_id, now_s)
        if not wait_s:
            self._hasty.discard(agent_id)
        return wait_s

    async def _refuse(
        self, ws: web.WebSocketResponse, reason: str, *, retry: bool = False, silent: bool = False
    ) -> None:
        if not silent:
            log.warning("agent-refused", reason=reason)
        with contextlib.suppress(ConnectionError, RuntimeError):
            await ws.send_bytes(link.encoder.encode([link.Goodbye(reason, retry=retry)]))
        await ws.close()

    def _open(self, ws: web.WebSocketResponse, hello: link.Hello, *, trusted: bool) -> Session:
        """`trusted`: the agent runs as the daemon's account on its machine, and may take over a
        node that another has left."""
        if earlier := self._sessions.get(hello.agent_id):
            self._forget(earlier)
            self._close_later(earlier)
        refused: dict[str, str] = {}
        accepted: dict[str, link.NodeInfo] = {}
        for info in hello.nodes:
            if why := self._why_not_hosted(info, hello.agent_id, trusted=trusted):
                refused[cut(info.name)] = why
            else:
                accepted.setdefault(info.name, info)
        if repeated := len(hello.nodes) - len(refused) - len(accepted):
            log.warning("nodes-repeated", agent_id=hello.agent_id, count=repeated)
        leaving = [
            name
            for name in dict.fromkeys(hello.leaving)
            if name not in self._by_node and (trusted or self._owner(name) == hello.agent_id)
        ]
        there = {info.name for info in hello.nodes} | {*hello.leaving}
        if self._scheduler.awaited:  # what ran there since the backup is known to this agent alone
            leaving += self._left_out(hello.agent_id, there)
        names = [*accepted, *leaving]
        session = Session(ws, hello.agent_id, names, self._large, counted=not trusted)
        self._sessions[hello.agent_id] = session
        for name in names:
            self._by_node[name] = session
        session.send(
            link.Welcome(hello.epoch, clock_message(self._clock), HEARTBEAT_S, refused=refused)
        )
        rows = [_node_row(info, hello) for info in accepted.values()]
        # What it says of others' nodes would be asked of their agents.
        held = [attempt for attempt in hello.held if attempt.node in session.nodes]
        register = Register(session, rows, leaving, held)
        if hello.remembers and self._scheduler.awaited:
            self._later(self._ask(session, register))
        else:
            self._register(register, names)
        self._withdraw(self._left_out(hello.agent_id, there), hello.agent_id)
        if names:
            log.info("agent-up", agent_id=hello.agent_id, nodes=len(accepted), held=len(hello.held))
        self._log_nodes("node-leaving", leaving, hello.agent_id)
        if refused != self._refused.get(hello.agent_id, {}):
            self._refused[hello.agent_id] = refused
            self._log_nodes("node-refused", refused, hello.agent_id, refused)
        return session

    def _register(self, register: Register, names: Iterable[str]) -> None:
        """The agent is heard: its nodes are not given up any more."""
        for name in names:
            if deadline := self._deadlines.pop(name, None):
                deadline.cancel()
        self._scheduler.put(register)

    async def _ask(self, session: Session, register: Register) -> None:
        """After a restore, hear what has ended at an agent before the agent is registered."""
        try:
            ended = await _ended(session)
        except (DaemonError, *MALFORMED) as error:
            log.error("ended-unknown", agent_id=session.agent_id, error=str(error))
            self._drop(session)  # it dials again
            return
        if self._sessions.get(session.agent_id) is session:  # the link may have broken just now
            register.ended = [one for one in ended if one.node in session.nodes]
            self._register(register, session.nodes)

    def _owner(self, node: str) -> str | None:
        """The agent that registered the node; None if no agent has, or its record was lost."""
        row = self._scheduler.node_rows.get(node)
        return None if row is None else row["agent_id"] or None

    def _owned(self, agent_id: str) -> list[str]:
        """The nodes that this agent has registered."""
        rows = self._scheduler.node_rows
        return [name for name, row in rows.items() if row["agent_id"] == agent_id]

    def _too_much(self, hello: link.Hello) -> str:
        """Say what of a Hello is more than an agent on another machine may tell; "" if nothing is.
        A name costs as much each time that it is repeated."""
        known = {*(info.name for info in hello.nodes), *self._owned(hello.agent_id)}
        count = max(len(known), len(hello.nodes), len(hello.leaving))
        if count > _MOST_NODES:
            return (
                f"it has had {count} nodes, and an agent may have {_MOST_NODES}; `rnode forget` "
                "those that are no more"
            )
        if len(hello.held) > _MOST_HELD:
            return f"it says that it holds {len(hello.held)} attempts; {_MOST_HELD} may be told"
        return ""

    def _why_not_hosted(self, info: link.NodeInfo, agent_id: str, *, trusted: bool) -> str:
        """Say why the agent may not have this node; "" if it may."""
        node = info.name
        if not is_node_name(node):
            return NODE_NAME_RULE
        if info.cores > _MAX_CORES:
            return f"it has {info.cores} cores, and a node may have {_MAX_CORES}"
        if node in self._by_node:
            return "another agent has a node of this name"
        if not trusted and self._owner(node) not in (None, agent_id):
            return f"the name belongs to another agent; `rnode forget {node}` frees it"
        return ""

    def _may_tell(self, session: Session, report: link.Report) -> bool:
        """Whether the attempt is on a node of this agent, which knows what happens there alone."""
        if report.node not in session.nodes and self._owner(report.node) != session.agent_id:
            return False
        job = self._scheduler.core.jobs.get(report.job_id)
        if job is None or job.attempt != report.attempt:
            return True  # long over: no news
        return any(piece.node == report.node for piece in job.allocation)

    def _left_out(self, agent_id: str, there: set[str]) -> list[str]:
        """Nodes that this agent had, and neither hosts nor holds anything on."""
        owned = self._owned(agent_id)
        return [name for name in owned if name not in there and name not in self._by_node]

    def _withdraw(self, names: Collection[str], agent_id: str) -> None:
        """Forget these nodes of the agent."""
        self._log_nodes("node-gone", names, agent_id)
        for name in names:
            if deadline := self._deadlines.pop(name, None):
                deadline.cancel()
            self._scheduler.put(Order([NodeDead(name), NodeGone(name)]))

    def _take(self, session: Session, message: link.ToDaemon | Unreadable) -> int:
        """Pass a message on; return the sequence number of a report, else -1."""
        if isinstance(message, Unreadable):
            self._log_unreadable(session, message.error)
            readable = _readable_part(message)
            if readable is None:
                return -1
            if isinstance(readable, int):
                self._scheduler.put(Report(session, readable, None))
                return readable
            message = readable
        match message:
            case link.Launched() | link.Exited() if not self._may_tell(session, message):
                if not session.lies:  # logged once: there may be thousands
                    log.warning(
                        "report-refused",
                        agent_id=session.agent_id,
                        job_id=message.job_id,
                        node=message.node,
                    )
                session.lies += 1
                self._scheduler.put(Report(session, message.seq, None))
                return message.seq
            case link.Launched():
                launched = CoreLaunched(message.job_id, message.attempt)
                self._scheduler.put(Report(session, message.seq, launched))
                return message.seq
            case link.Exited():
                self._count_restart(session, message)
                self._scheduler.put(Report(session, message.seq, self._exited(message)))
                return message.seq
            case link.Reply():
                session.reply(message)
            case link.Hello():
                self._log_unreadable(session, "a second Hello")
        return -1

    def _count_restart(self, session: Session, exited: link.Exited) -> None:
        """Count the new start of a job whose attempt has ended with the node. Break off the link of
        an agent that has used up its share: it may come back when its debt is paid."""
        job = self._scheduler.core.jobs.get(exited.job_id)
        is_restart = exited.cause is Cause.NODE and job and job.attempt == exited.attempt
        if not (session.counted and is_restart):
            return
        now_s = asyncio.get_running_loop().time()
        self._added.take(session.agent_id, _RESTART_BYTES, now_s)
        if self._added.owed_s(session.agent_id, now_s) and not session.closed:
            reason = "too many attempts have ended with the nodes of this agent"
            log.warning("agent-sent-away", agent_id=session.agent_id, reason=reason)
            self._drop(session, link.Goodbye(reason, retry=True))

    def _log_nodes(
        self,
        event: str,
        names: Collection[str],
        agent_id: str,
        reasons: Mapping[str, str] | None = None,
    ) -> None:
        """Log what an agent has brought about for these nodes: of the first ones by name, since
        the agent can repeat it, and how many more there are."""
        for name in islice(names, _MOST_LOGGED):
            reason = {} if reasons is None else {"reason": reasons[name]}
            log.warning(event, node=name, agent_id=agent_id, **reason)
        if (more := len(names) - _MOST_LOGGED) > 0:
            log.warning(event, more=more, agent_id=agent_id)

    def _log_unreadable(self, session: Session, error: str) -> None:
        if not session.unreadable:  # logged once: there may be thousands
            log.error("message-unreadable", agent_id=session.agent_id, error=error)
        session.unreadable += 1

    def _exited(self, message: link.Exited) -> Exited:
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
        )
        return Exited(message.job_id, message.attempt, message.node, end_us, outcome)

    def _drop(self, session: Session, goodbye: link.Goodbye | None = None) -> None:
        """The link is lost: its nodes are suspect, and dead if nothing is heard for long."""
        if self._sessions.get(session.agent_id) is session:
            self._forget(session)
            if session.nodes:
                log.warning("agent-lost", agent_id=session.agent_id, nodes=len(session.nodes))
                self._scheduler.put(Order([NodeSuspect(name) for name in session.nodes]))
                self.watch_nodes(session.nodes)
        self._close_later(session, goodbye)

    def _forget(self, session: Session) -> None:
        self._sessions.pop(session.agent_id, None)
        for name in session.nodes:
            if self._by_node.get(name) is session:
                del self._by_node[name]

    def _close_later(self, session: Session, goodbye: link.Goodbye | None = None) -> None:
        if not session.closed:
            self._later(session.close(goodbye))

    def _later(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _dead(self, name: str) -> None:
        if deadline := self._deadlines.pop(name, None):
            deadline.cancel()
        log.error("node-dead", node=name)
        self._scheduler.put(Order([NodeDead(name)]))


async def _pump(session: Session, request: web.Request) -> None:
    """Send what the session is given; break the link of an agent that does not take it."""
    try:
        await session.pump()
    except TimeoutError:
        log.warning("link-not-read", agent_id=session.agent_id)
        if request.transport is not None:
            request.transport.abort()


async def _ended(session: Session) -> list[link.EndedAttempt]:
    """Ask an agent, page by page, what has ended there.

    Raises:
        DaemonError: the agent does not answer, or there is no end to what it says, as it tells more
            than can be, or announces more and tells nothing.
        One of MALFORMED: the answer is no list of ended attempts.
    """
    ended: list[link.EndedAttempt] = []
    offset = size_bytes = 0
    while True:
        make = partial(link.ReadEnded, offset=offset, limit=FRAME_BYTES)
        reply = await session.call(make, _ENDED_WITHIN_S)
        if reply.status >= 400:
            raise NodeUnreachable(cut(reply.error))
        page = link.ended_attempts.decode(reply.data)
        ended += page
        size_bytes += len(reply.data)
        if reply.eof or reply.offset <= offset:  # an agent of the version before has one page
            return ended
        if not page:
            raise NodeUnreachable("the agent says that there is more, and does not tell it")
        if size_bytes > _MAX_ENDED_BYTES:
            raise NodeUnreachable(f"the agent says more than {_MAX_ENDED_BYTES} bytes")
        offset = reply.offset


def _readable_part(message: Unreadable) -> link.Report | link.Reply | int | None:
    """Return what can be used of a message that cannot be read as a whole.

    An end of a job is an end for a reason that is not known. The sequence number of another
    report is returned alone, to be acknowledged: told again, the report would be no better.
    """
    kind, seq = message.field("type", str), message.field("seq", link.Id)
    if kind == "reply" and (call := message.field("call", link.Id)) is not None:
        return link.Reply(call, 503, f"the agent's answer cannot be read: {message.error}")
    if kind not in ("launched", "exited") or seq is None:
        return None
    job_id, attempt = message.field("job_id", link.Id), message.field("attempt", link.Count)
    node = message.field("node", link.Name)
    if kind == "launched" or job_id is None or attempt is None or node is None:
        return seq
    why = f"its agent's report of the end cannot be read: {message.error}"
    return link.Exited(seq, job_id, attempt, node, Cause.UNKNOWN, message=why)


def _node_row(info: link.NodeInfo, hello: link.Hello) -> Row:
    return {
        "name": info.name,
        "agent_id": hello.agent_id,
        "kind": info.kind,
        "cores": info.cores,
        "mem_mib": info.mem_mib,
        "features": [info.kind],
        "hostname": cut(info.hostname),
        "os": cut(info.os),
        "cpu_model": cut(info.cpu_model),
        "agent_version": cut(hello.version),
        "memory_limit": cut(info.memory_limit),
    }
