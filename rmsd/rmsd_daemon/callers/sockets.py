"""The daemon's Unix sockets: its own, which is private, and one that serves the whole machine."""

from __future__ import annotations

import fcntl
import os
import socket
import struct
from pathlib import Path

from rmsd_daemon.callers.sent_files import without_files

_CREDENTIALS = struct.Struct("3i")


class SocketError(Exception):
    """The socket cannot be made; the message says why and what to do."""


def private_socket(path: Path) -> socket.socket:
    """Return a bound socket, not yet listening, that is private from its first instant.

    The lock on the state directory ensures that no other daemon is behind a file of this name.

    Raises:
        SocketError: the socket cannot be made.
    """
    return _bound(path, 0o600)


def peer_uid(sock: socket.socket | None) -> int | None:
    """Return the uid of the account at the other end of a Unix socket; None for another socket."""
    if sock is None or sock.family != socket.AF_UNIX:
        return None
    raw = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, _ = _CREDENTIALS.unpack(raw)
    return int(uid)


class PublicSocket:
    """A socket that every account of this machine may open. It lies in a directory that root alone
    can change, so that no other account can put another socket in its place. One daemon at a time
    has it, until `close`.

    Raises:
        SocketError: the directory is not safe, another daemon serves the socket, or it cannot be
            made.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        _safe_directory(path.parent)
        try:
            self._lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise SocketError(f"{path}.lock: {error.strerror}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.socket = _bound(path, 0o666)
        except BlockingIOError:
            os.close(self._lock)
            raise SocketError(f"another daemon serves {path}; stop it, or give another") from None
        except SocketError:
            os.close(self._lock)
            raise

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._lock)


def _safe_directory(path: Path) -> None:
    try:
        if not path.exists():
            path.mkdir(mode=0o755)
            path.chmod(0o755)  # the umask does not matter
        found = path.stat()
    except OSError as error:
        raise SocketError(f"{path}: {error.strerror}") from error
    if found.st_uid != 0 or found.st_mode & 0o022:
        raise SocketError(
            f"{path} can be changed by others than root, who could replace the socket in it; "
            f"`chown root {path}; chmod 755 {path}`, or give another --socket"
        )
    if not found.st_mode & 0o001:
        raise SocketError(
            f"{path} is closed to others, who are to reach the socket in it; chmod 755"
        )


def _bound(path: Path, mode: int) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.unlink(missing_ok=True)
        sock.bind(str(path))
        path.chmod(mode)  # no client can connect before listen()
    except OSError as error:
        sock.close()
        raise SocketError(f"socket {path}: {error.strerror}") from error
    return without_files(sock)
