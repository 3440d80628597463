"""Shepherds: starting them, keeping idle ones at hand, and talking to them."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import msgspec
import structlog

from rmsd_agent.shepherd.standalone.unit_spec import UnitSpec
from rmsd_agent.state.records import UnitStatus
from rmsd_agent.state.state_dir import AgentStateDir
from rmsd_agent.units.nursery import Nursery
from rmsd_agent.units.shepherd_lines import (
    Ended,
    Here,
    Message,
    Refused,
    Started,
    Unable,
    shepherd_line,
)
from rmsd_core.vocabulary import Cause
from rmsd_wire.malformed import MALFORMED

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_SPARE_DELAY_S = 0.05  # a spare must not compete with the job that made it necessary
_SPAWN_RETRY_S = 1.0
_MAX_LINE = 1 << 20  # bytes of what a shepherd says at once
_SURPLUS_S = 10.0  # surplus idle shepherds may stay so long: jobs come in bursts

_encoder = msgspec.json.Encoder()


class UnitEvents(Protocol):
    """The receiver of what becomes of units, by their names (directories below `jobs`)."""

    def unit_here(self, name: str, pid: int | None) -> None:
        """Tell that a shepherd has dialed in with a unit that we did not give to it."""

    def unit_started(self, name: str, pid: int) -> None: ...

    def unit_ended(self, name: str, status: UnitStatus) -> None: ...

    def unit_unable(self, name: str, message: str, *, suspect: bool) -> None:
        """Tell that a unit could not be started, and that no shepherd has it now. The unit is not
        to blame, unless it is `suspect`: a file of its user's may be the reason."""

    def unit_lost(self, name: str, shepherd: tuple[int, int]) -> None:
        """Tell that the link to the unit's shepherd broke, or that the shepherd found the unit
        claimed already."""


class ShepherdLink(asyncio.Protocol):
    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.unit: str | None = None
        self.process = (0, 0)  # pid, start_ticks
        self._transport: asyncio.Transport | None = None
        self._heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.pool.connected(self)

    def data_received(self, data: bytes) -> None:
        *lines, self._heard = (self._heard + data).split(b"\n")
        try:
            for line in lines:
                self.pool.heard(self, shepherd_line.decode(line))
        except (_OutOfPlace, *MALFORMED) as error:
            log.error("shepherd-malformed", pid=self.process[0], error=str(error))
            self.close()
        if len(self._heard) > _MAX_LINE:
            log.error("shepherd-malformed", pid=self.process[0], error="a line without end")
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self.pool.link_lost(self)

    def tell(self, **message: Any) -> None:
        if self._transport is not None:
            self._transport.write(_encoder.encode(message) + b"\n")

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


class _OutOfPlace(Exception):
    """A message that no shepherd can have for the agent now."""


class _Soon:
    """An action that happens `in_s` later, once, however often it is asked for until then."""

    def __init__(self, in_s: float, what: Callable[[], None]) -> None:
        self._in_s = in_s
        self._what = what
        self._due = False

    def ask(self) -> None:
        if not self._due:
            self._due = True
            asyncio.get_running_loop().call_later(self._in_s, self._do)

    def _do(self) -> None:
        self._due = False
        self._what()


class Pool:
    """The shepherds of an agent: one for every running unit, and idle ones. There is at least one
    idle shepherd, and at most about as many as there are processors."""

    def __init__(self, state: AgentStateDir) -> None:
        self._state = state
        processors = os.cpu_count() or 1
        self._max_idle = processors + 1  # full of one-core jobs, and one to spare
        self._max_starting = 2 * processors
        self._events: UnitEvents | None = None
        self._server: asyncio.Server | None = None
        self._connected: set[ShepherdLink] = set()
        # connected shepherds that have introduced themselves
        self._links: set[ShepherdLink] = set()
        self._idle: list[ShepherdLink] = []
        self._busy: dict[str, ShepherdLink] = {}
        self._waiting: deque[tuple[str, Callable[[], UnitSpec]]] = deque()
        self._spare = _Soon(_SPARE_DELAY_S, self._spawn_wanted)
        # One retry for all shepherds that failed: else each try would bring about several more.
        self._retry = _Soon(_SPAWN_RETRY_S, self._spawn_wanted)
        self._surplus = _Soon(_SURPLUS_S, self._trim)
        self._nursery = Nursery(state, self._retry.ask)
        self._closing = False

    @property
    def idle(self) -> int:
        """Return how many shepherds wait for a unit."""
        return len(self._idle)

    def tell(self, events: UnitEvents) -> None:
        """Tell `events` from now on what becomes of units."""
        self._events = events

    async def open(self, events: UnitEvents) -> None:
        """Listen for shepherds and start the first spare one."""
        self.tell(events)
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGCHLD, self._nursery.collect)
        _clear(self._state.control)
        self._server = await loop.create_unix_server(
            lambda: ShepherdLink(self),
            sock=_private_socket(self._state.control),
            # a server that is cancelled while it begins to listen must be closed
            start_serving=False,
        )
        await self._server.start_serving()
        self._spawn_wanted()

    async def close(self) -> None:
        """Let the idle shepherds go; the others go on by themselves."""
        self._closing = True
        # Later the loop would be closed when it tells of the idle ones' ends.
        asyncio.get_running_loop().remove_signal_handler(signal.SIGCHLD)
        for link in self._idle:
            link.tell(op="quit")
        for link in self._connected:
            link.close()
        self._nursery.close()
        if self._server is not None:
            self._server.close()
        for _ in range(5):  # transports close in the loop, also those of connections just accepted
            await asyncio.sleep(0)

    def run(self, name: str, make_spec: Callable[[], UnitSpec]) -> None:
        """Give a unit to a shepherd as soon as there is one; `make_spec` is called then."""
        if self._idle:
            self._assign(self._idle.pop(), name, make_spec())
        else:
            self._waiting.append((name, make_spec))
            self._spawn_up_to(len(self._waiting))
        self._spare_soon()

    def has(self, name: str) -> bool:
        """Return True if a shepherd with this unit is connected."""
        return name in self._busy

    def shepherd_of(self, name: str) -> tuple[int, int] | None:
        """Return the pid and the start of the connected shepherd that has a unit."""
        link = self._busy.get(name)
        return link.process if link is not None else None

    def withdraw(self, name: str) -> bool:
        """Take back a unit that no shepherd has been given. Return False if that is too late."""
        for item in self._waiting:
            if item[0] == name:
                self._waiting.remove(item)
                return True
        return False

    def stop(self, name: str, cause: Cause, grace_s: float | None = None) -> bool:
        """Have a unit ended, with its own grace (None) or another. Return False if its shepherd is
        not connected."""
        more = {} if grace_s is None else {"grace_s": grace_s}
        return self._send_to_busy(name, op="stop", cause=cause.value, **more)

    def set_limit(self, name: str, deadline_s: float | None, warn_at_s: list[float]) -> bool:
        """Give a unit another deadline, and its signal ahead of that another time. Return False if
        its shepherd is not connected."""
        return self._send_to_busy(name, op="limit", deadline_s=deadline_s, warn_at_s=warn_at_s)

    def suspend(self, name: str, *, suspended: bool) -> bool:
        """Have the processes of a unit stopped, or let go on. Return False if its shepherd is not
        connected."""
        return self._send_to_busy(name, op="suspend", suspended=suspended)

    def signal(self, name: str, number: int, whom: str = "every") -> bool:
        """Have a signal sent to `every` process of a unit, to its `main` process alone, or to `all`
        but those that pass signals on. Return False if that is impossible now."""
        more = {} if whom == "every" else {"whom": whom}
        return self._send_to_busy(name, op="signal", signal=number, **more)

    def _send_to_busy(self, name: str, **message: Any) -> bool:
        link = self._busy.get(name)
        if link is not None:
            link.tell(**message)
        return link is not None

    # ------------------------------------------------------------ what shepherds say

    def connected(self, link: ShepherdLink) -> None:
        """Expect the first word of a shepherd; one that connects while the agent leaves finds the
        next agent later."""
        self._connected.add(link)
        if self._closing:
            link.close()

    def heard(self, link: ShepherdLink, message: Message) -> None:
        """Do what a shepherd's message says. Raises _OutOfPlace: it cannot be meant."""
        assert self._events is not None
        if not self._fits(link, message):
            raise _OutOfPlace(f"'{message.__struct_config__.tag}' of unit {message.unit}")
        match message:
            case Here():
                self._links.add(link)
                link.process = message.shepherd
                self._nursery.arrived(message.shepherd[0])
                if message.unit is None:
                    self._free(link)
                else:
                    self._take(link, message.unit)
                    self._events.unit_here(message.unit, message.pid)
                self._spawn_up_to(len(self._waiting))
                self._spare_soon()
            case Started():
                self._events.unit_started(message.unit, message.pid)
            case Ended():
                # A shepherd that had a unit without us is idle when it tells the unit's end.
                was_busy = link.unit == message.unit
                if was_busy:
                    self._release(link)
                self._events.unit_ended(message.unit, message.status)
                if was_busy:
                    self._free(link)
            case Refused():
                self._release(link)
                self._events.unit_lost(message.unit, link.process)
                self._free(link)
            case Unable():
                self._release(link)
                self._events.unit_unable(message.unit, message.message, suspect=message.suspect)
                self._free(link)

    def _fits(self, link: ShepherdLink, message: Message) -> bool:
        """Return True if a shepherd that is as we know it can say this."""
        match message:
            case Here():
                return link not in self._links and message.unit not in self._busy
            case Ended():  # also for a unit that ended while the shepherd was without an agent
                return link in self._links
            case _:
                return message.unit == link.unit

    def link_lost(self, link: ShepherdLink) -> None:
        self._connected.discard(link)
        self._links.discard(link)
        if link in self._idle:
            self._idle.remove(link)
            self._spare_soon()
        unit = link.unit
        if unit is not None and not self._closing:
            assert self._events is not None
            self._release(link)
            self._events.unit_lost(unit, link.process)

    def _take(self, link: ShepherdLink, name: str) -> None:
        link.unit = name
        self._busy[name] = link

    def _release(self, link: ShepherdLink) -> None:
        if link.unit is not None:
            self._busy.pop(link.unit, None)
            link.unit = None

    def _assign(self, link: ShepherdLink, name: str, spec: UnitSpec) -> None:
        self._take(link, name)
        link.tell(op="run", unit=name, **spec.fields())

    def _free(self, link: ShepherdLink) -> None:
        if self._waiting:
            name, make_spec = self._waiting.popleft()
            self._assign(link, name, make_spec())
        else:
            self._idle.append(link)
            if len(self._idle) > self._max_idle:
                self._surplus.ask()

    def _trim(self) -> None:
        """Let the surplus of idle shepherds go, the longest idle first."""
        while len(self._idle) > self._max_idle:
            self._idle.pop(0).tell(op="quit")

    # ------------------------------------------------------------ starting shepherds

    def _spare_soon(self) -> None:
        if not self._idle:
            self._spare.ask()

    def _spawn_wanted(self) -> None:
        self._spawn_up_to(len(self._waiting) + (0 if self._idle else 1))

    def _spawn_up_to(self, wanted: int) -> None:
        """Start shepherds until so many are on their way, but never more than can start at once
        with profit."""
        if not self._closing:
            for _ in range(min(wanted, self._max_starting) - self._nursery.awaited):
                if not self._nursery.ask():
                    self._retry.ask()
                    return


def _private_socket(path: Path) -> socket.socket:
    """Return a socket at `path` that does not listen yet, so that no other account can ever
    connect, whatever the umask.

    Raises:
        OSError: it cannot be made.
    """
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.bind(str(path))
        path.chmod(0o600)
    except OSError:
        sock.close()
        raise
    return sock


def _clear(path: Path) -> None:
    """Remove the socket of an earlier agent, or whatever damage has put in its place."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
