"""Reading output files, some of which are users' and may be anywhere."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path

from rmsd_agent.machine.users import Users
from rmsd_agent.machine.workers import Worker
from rmsd_agent.shepherd.standalone import accounts, user_paths
from rmsd_agent.shepherd.standalone.accounts import ActingAs

MAX_READS = 64
MAX_READS_OF_A_USER = 8
"""The most reads of a user's that are under way, or whose answer is not sent yet."""
PATIENCE_S = 5.0
"""The time that a further read waits for one of a user's reads to be done, when all of them are in
progress."""

Part = tuple[bytes, int]
"""Bytes of a file, and the size of the file. Until the end, a file may yet appear: it is empty, as
is anything but a regular file (/dev/null, a FIFO)."""


class TooManyReads(Exception):
    """No more reads of users' files may begin: too many wait for a file system."""


class Reader:
    """Reads files in threads. A thread hangs with the file system that it reads. Each read of a
    user's file therefore has a worker of its own, and the workers of each user are limited.

    Raises, like all here:
        OSError: the file cannot be read.
        RuntimeError: no thread can be started now.
    """

    def __init__(self, users: Users) -> None:
        self._users = users
        self._slots: dict[str, asyncio.Semaphore] = {}  # key: user
        self._workers = asyncio.Semaphore(MAX_READS)

    def read(
        self, user: str, path: Path, offset: int, limit: int, *, over: bool
    ) -> AbstractAsyncContextManager[Part]:
        """Read a part of a file of the agent's own, for a job of a user."""
        call = partial(read_window, path, offset, limit, over)
        return self._read(user, path, partial(_in_our_threads, call))

    def read_as(
        self, user: str, path: Path, offset: int, limit: int, *, over: bool
    ) -> AbstractAsyncContextManager[Part]:
        """Read a part of a file with the rights of a user.

        Raises:
            AccountError, UserRefused: nothing is done here as this user.
            TooManyReads: see there.
        """
        call = partial(self._read_as, user, path, offset, limit, over)
        return self._read(user, path, partial(self._in_worker, path, call))

    @asynccontextmanager
    async def _read(
        self, user: str, path: Path, begin: Callable[[], Awaitable[asyncio.Future[Part]]]
    ) -> AsyncIterator[Part]:
        """Begin a read, and count it as the user's until it is done and this context is left."""
        slots = self._slots.setdefault(user, asyncio.Semaphore(MAX_READS_OF_A_USER))
        await _acquire(slots, MAX_READS_OF_A_USER, path)
        try:
            reading = await begin()
        except BaseException:
            slots.release()
            raise
        try:
            yield await asyncio.shield(reading)  # a caller that gives up leaves the thread alone
        finally:
            reading.add_done_callback(partial(_done, slots))  # at once if the thread is done

    async def _in_worker(self, path: Path, call: Callable[[], Part]) -> asyncio.Future[Part]:
        await _acquire(self._workers, MAX_READS, path)
        try:
            worker = Worker()
        except RuntimeError:
            self._workers.release()
            raise
        reading = asyncio.wrap_future(worker.call(call))
        worker.end()
        reading.add_done_callback(partial(_done, self._workers))
        return reading

    def _read_as(self, user: str, path: Path, offset: int, limit: int, over: bool) -> Part:
        name = self._users.runs_as(user)
        with ActingAs(None if name is None else accounts.find(name, self._users.allow_root)):
            return read_window(path, offset, limit, over)


async def _in_our_threads(call: Callable[[], Part]) -> asyncio.Future[Part]:
    return asyncio.get_running_loop().run_in_executor(None, call)


async def _acquire(slots: asyncio.Semaphore, count: int, path: Path) -> None:
    try:
        await asyncio.wait_for(slots.acquire(), PATIENCE_S)
    except TimeoutError:
        raise TooManyReads(f"{path}: {count} reads before it are not done yet") from None


def _done(slots: asyncio.Semaphore, reading: asyncio.Future[Part]) -> None:
    slots.release()
    if not reading.cancelled():
        reading.exception()  # mark the error as seen: the caller may be gone


def read_window(path: Path, offset: int, limit: int, over: bool) -> Part:
    try:
        fd = user_paths.open_regular(str(path))
    except FileNotFoundError:
        if over:
            raise
        return b"", 0
    if fd is None:
        return b"", 0
    try:
        size = os.fstat(fd).st_size
        return os.pread(fd, max(0, min(limit, size - offset)), offset), size
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        os.close(fd)
