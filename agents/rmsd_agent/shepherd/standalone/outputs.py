"""The output files of a unit: opening them, keeping earlier ones, measuring them."""

from __future__ import annotations

import _thread
import errno
import os
import stat

from . import faults, user_paths
from .user_paths import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .accounts import Account

NODES_FAULT = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})
"""The errors for which a job cannot be started without any fault of its own."""
_JOBS_FAULT = frozenset({errno.EPERM, errno.EISDIR, errno.ENAMETOOLONG, errno.ENXIO})
"""The errors of a path that is no file's: a device, a directory, a FIFO without a reader."""
_HARMLESS_DEVICES = {os.makedev(1, minor) for minor in (3, 5, 7)}
"""The device numbers of /dev/null, /dev/zero and /dev/full."""
ANSWERED_WITHIN_S = 0.05
"""The time to wait for a look at files. A file system that answers at all has mostly done so by
then; otherwise the next look tells."""
_BLOCK = 512  # bytes, whatever a file system's own blocks are: stat(2)
_AHEAD = 4
"""A growing file may have so many times the blocks that its size needs: XFS lays them in."""


class LaunchError(Exception):
    """The unit cannot be started; the message names the path and the reason, and `fault` says
    whose fault it is (`faults`)."""

    def __init__(self, message: str, fault: str = faults.UNKNOWN) -> None:
        super().__init__(message)
        self.fault = fault


class NodeError(Exception):
    """This machine can start nothing now; the message says why.

    `suspect` is set if the machine can do the same with a file of its own. Then the reason may be
    the user's file: a file system of a user's answers whatever it likes.
    """

    def __init__(self, message: str, suspect: bool = False) -> None:
        super().__init__(message)
        self.suspect = suspect


def keep(path: str, keep_as: str) -> None:
    """Rename what an earlier attempt has written, if it has written anything.

    To be called with the user's rights, as `open_output`.
    """
    if not keep_as:
        return
    try:
        with Place(path) as place:
            if stat.S_ISREG(place.info.st_mode) and place.info.st_size:
                at = place.directory_fd
                os.replace(place.name, place.name + keep_as, src_dir_fd=at, dst_dir_fd=at)
    except FileNotFoundError:
        return
    except OSError as error:
        raise LaunchError(
            f"output file {path} cannot be kept as {path}{keep_as}: {error.strerror}"
        ) from None


def open_output(path: str, append: bool = False, umask: int | None = None) -> int:
    """Open a file for writing, empty or, with `append`, as it is; create it if it is not there, by
    `umask` (None: by that of this process).

    Raises:
        LaunchError: It is nothing that the user may write to, or a device that has effects.
        NodeError: This machine can open no file now.
    """
    own = None if umask is None else os.umask(umask)
    try:
        return _open_output(path, os.O_APPEND if append else os.O_TRUNC)
    except OSError as error:
        raise _not_opened(f"output file {path}: {error.strerror}", error.errno) from None
    finally:
        if own is not None:
            os.umask(own)


def _not_opened(message: str, number: int | None) -> LaunchError | NodeError:
    """Return the error for a user's file that could not be opened, by the number of the system's
    error. EAGAIN is a lease (fcntl(2)) of the user's: waiting for it would hold the node."""
    if number in NODES_FAULT - {errno.EAGAIN}:
        return NodeError(message, _can_open())
    return LaunchError(message, faults.JOB if number in _JOBS_FAULT else faults.UNKNOWN)


def _can_open() -> bool:
    """Return True if this machine can open a file now."""
    try:
        os.close(os.open(os.devnull, os.O_WRONLY))
    except OSError:
        return False
    return True


def _open_output(path: str, how: int) -> int:
    """Look at what is there before it is opened, and at what was opened.

    The kernel opens it by its name, since O_CREAT guards users in directories where others write
    (fs.protected_regular and fs.protected_fifos of sysctl). What a user puts there between the two
    looks is opened with that user's rights, and no job gets it.
    """
    look_at(path)
    # Open without blocking: a FIFO without a reader would hold the shepherd up. The job's
    # descriptor blocks as usual.
    flags = os.O_WRONLY | os.O_CREAT | how | os.O_NOCTTY | os.O_NONBLOCK
    fd = os.open(path, flags, 0o666)
    try:
        _refuse_device(os.fstat(fd))
        user_paths.check_opened(fd)
        os.set_blocking(fd, True)
    except OSError:
        os.close(fd)
        raise
    return fd


def open_input(path: str) -> int:
    """Open a file for reading; an empty `path` is an empty file.

    To be called with the user's rights, as `open_output`.

    Raises:
        LaunchError: It is no regular file that the user may read.
        NodeError: This machine can open no file now.
    """
    if not path:
        return os.open(os.devnull, os.O_RDONLY)
    try:
        fd = user_paths.open_regular(path)
    except OSError as error:
        raise _not_opened(f"input file {path}: {error.strerror}", error.errno) from None
    if fd is None:
        if path == os.devnull:
            return os.open(os.devnull, os.O_RDONLY)
        raise LaunchError(f"input file {path}: it is no regular file", faults.JOB)
    return fd


def look_at(path: str) -> None:
    try:
        with Place(path) as place:
            _refuse_device(place.info)
    except FileNotFoundError:
        return  # the file is to be created


def _refuse_device(info: os.stat_result) -> None:
    harmless = stat.S_ISCHR(info.st_mode) and info.st_rdev in _HARMLESS_DEVICES
    if (stat.S_ISCHR(info.st_mode) or stat.S_ISBLK(info.st_mode)) and not harmless:
        raise PermissionError(
            errno.EPERM, "it is a device; output goes to /dev/null, /dev/zero and /dev/full alone"
        )


def open_own(path: str, account: Account | None) -> int:
    """Open a file in the unit's directory, where no other account can put anything."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        if account is not None:
            os.fchown(fd, account.uid, account.gid)  # the job may open its /dev/stdout again
    except OSError as error:
        raise NodeError(f"output file {path}: {error.strerror}") from None
    return fd


def close(fds: list[int]) -> None:
    """Close descriptors of a user's files, whatever their file system answers to that.

    A network file system tells then that others could not write (EIO, EDQUOT). The descriptor is
    closed nevertheless, and what was written is the user's to look at.
    """
    for fd in fds:
        try:
            os.close(fd)
        except OSError:
            continue


class Quota:
    """The limit on what a unit may write to its output files, and to its script, beyond what was in
    them when the unit began.

    The files are known by descriptors, so that no name leads elsewhere. A job that shares a file
    with others is held for what they write, too. Threads look at the files, since a file system may
    not answer while the shepherd has limits and stops to keep. (`threading` would cost every
    shepherd a millisecond at its start.)
    """

    def __init__(self, fds: list[int], sizes: list[int], max_bytes: int) -> None:
        self.fds = fds
        self.sizes = sizes  # when the unit began
        self._max_bytes = max_bytes
        self._written = 0  # at the latest look that has come back
        self._looking = False
        self._looked = _thread.allocate_lock()
        self._looked.acquire()

    @classmethod
    def of(cls, fds: list[int], script: str | None, max_bytes: int) -> Quota | None:
        """Return the quota for the regular files among these descriptors, and for the script in the
        unit's directory if there is one. Return None if there is nothing to watch."""
        if not max_bytes:
            return None
        files: list[int] = []
        try:
            if script is not None:
                files.append(os.open(script, os.O_PATH | os.O_NOFOLLOW))
            for fd in fds:
                if stat.S_ISREG(os.fstat(fd).st_mode):
                    files.append(os.dup(fd))
            return cls(files, list(map(_size, files)), max_bytes) if files else None
        except OSError:
            close(files)
            raise

    def excess(self) -> str:
        """Return what is too much, in words; empty if nothing is.

        While a file system does not answer, that is what was known before.
        """
        if not self._looking:
            self._looking = True
            in_a_thread(self._look)
        if self._looked.acquire(timeout=ANSWERED_WITHIN_S):
            self._looking = False
        if self._written <= self._max_bytes:
            return ""
        return f"it wrote {self._written} bytes to its output files; {self._max_bytes} are allowed"

    def close(self) -> None:
        """Let the files go. Closing them may wait for their file system as well."""
        in_a_thread(lambda: close(self.fds))

    def _look(self) -> None:
        sizes = zip(self.fds, self.sizes, strict=True)
        self._written = sum(max(0, _size(fd) - before) for fd, before in sizes)
        self._looked.release()


def quota_of(fds: list[int], script: str | None, max_bytes: int) -> Quota | None:
    """Return what a unit may write, see `Quota.of`.

    Raises:
        LaunchError: A file of the user's cannot be looked at.
        NodeError: This machine can open no file now.
    """
    try:
        return Quota.of(fds, script, max_bytes)
    except OSError as error:
        if error.errno in NODES_FAULT:
            raise NodeError(f"output files: {error.strerror}", _can_open()) from None
        raise LaunchError(f"output files: {error.strerror}") from None


def in_a_thread(call: Callable[[], None]) -> None:
    """Make a call that may wait for a file system."""
    try:
        _thread.start_new_thread(call, ())
    except RuntimeError:  # the machine can start no thread now
        call()


def _size(fd: int) -> int:
    """Return the bytes of a file. Bytes beyond its end that were asked for (fallocate(2)) count,
    unless the file system may have laid them in by itself.

    A file that is not known any more has none. A network file system says no more than that
    (ESTALE) of a file that was removed elsewhere.
    """
    try:
        found = os.fstat(fd)
    except OSError:
        return 0
    return max(found.st_size, found.st_blocks * _BLOCK // _AHEAD)
