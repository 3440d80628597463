"""A process that outlives its program, and cancels the program's job if that was killed.

A program that holds a job's nodes, as ralloc or srun, ends the job itself however it ends: but for
SIGKILL, which nobody hears. Such a job would wait for its nodes, and hold them until its limit, for
nobody.
"""

from __future__ import annotations

import contextlib
import os
import signal

from rmsd_client.errors import ClientError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rmsd_client.api import Client

_RETRY_S = 60.0
"""The longest wait for a daemon that is away, until the job is left to its limit."""
_ALIVE = b"."
_DEAF_TO = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def guarded(connect: Callable[[], Client], number: int) -> Iterator[None]:
    """Have the job `number` cancelled if this process is killed amid the block, by a client that
    `connect` makes then. No thread may run when the block begins. Where no process or file can be
    made, the block goes on without a guardian: the job is there already."""
    signal.signal(
        signal.SIGCHLD, signal.SIG_DFL
    )  # ignored, it would leave no exit code to wait for
    try:
        guardian, writing = _begun(connect, number)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(BrokenPipeError):  # the guardian was ended by somebody
            os.write(writing, _ALIVE)
        os.close(writing)
        os.waitpid(guardian, 0)


def _begun(connect: Callable[[], Client], number: int) -> tuple[int, int]:
    """Begin a guardian; returns its process, and the end of the pipe that it listens to. Raises
    OSError."""
    reading, writing = os.pipe()
    try:
        if not (guardian := os.fork()):
            try:
                os.close(writing)
                _guard(reading, connect, number)
            finally:
                os._exit(0)
    except OSError:
        os.close(writing)
        raise
    finally:
        os.close(reading)
    return guardian, writing


def _guard(reading: int, connect: Callable[[], Client], number: int) -> None:
    """Wait until the program says that it ends, or is gone. Hold nothing of the program's
    meanwhile: whoever reads its output waits for the end of that."""
    os.setsid()
    for deaf_to in _DEAF_TO:
        signal.signal(deaf_to, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    pipe = os.dup2(reading, 3)
    os.closerange(pipe + 1, os.sysconf("SC_OPEN_MAX"))
    if os.read(pipe, 1) == _ALIVE:
        return
    with contextlib.suppress(ClientError), connect() as client:
        client.retry_for_s = _RETRY_S
        client.cancel(number)
