"""An open link to an agent: commands out, calls and their answers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence

import structlog
from aiohttp import web

from rmsd_core.model_time import NEVER_US
from rmsd_daemon.domain.errors import NoAnswer, NodeUnreachable
from rmsd_daemon.loop.mailbox import MakeLaunch
from rmsd_wire import link
from rmsd_wire.frames import next_frame
from rmsd_wire.link_calls import Call, ReadEnded, Reply

log = structlog.get_logger()

Message = (
    link.Welcome
    | link.Goodbye
    | link.Ack
    | link.Launch
    | link.StopAttempt
    | link.SetLimit
    | link.SetSuspension
    | link.RebootNode
    | link.Advance
    | Call
    | ReadEnded
)


HEARTBEAT_S = 10.0
_MAX_UNACKNOWLEDGED_BYTES = 16 << 20
"""The most bytes of one agent's reports that are not committed yet; beyond it, nothing more is
read."""


TAKEN_S = 30.0
_TAKEN_BYTES_PER_S = 64 << 10
"""The time that an agent may take for a frame: `TAKEN_S`, and a second more for each
`_TAKEN_BYTES_PER_S` bytes. An agent can answer pings, or just go on talking, without ever reading
what waits for it here."""


class Session:
    """An open link. Messages that are ready together share frames."""

    def __init__(
        self,
        ws: web.WebSocketResponse,
        agent_id: str,
        nodes: Sequence[str],
        large: asyncio.Semaphore,
        *,
        counted: bool = False,
        rebootable: Collection[str] = (),
        device_limits: Mapping[str, str] | None = None,
    ) -> None:
        """Begin a session. `large` bounds how many launches with large scripts are in memory, over
        all sessions. `counted`: the agent has an allowance of what it may add to the database.
        `rebootable`: those of the nodes that the agent can reboot. `device_limits`: what keeps jobs
        to the files of their devices, for the nodes where something does."""
        self.agent_id = agent_id
        # A dict, for quick look-ups: an agent may have 10,000 nodes and hold 200,000 attempts on
        # them.
        self.nodes = dict.fromkeys(nodes)
        self.counted = counted
        self.rebootable = frozenset(rebootable)
        self.device_limits = dict(device_limits or {})
        self.closed = False
        self.lies = 0  # reports on attempts that are not this agent's
        self.late = 0  # reports on attempts whose jobs were requeued
        self.unreadable = 0  # messages that could not be read
        self._ws = ws
        self._outbox: deque[Message] = deque()
        self._late: deque[MakeLaunch] = deque()
        self._large = large
        self._ready = asyncio.Event()
        self._calls: dict[int, asyncio.Future[Reply]] = {}
        self._last_call = 0
        self._unacknowledged: deque[tuple[int, int]] = deque()  # last seq and size of each frame
        self._unacknowledged_bytes = 0
        self._less_unacknowledged = asyncio.Event()
        self._asked = 0  # the number of the latest `Advance`
        self._is_asked = False  # since the latest command, and before the end that was told
        self._next_end_us: int | None = None

    def send(self, *messages: Message) -> None:
        self._outbox += messages
        self._ready.set()

    def command(self, message: link.Command) -> None:
        """Send a command. On a paced clock the agent is then asked again for its next end."""
        self.send(message)
        self._is_asked = False

    def send_late(self, make: MakeLaunch) -> None:
        """Queue a launch that is made once all messages before it are sent."""
        self._late.append(make)
        self._ready.set()

    def next_end_us(self, now_us: int) -> int | None:
        """Return when the agent's next timer ends, as `Links.next_end_us`, of this agent alone."""
        if self._is_asked and self._next_end_us is not None and self._next_end_us <= now_us:
            self._is_asked = False  # the end is due: the agent reports it
        if not self._is_asked:
            self._is_asked, self._next_end_us = True, None
            self._asked += 1
            self.send(link.Advance(self._asked, now_us))
        return self._next_end_us

    def advanced(self, message: link.Advanced) -> None:
        """Take the agent's answer, unless it has been asked again since."""
        if message.number == self._asked:
            end_us = message.next_end_us
            self._next_end_us = NEVER_US if end_us is None else end_us

    def acknowledge(self, seq: int) -> None:
        """Tell the agent that its reports up to `seq` are committed."""
        self.send(link.Ack(seq))
        while self._unacknowledged and self._unacknowledged[0][0] <= seq:
            self._unacknowledged_bytes -= self._unacknowledged.popleft()[1]
        self._less_unacknowledged.set()

    async def reported(self, last_seq: int, frame_bytes: int) -> None:
        """Note a frame with reports; return when more of them may be taken."""
        self._unacknowledged.append((last_seq, frame_bytes))
        self._unacknowledged_bytes += frame_bytes
        while self._unacknowledged_bytes > _MAX_UNACKNOWLEDGED_BYTES and not self.closed:
            self._less_unacknowledged.clear()
            await self._less_unacknowledged.wait()

    async def call(self, make: Callable[[int], Call | ReadEnded], timeout_s: float) -> Reply:
        """Return the agent's answer to the call that `make` builds around its number.

        Raises:
            DaemonError: the link broke, or no answer came in time.
        """
        self._last_call += 1
        number = self._last_call
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._calls[number] = future
        self.send(make(number))
        try:
            return await asyncio.wait_for(future, timeout_s)
        except TimeoutError:
            raise NoAnswer(f"the agent did not answer within {timeout_s:g} s") from None
        finally:
            self._calls.pop(number, None)

    def reply(self, message: Reply) -> None:
        future = self._calls.get(message.call)
        if future and not future.done():
            future.set_result(message)

    async def pump(self) -> None:
        """Send the messages that `send` was given, a frame at a time, until the link breaks.

        Raises:
            TimeoutError: the agent does not take what is sent.
        """
        while not self.closed:
            await self._ready.wait()
            self._ready.clear()
            try:
                await self._send_outbox()
                while self._late:
                    async with self._large:
                        if launch := await self._late.popleft()():
                            self._outbox.append(launch)
                        await self._send_outbox()
            except (ConnectionError, RuntimeError):  # aiohttp raises both for a closing link
                return

    async def _send_outbox(self) -> None:
        while self._outbox:
            frame, _ = next_frame(self._outbox, self._unsendable)
            async with asyncio.timeout(TAKEN_S + len(frame) / _TAKEN_BYTES_PER_S):
                await self._ws.send_bytes(frame)

    def _unsendable(self, message: object, error: Exception) -> None:
        log.error(
            "message-unsendable",
            agent_id=self.agent_id,
            kind=type(message).__name__,
            job_id=getattr(message, "job_id", None),
            error=str(error),
        )

    async def close(self, goodbye: link.Goodbye | None = None) -> None:
        if self.closed:
            return
        self.closed = True
        for future in self._calls.values():
            if not future.done():
                future.set_exception(NodeUnreachable("the link to the node's agent broke"))
        self._less_unacknowledged.set()
        if goodbye and not self._ws.closed:
            self.send(goodbye)
            try:
                await self._send_outbox()
            except (ConnectionError, RuntimeError, TimeoutError):
                return
        await self._ws.close()
