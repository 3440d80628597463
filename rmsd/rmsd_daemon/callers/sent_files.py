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


class _Closer:
    """Closes descriptors by a process that ends, in a thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._collected: list[int] = []

    def close(self, fd: int) -> None:
        with self._lock:
            self._collected.append(fd)
            if len(self._collected) == 1:
                threading.Thread(target=self._close_all, daemon=True).start()

    def _close_all(self) -> None:
        while True:
            time.sleep(_TOGETHER_S)
            with self._lock, contextlib.suppress(OSError):  # no process can be started: try again
                self._hand_over()
                return

    def _hand_over(self) -> None:
        """Have a process be the last to hold the descriptors. Raises OSError."""
        holder = subprocess.Popen(
            ["/bin/cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=self._collected,
        )
        for fd in self._collected:
            os.close(fd)
        self._collected = []
        holder.communicate()  # ends its input, and waits for it


_closer = _Closer()
