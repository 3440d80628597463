"""Files in memory that live as long as processes have them open: memfd_create(2), memfd_secret(2),
removed files of a tmpfs."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import islice

_BLOCK = 512  # bytes, whatever a file system's own blocks are: stat(2)
_BYTES_PER_KIB = 1024
MOST_FILES = 4096
"""Descriptors of a job that one look goes through, in some 50 ms: a job may have millions."""
_MEMFD_SECRET = 447
"""The number of memfd_secret(2), on every architecture that has it, which no library has."""
_LONGEST_S = 0.1
"""Processor time for the descriptors of a job. With each of them the kernel lists all locks of its
file, which takes 0.1 s for 20,000 locks."""


class MemoryFiles:
    """The files in memory of this machine, as one look of the guard needs them.

    A job's processes could have files of a file system that never answers. So a file is asked for
    its size only if the kernel says that it is of a mount known to be in memory.
    """

    @cached_property
    def most_kib(self) -> int:
        """Return the most that files in memory have together, with shared memory and swap. Pages of
        memfd_secret(2) are among those that the kernel cannot evict."""
        with open("/proc/meminfo", encoding="ascii") as file:
            kib = {name: int(rest.split()[0]) for name, _, rest in (x.partition(":") for x in file)}
        return kib["Shmem"] + kib["SwapTotal"] - kib["SwapFree"] + kib["Unevictable"]

    def held_kib(self, pids: Iterable[int]) -> int:
        """Return what is in files that some processes hold, each counted once.

        A process holds a file of its own user's that has no name and that it has open for writing.
        A file with a name stays when the process is gone. Descriptors beyond a number and a time
        are left out.
        """
        sizes: dict[tuple[int, int], int] = {}
        descriptors = ((pid, number) for pid in pids for number in _descriptors(pid))
        until_s = time.thread_time() + _LONGEST_S
        for pid, number in islice(descriptors, MOST_FILES):
            if time.thread_time() >= until_s:
                break
            try:
                found = self.held_file(pid, number)
            except OSError:  # closed by now, or not ours to look at
                continue
            if found is not None:
                # The kernel counts no blocks of a secret file.
                used = found.st_size if _is_secret(found) else found.st_blocks * _BLOCK
                sizes[found.st_dev, found.st_ino] = used // _BYTES_PER_KIB
        return sum(sizes.values())

    def held_file(self, pid: int, descriptor: str) -> os.stat_result | None:
        """Return the file in memory that a process holds by a descriptor, None if there is none."""
        path = f"/proc/{pid}/fd/{descriptor}"
        if not os.readlink(path).startswith("/"):  # a socket, a pipe
            return None
        flags, mount = _flags_and_mount(f"/proc/{pid}/fdinfo/{descriptor}")
        if flags & os.O_ACCMODE == os.O_RDONLY or mount not in self._mounts:
            return None
        held = os.open(path, os.O_PATH)  # asks the file nothing
        try:
            # The descriptor may be another file's now.
            if _flags_and_mount(f"/proc/self/fdinfo/{held}")[1] not in self._mounts:
                return None
            found = os.fstat(held)
        finally:
            os.close(held)
        owned = found.st_uid == os.stat(f"/proc/{pid}").st_uid
        return found if owned and (found.st_nlink == 0 or _is_secret(found)) else None

    @cached_property
    def _mounts(self) -> set[int]:
        """Return the ids of all mounts whose files are in memory."""
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
            lines = [line.partition(" - ") for line in file]
        mounts = {int(mount.split()[0]) for mount, _, kind in lines if kind.startswith("tmpfs ")}
        secret = _secret_files()
        return mounts | {_kernels_own_mount()} | ({secret[0]} if secret else set())


@lru_cache(maxsize=1)
def _kernels_own_mount() -> int:
    """Return the id of the mount that the kernel keeps for files of memfd_create(2) and shared
    memory."""
    return _mount_and_device(os.memfd_create("rmsd-sample"))[0]


@lru_cache(maxsize=1)
def _secret_files() -> tuple[int, int] | None:
    """Return the mount and the device of files of memfd_secret(2), None if the kernel has none.

    Their pages stay when they are mapped no more, so that RLIMIT_MEMLOCK does not bound them.
    """
    sample = ctypes.CDLL(None).syscall(_MEMFD_SECRET, os.O_CLOEXEC)
    return _mount_and_device(sample) if sample >= 0 else None


def _mount_and_device(sample: int) -> tuple[int, int]:
    """Return the mount and the device of a file, and close it."""
    try:
        return _flags_and_mount(f"/proc/self/fdinfo/{sample}")[1], os.fstat(sample).st_dev
    finally:
        os.close(sample)


def _is_secret(found: os.stat_result) -> bool:
    secret = _secret_files()
    return secret is not None and found.st_dev == secret[1]


def _descriptors(pid: int) -> Iterator[str]:
    try:
        with os.scandir(f"/proc/{pid}/fd") as found:
            for entry in found:
                yield entry.name
    except OSError:  # the process has ended, or this agent may not look at it
        return


def _flags_and_mount(path: str) -> tuple[int, int]:
    """Return how a file is open, and the id of its mount, from a file of /proc/PID/fdinfo."""
    with open(path, "rb") as file:
        fields = dict(line.split(b":", 1) for line in file if line.startswith((b"flags:", b"mnt_")))
    return int(fields[b"flags"], 8), int(fields[b"mnt_id"])
