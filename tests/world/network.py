"""An in-memory network: bytes in order, late, cut off in the middle, or never.

A path is a Unix socket, at whose other end is the account of the daemon. `PORT` is the daemon's TCP
port; a process at another address reaches it as `PORT:ADDRESS`. Nothing is encrypted here.
"""

from __future__ import annotations

import asyncio
import os
import random
import socket
import struct
from collections.abc import Callable
from contextvars import Context, copy_context
from pathlib import Path
from typing import Any

from tests.world.loop import PROCESS, Process, VirtualLoop

PORT = "tcp"
_LATENCY_S = 0.002
_RESET = ConnectionResetError(104, "Connection reset by peer")


class _Socket:
    """The answer to the daemon's question whose process is at the other end of a socket."""

    def __init__(self, family: int) -> None:
        self.family = family

    def getsockopt(self, *_: int) -> bytes:
        return struct.pack("3i", os.getpid(), os.getuid(), os.getgid())

    def setsockopt(self, *_: int) -> None: ...

    def fileno(self) -> int:
        return -1


class End(asyncio.Transport):
    """One end of a connection."""

    peer: End

    def __init__(self, network: Network, context: Context, address: str) -> None:
        """Take a connection. address: that of the other end over TCP; "" is a Unix socket."""
        sock = _Socket(socket.AF_INET if address else socket.AF_UNIX)
        extra = {"socket": sock, "peername": (address, 1)} if address else {"socket": sock}
        super().__init__(extra)
        self._network = network
        self.context = context
        self.process: Process | None = context.get(PROCESS)
        self.protocol: Any = None
        self.closed = False  # True if this end has closed
        self.lost = False  # the protocol has been told
        self.stalled = False  # sent data go nowhere for now
        self._due_s = 0.0  # when what was sent last arrives
        self._paused = False
        self._held: list[bytes | None] = []
        self._unsent: list[bytes | None] = []

    # ------------------------------------------------------------ for the protocol

    def write(self, data: Any) -> None:
        if not self.closed and data:
            self._send(bytes(data))

    def writelines(self, list_of_data: Any) -> None:
        self.write(b"".join(list_of_data))

    def write_eof(self) -> None:
        """Do nothing: no process here looks at half-closed connections."""

    def can_write_eof(self) -> bool:
        return False

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self._send(None)
            self._tell_lost(None)

    def abort(self) -> None:
        self.close()

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        while self._held and not self._paused:
            self.receive(self._held.pop(0))

    def is_reading(self) -> bool:
        return not self._paused

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def set_protocol(self, protocol: Any) -> None:
        self.protocol = protocol

    def get_protocol(self) -> Any:
        return self.protocol

    # ------------------------------------------------------------ the wire

    def _send(self, data: bytes | None) -> None:
        network = self._network
        if self._unsent or self.stalled or network.is_cut(self, self.peer):
            self._unsent.append(data)  # a stream has no holes
            return
        self._due_s = max(self._due_s, network.loop.time() + network.latency_s())
        network.loop.call_at(self._due_s, self._arrive, data, context=self.peer.context)

    def _arrive(self, data: bytes | None) -> None:
        self.peer.receive(data)

    def receive(self, data: bytes | None) -> None:
        if self.closed:
            return
        if self._paused:
            self._held.append(data)
        elif data is None:
            self.closed = True
            self._tell_lost(None)
        else:
            self.protocol.data_received(data)

    def send_again(self) -> None:
        """Send what had no way before."""
        unsent, self._unsent = self._unsent, []
        for data in unsent:
            self._send(data)

    def arrive_after_all(self) -> None:
        """Deliver what was sent before this end gave up, and that it did."""
        self.stalled = False
        self.send_again()
        self._send(None)

    def reset(self) -> None:
        """Break the connection for this end."""
        if not self.closed:
            self.closed = True
            self._tell_lost(_RESET)

    def _tell_lost(self, error: Exception | None) -> None:
        if not self.lost:
            self.lost = True
            loop = self._network.loop
            loop.call_soon(self.protocol.connection_lost, error, context=self.context)


class Listener:
    """Stands in for `asyncio.Server`."""

    sockets: tuple[()] = ()

    def __init__(self, network: Network, path: str, factory: Callable[[], Any]) -> None:
        self.network, self.path, self.factory = network, path, factory
        self.context = copy_context()
        self.process = PROCESS.get()

    def close(self) -> None:
        if self.network.listeners.get(self.path) is self:
            del self.network.listeners[self.path]

    async def start_serving(self) -> None: ...

    async def wait_closed(self) -> None: ...

    def is_serving(self) -> bool:
        return self.network.listeners.get(self.path) is self


class Network:
    """The listeners and the open connections. `slow` multiplies delays on the way. `cut` are the
    processes that no other reaches, and that reach no other."""

    def __init__(self, loop: VirtualLoop, rng: random.Random) -> None:
        self.loop = loop
        self._rng = rng
        self.listeners: dict[str, Listener] = {}
        self.ends: list[End] = []
        self.slow = 1.0
        self.cut: set[Process] = set()
        loop.network = self

    def latency_s(self) -> float:
        return self._rng.random() * _LATENCY_S * self.slow

    def is_cut(self, one: End, other: End) -> bool:
        return one.process in self.cut or other.process in self.cut

    def listen(self, path: str, factory: Callable[[], Any]) -> Listener:
        if path != PORT:
            Path(path).touch()  # a socket is a file
        self.listeners[path] = listener = Listener(self, path, factory)
        return listener

    async def connect(self, path: str, factory: Callable[[], Any]) -> tuple[End, Any]:
        await asyncio.sleep(self.latency_s())
        path, _, address = path.partition(":")
        listener = self.listeners.get(path)
        if listener is None or PROCESS.get() in self.cut or listener.process in self.cut:
            raise ConnectionRefusedError(111, "Connection refused")
        near = End(self, copy_context(), address)
        far = End(self, listener.context.copy(), address)
        near.peer, far.peer = far, near
        self.ends = [end for end in self.ends if not end.closed]
        self.ends += near, far
        far.protocol = far.context.run(listener.factory)
        self.loop.call_soon(far.protocol.connection_made, far, context=far.context)
        near.protocol = factory()
        near.protocol.connection_made(near)
        await asyncio.sleep(0)
        return near, near.protocol

    # ------------------------------------------------------------ faults

    def break_one(self) -> None:
        """Break a connection; the two ends notice at different times."""
        if whole := [end for end in self.ends if not end.closed]:
            one = self._rng.choice(whole)
            for end in (one, one.peer):
                self.loop.call_later(self._rng.random() * 0.05, end.reset)

    def stall_one(self, given_up_s: float, on_its_way_s: float) -> None:
        """Let a connection carry nothing any more. After `given_up_s` one end takes it to be
        broken, and may dial again; after `on_its_way_s` the other end gets what was sent before."""
        if not (whole := [end for end in self.ends if not end.closed]):
            return
        one = self._rng.choice(whole)
        one.stalled = one.peer.stalled = True
        self.loop.call_later(given_up_s, one.reset)
        self.loop.call_later(on_its_way_s, one.arrive_after_all)

    def cut_off(self, process: Process) -> None:
        """Cut the process off: no message reaches it, and no side is told."""
        self.cut.add(process)

    def heal(self, process: Process) -> None:
        """Deliver what was not delivered, unless the connection has been given up meanwhile."""
        self.cut.discard(process)
        for end in self.ends:
            if process in (end.process, end.peer.process):
                if self._rng.random() < 0.5:
                    end.send_again()
                else:
                    end.reset()
                    end.peer.reset()

    def drop(self, name: str) -> None:
        """Drop what a process of this name has sent up to now."""
        for end in self.ends:
            if end.peer.process is not None and end.peer.process.name == name:
                end.reset()

    def death(self, process: Process) -> None:
        """Remove the ends and the listeners of a process that is gone."""
        for path, listener in list(self.listeners.items()):
            if listener.process is process:
                del self.listeners[path]
        for end in self.ends:
            if end.process is process and not end.closed:
                end.closed = end.lost = True
                self.loop.call_later(self.latency_s(), end.peer.reset)
