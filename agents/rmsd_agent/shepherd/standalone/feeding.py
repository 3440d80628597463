"""The way of a task's input: from the agent over a socket to a process of the user's, and from that
process through a pipe to the task.

A reader of a pipe holds the pipe's lock while it copies into its memory, and that memory may be of
a file system that does not answer. A process that writes to, closes or opens the pipe then waits in
the kernel and cannot be killed. So no process that serves several users has an end of such a pipe.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_COPIERS = ("/bin/cat", "/usr/bin/cat")
"""The program that passes an input on."""


@contextlib.contextmanager
def short_path(path: str | os.PathLike[str]) -> Iterator[str]:
    """Give a name of a socket that is short enough for an address, whatever its directory is."""
    directory, name = os.path.split(path)
    fd = os.open(directory, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{fd}/{name}"
    finally:
        os.close(fd)


def connect(path: str) -> socket.socket | None:
    """Return a connection to the agent, None if the agent that had an input is gone: the input is
    empty then. Nothing can be sent over it: a close of a socket also closes the files that were
    sent to it and not received, and that may take for ever. Raises OSError."""
    connected = socket.socket(socket.AF_UNIX)
    try:
        with short_path(path) as address:
            connected.connect(address)
        connected.shutdown(socket.SHUT_WR)  # the user has this end soon
    except OSError as error:
        connected.close()
        if isinstance(error, ConnectionRefusedError):
            return None
        raise
    return connected


def pass_on(
    source: socket.socket, owner: int, become: Callable[[], None], env: dict[str, str]
) -> int:
    """Have a process pass on what comes from `source`, and return the end of a pipe to read.

    That process is no child of the caller's, whose program may wait for all of its children.
    `become` makes the calling process one of the user's, whose id is `owner`; `env` is its
    environment. Raises OSError.
    """
    reader, writer = os.pipe()
    os.fchown(reader, owner, -1)  # the task may open its /dev/stdin again
    child = os.fork()
    if child == 0:
        try:
            if os.fork() == 0:
                _copy(source, writer, become, env)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    source.close()
    return reader


def _copy(
    source: socket.socket, writer: int, become: Callable[[], None], env: dict[str, str]
) -> None:
    """Become the process that copies. Signals are the task's; this process ends with the input, or
    is killed with what the task leaves behind."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for number, fd in enumerate((source.fileno(), writer, nothing)):
        os.dup2(fd, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.chdir("/")
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    become()
    for program in _COPIERS:
        with contextlib.suppress(FileNotFoundError):
            os.execve(program, [program], env)
