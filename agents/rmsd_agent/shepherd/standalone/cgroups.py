"""One cgroup (version 2): being in it, the processes in it, ending them, what the kernel counts
there.

Paths are directories of the cgroup file system.
"""

from __future__ import annotations

import errno
import os

from . import kernel_files

_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""The errors upon opening a file that do not tell whether the file exists."""


def enter(path: str) -> None:
    """Move the calling process into a cgroup. What it starts from then on begins there.

    Raises:
        OSError: it may not, or there is no such cgroup.
    """
    kernel_files.write(f"{path}/cgroup.procs", "0")


def members(path: str) -> set[int]:
    """Return the pids of all processes in a cgroup and below it, none if there is no such cgroup.

    Raises:
        OSError: no file can be opened now, so that nothing is known of them.
    """
    pids: set[int] = set()
    for directory, _, _ in os.walk(path, onerror=_unless_gone):
        try:
            pids.update(map(int, kernel_files.read(f"{directory}/cgroup.procs").split()))
        except OSError as error:
            _unless_gone(error)
    return pids


def kill(path: str) -> bool:
    """Send SIGKILL to all processes in a cgroup and below it at one instant, so that none forks
    away. Return False if this kernel cannot (before 5.14), or if there is no such cgroup."""
    try:
        kernel_files.write(f"{path}/cgroup.kill", "1")
    except OSError:
        return False
    return True


def exceeded_memory(path: str) -> bool:
    """Return True if the cgroup has a limit of memory, and the kernel has killed for it."""
    limited = _read(f"{path}/memory.max").strip() not in ("", "max")
    return limited and _field(f"{path}/memory.events", "oom_kill") > 0


def make(path: str) -> None:
    """Make a cgroup unless it exists.

    Raises:
        OSError: it cannot be made.
    """
    try:
        os.mkdir(path)
    except FileExistsError:
        return


def remove(path: str) -> bool:
    """Remove a cgroup with all that is below it. Return False while processes are in it."""
    for directory, _, _ in os.walk(path, topdown=False):
        try:
            os.rmdir(directory)
        except FileNotFoundError:
            continue
        except OSError as error:
            if error.errno == errno.EBUSY:
                return False
            raise
    return True


def _unless_gone(error: OSError) -> None:
    if error.errno in _EXHAUSTED:
        raise error


def _field(path: str, name: str) -> int:
    for line in _read(path).splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0


def _read(path: str) -> str:
    try:
        return kernel_files.read(path)
    except OSError:  # gone, or this controller is not there
        return ""
