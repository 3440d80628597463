"""Reading output files, some of which are users' and may be anywhere."""

from __future__ import annotations

import asyncio
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from rmsd_agent import accounts
from rmsd_agent.accounts import ActingAs
from rmsd_agent.users import Users

_MAX_READS = 64
_MAX_READS_OF_A_USER = 8
_PATIENCE_S = 5.0
"""For one of a user's reads to be done, when all are in progress."""

Part = tuple[bytes, int]
"""Bytes of a file, and the size of the file. Until the end, a file may yet appear: it is empty, as
is anything but a regular file (/dev/null, a FIFO)."""


class TooManyReads(Exception):
    """A user's files are being read as often as may be: their file system does not answer."""


class Reader:
    """Reads files in threads. Where a file system hangs, so does the thread: users have threads of
    their own, and each of them so many.

    Raises, like all here:
        OSError: the file cannot be read.
        RuntimeError: no thread can be started now.
    """

    def __init__(self, users: Users) -> None:
        self._users = users
        self._threads = ThreadPoolExecutor(_MAX_READS)
        self._slots: dict[str, asyncio.Semaphore] = {}  # by user

    async def read(self, path: Path, offset: int, limit: int, *, over: bool) -> Part:
        """A part of a file of ours."""
        call = partial(_read, path, offset, limit, over)
        return await asyncio.get_running_loop().run_in_executor(None, call)

    async def read_as(self, user: str, path: Path, offset: int, limit: int, *, over: bool) -> Part:
        """A part of a file that is read with the rights of a user.

        Raises:
            AccountError, UserRefused: nothing is done here as this user.
            TooManyReads: see there.
        """
        slots = self._slots.setdefault(user, asyncio.Semaphore(_MAX_READS_OF_A_USER))
        try:
            await asyncio.wait_for(slots.acquire(), _PATIENCE_S)
        except TimeoutError:
            count = _MAX_READS_OF_A_USER
            raise TooManyReads(f"{path}: {count} reads before it are not done yet") from None
        call = partial(self._read_as, user, path, offset, limit, over)
        try:
            reading = asyncio.get_running_loop().run_in_executor(self._threads, call)
        except RuntimeError:
            slots.release()
            raise
        reading.add_done_callback(partial(_done, slots))
        return await asyncio.shield(reading)  # who gives up leaves the thread where it is

    def _read_as(self, user: str, path: Path, offset: int, limit: int, over: bool) -> Part:
        name = self._users.runs_as(user)
        with ActingAs(None if name is None else accounts.find(name, self._users.allow_root)):
            return _read(path, offset, limit, over)


def _done(slots: asyncio.Semaphore, reading: asyncio.Future[Part]) -> None:
    slots.release()
    if not reading.cancelled():
        reading.exception()  # nobody may be left to hear of it


def _read(path: Path, offset: int, limit: int, over: bool) -> Part:
    try:
        fd = _open(path)
    except FileNotFoundError:
        if over:
            raise
        return b"", 0
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            return b"", 0
        # No further: files of /proc have no size, and would tell what the agent knows of itself.
        return os.pread(fd, max(0, min(limit, info.st_size - offset)), offset), info.st_size
    finally:
        os.close(fd)


def _open(path: Path) -> int:
    """Open a file where its links lead by what they say, step by step, and no link on the way.

    The kernel follows those in /proc/self/fd to what is open here, for whomever, without a look at
    the directories that it is in.
    """
    *directories, name = Path(os.path.realpath(path)).parts
    passing = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW
    at: int | None = None
    try:
        for directory in directories:
            before, at = at, os.open(directory, passing, dir_fd=at)
            if before is not None:
                os.close(before)
        return os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW, dir_fd=at)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        if at is not None:
            os.close(at)
