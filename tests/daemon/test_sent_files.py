"""Files that are sent over the daemon's Unix socket keep no other caller waiting."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rmsd_daemon.callers import sent_files
from rmsd_daemon.callers.sockets import private_socket
from tests.waiting import DEADLINE_S

LINGER_S = 2 * int(DEADLINE_S)


class Echo(asyncio.Protocol):
    """A server that sends back what it gets."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.transport.write(data)


@contextlib.contextmanager
def lingering() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Yield a socket whose last close takes as long as its owner has said, and its other end."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        sock = socket.create_connection(server.getsockname())
        other, _ = server.accept()
    with sock, other:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, LINGER_S))
        sock.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                sock.send(bytes(1 << 16))
        yield sock, other


def end_of(sock: socket.socket) -> bytes:
    """Read up to the end, which comes when nobody has the other end open any more."""
    sock.settimeout(DEADLINE_S)
    while sock.recv(1 << 20):
        pass
    return b""


async def echoed(path: Path) -> bytes:
    """Ask from a thread of its own, which does not wait for the server longer than that."""
    return await asyncio.to_thread(_echoed, str(path))


def _echoed(path: str) -> bytes:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(DEADLINE_S)
        caller.connect(path)
        caller.sendall(b"hello")
        return caller.recv(5)


@pytest.mark.parametrize("kernel_refuses", [True, False])
@pytest.mark.parametrize("is_read", [True, False])
async def test_files_that_are_sent_keep_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, kernel_refuses: bool, is_read: bool
) -> None:
    """The daemon closed the files of a caller, and waited for that."""
    if not kernel_refuses:  # an earlier kernel does not know the option
        monkeypatch.setattr(sent_files, "SO_PASSRIGHTS", 9999)
    path = tmp_path / "s"
    loop = asyncio.get_running_loop()
    made: list[Echo] = []

    def protocol() -> Echo:
        made.append(Echo())
        return made[-1]

    server = await loop.create_unix_server(protocol, sock=private_socket(path))
    with lingering() as (sock, other), socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(path))
        await echoed(path)  # the caller's connection is accepted by now
        if not is_read:
            made[0].transport.pause_reading()
        try:
            socket.send_fds(caller, [b"x"], [sock.fileno()])
        except PermissionError:  # the kernel refuses, and this close would be the last one
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 0, 0))
        sock.close()
        if not is_read:
            made[0].transport.abort()
        for _ in range(3):
            assert await echoed(path) == b"hello"
        assert await asyncio.to_thread(end_of, other) == b""
    server.close()


@pytest.mark.slow
def test_a_connection_with_files_is_closed_while_the_close_of_another_takes_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The daemon waited until the process had ended that closed the files of the first one."""
    begun, may_end = threading.Event(), threading.Event()

    class Holder(subprocess.Popen[bytes]):
        def communicate(self, *_: Any, **__: Any) -> Any:
            begun.set()
            assert may_end.wait(DEADLINE_S)
            return super().communicate()

    monkeypatch.setattr(subprocess, "Popen", Holder)
    closer = sent_files.Closer()
    first, its_peer = socket.socketpair()
    second, peer = socket.socketpair()
    with its_peer, peer:
        closer.close(first.detach())
        assert begun.wait(DEADLINE_S)
        closing = threading.Thread(target=closer.close, args=[second.detach()])
        closing.start()
        closing.join(DEADLINE_S / 2)
        is_closed = not closing.is_alive()
        may_end.set()
        assert is_closed
        assert end_of(its_peer) == b""
        assert end_of(peer) == b""


async def test_without_files_a_connection_is_as_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sent_files, "SO_PASSRIGHTS", 9999)
    path = tmp_path / "s"
    server = await asyncio.start_unix_server(answer_length, sock=private_socket(path))
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(bytes(3 << 20))
    writer.write_eof()
    assert await asyncio.wait_for(reader.read(), DEADLINE_S) == b"%d" % (3 << 20)
    writer.close()
    server.close()


async def answer_length(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"%d" % len(await reader.read()))
    writer.close()
