"""Files that callers send over a Unix socket (SCM_RIGHTS): the daemon takes none.

A process that reads past such files, or closes a socket with some on the way, closes them if no
other has them open. The close of a TCP socket that lingers (SO_LINGER) takes as long as its owner
has said, and that of a large memfd some time, too. In the event loop all callers would wait.

Since Linux 6.16 a socket can refuse files. An earlier kernel tells that some have come. Such a
connection is then closed by a process that ends: the kernel lets no socket linger for that one.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import Any

SO_PASSRIGHTS = 83
"""The option of `asm-generic/socket.h`, which Python does not name."""
_TOGETHER_S = 1.0
"""The time for which such connections are collected: a process closes all of them."""
_AT_ONCE = 1 << 16


def without_files(sock: socket.socket) -> socket.socket:
    """Return a socket in place of this one, not yet listening, whose connections bring no files."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, SO_PASSRIGHTS, 0)
    except OSError:
        return _Listener(sock.family, sock.type, sock.proto, sock.detach())
    return sock


class _Listener(socket.socket):
    def accept(self) -> tuple[socket.socket, Any]:
        fd, address = self._accept()  # type: ignore[attr-defined]
        return _Connection(self.family, self.type, self.proto, fd), address


class _Connection(socket.socket):
    """A connection that ends when files come, and is closed without a wait for them."""

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Receive as `socket.recv` does. Raises ConnectionAbortedError if there are files."""
        coming, has_files = self._coming(size)
        if has_files:
            raise ConnectionAbortedError("files were sent")
        return super().recv(len(coming), flags) if coming else b""

    def close(self) -> None:
        if self.fileno() < 0 or not self._keeps_files():
            super().close()
        else:
            _closer.close(self.detach())

    def _keeps_files(self) -> bool:
        """Return whether files have come. No more come after that."""
        with contextlib.suppress(OSError):
            self.shutdown(socket.SHUT_RD)
            while True:
                coming, has_files = self._coming(_AT_ONCE)
                if has_files or not coming:
                    return has_files
                super().recv(len(coming))
        return False

    def _coming(self, size: int) -> tuple[bytes, bool]:
        """Return what can be received next, and whether files come with that."""
        coming, _, told, _ = self.recvmsg(size, 0, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        return coming, bool(told & socket.MSG_CTRUNC)


class Closer:
    """Closes descriptors by processes that end, in a thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._collected: list[int] = []
        self._is_running = False

    def close(self, fd: int) -> None:
        """Have a descriptor closed soon. Returns at once."""
        with self._lock:
            self._collected.append(fd)
            if not self._is_running:
                with contextlib.suppress(RuntimeError):  # no thread now: the next call tries again
                    threading.Thread(target=self._close_all, daemon=True).start()
                    self._is_running = True

    def _close_all(self) -> None:
        """Close what is collected, until nothing is left. The lock is held for moments alone."""
        while True:
            time.sleep(_TOGETHER_S)
            with self._lock:
                fds = tuple(self._collected)
            with contextlib.suppress(OSError):  # no process can be started: try again
                holder = _holder_of(fds)
                with self._lock:
                    del self._collected[: len(fds)]
                for fd in fds:
                    os.close(fd)
                holder.communicate()  # ends its input, and waits for it
            with self._lock:
                if not self._collected:
                    self._is_running = False
                    return


def _holder_of(fds: Sequence[int]) -> subprocess.Popen[bytes]:
    """Start a process that has the descriptors open until its input ends. Raises OSError."""
    return subprocess.Popen(
        ["/bin/cat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=fds,
    )


_closer = Closer()
