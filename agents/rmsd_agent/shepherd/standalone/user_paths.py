"""Files at paths that users name: what a path leads to, before anything is opened there.

The caller acts with the user's rights (`accounts.ActingAs`). A path is followed with O_PATH, which
has no effect on the file: no device is opened, no terminal taken, nothing truncated. Then the file
system must be one of files, and the file must be where its name says.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

_INTERFACES = {
    0x00009FA0: "proc",
    0x00009FA1: "openpromfs",
    0x62656572: "sysfs",
    0x0027E0EB: "cgroup",
    0x63677270: "cgroup2",
    0x07655821: "resctrl",
    0x64626720: "debugfs",
    0x74726163: "tracefs",
    0x73636673: "securityfs",
    0xF97CFF8C: "selinuxfs",
    0x43415D53: "smackfs",
    0x5A3C69F0: "apparmorfs",
    0x62656570: "configfs",
    0xCAFE4A11: "bpf",
    0x00001CD1: "devpts",
    0x6C6F6F70: "binderfs",
    0x19800202: "mqueue",
    0x42494E4D: "binfmt_misc",
    0xDE5E81E4: "efivarfs",
    0x6165676C: "pstore",
    0x65735543: "fusectl",
    0x67596969: "rpc_pipefs",
    0x6E667364: "nfsd",
    0xABBA1974: "xenfs",
    0x6E736673: "nsfs",
    0x50494446: "pidfs",
    0x50495045: "pipefs",
    0x534F434B: "sockfs",
    0x09041934: "anon_inodefs",
    0x444D4142: "dmabuf",
    0x5345434D: "secretmem",
}
"""File systems that are interfaces of the kernel, by their f_type of statfs(2) (linux/magic.h). In
many of them an open has effects, and not all of them go by the mode of a file."""
_STATFS_BYTES = 512  # struct statfs is shorter on every architecture
_PASSING = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW

_SYS_OPENAT2 = 437
"""The number of openat2(2), the same on all architectures but Alpha."""
_RESOLVE_NO_MAGICLINKS = 0x02
_AT_FDCWD = -100

_libc = ctypes.CDLL(None, use_errno=True)


class Place:
    """The place that a path leads to: O_PATH descriptors of the file and of its directory.

    `name` is the file's own name in that directory ("." for the root), with all links followed.
    `info` is its `os.stat_result`.
    """

    __slots__ = ("_path", "directory_fd", "fd", "info", "name")

    def __init__(self, path: str, directory: bool = False) -> None:
        """Follow `path`, which must be a directory's if `directory` is set.

        Raises:
            OSError: The file is not there, may not be reached, or is no file of a user's.
        """
        self._path = path
        self.fd = self.directory_fd = -1
        try:
            self.fd = os.open(path, os.O_PATH | (os.O_DIRECTORY if directory else 0))
            self.info = os.fstat(self.fd)
            _check_file_system(self.fd)
            _refuse_open_files(path)
            self.directory_fd, self.name = _located(self.fd)
        except OSError as error:
            self.close()
            raise _of_path(error, path) from None

    def open(self, flags: int) -> int:
        """Open exactly this file, whatever has its name by now."""
        try:
            return os.open(f"/proc/self/fd/{self.fd}", flags | os.O_NOCTTY)
        except OSError as error:
            raise _of_path(error, self._path) from None

    def close(self) -> None:
        for fd in (self.fd, self.directory_fd):
            if fd >= 0:
                os.close(fd)
        self.fd = self.directory_fd = -1

    def __enter__(self) -> Place:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_regular(path: str) -> int | None:
    """Open a regular file for reading; return None for anything else, which is not opened.

    Raises:
        OSError: see `Place`, or the file may not be read.
    """
    with Place(path) as place:
        if not stat.S_ISREG(place.info.st_mode):
            return None
        return place.open(os.O_RDONLY | os.O_NONBLOCK)


def check_opened(fd: int) -> None:
    """Refuse a descriptor that was opened by name, and not by `Place.open`, as `Place` would.

    Raises:
        OSError: see `Place`.
    """
    _check_file_system(fd)
    directory_fd, _ = _located(fd)
    os.close(directory_fd)


def _check_file_system(fd: int) -> None:
    """Refuse a descriptor of a file that is an interface of the kernel.

    Raises:
        PermissionError: its strerror names the file system.
    """
    found = ctypes.create_string_buffer(_STATFS_BYTES)
    if _libc.fstatfs(fd, found) != 0:
        problem = ctypes.get_errno()
        raise OSError(problem, os.strerror(problem))
    # f_type comes first and has 4 bytes on s390x, and elsewhere 8 of which the low ones are first.
    name = _INTERFACES.get(int.from_bytes(found.raw[:4], sys.byteorder))
    if name is not None:
        raise PermissionError(errno.EPERM, f"it is on {name}, a file system of the kernel's own")


def _refuse_open_files(path: str) -> None:
    """Refuse a path through one of the kernel's links in /proc, such as /dev/stdout.

    They lead to what this process or another has open, not to a file that the user names: an agent
    that runs as the user may follow them to its own log. A kernel before Linux 5.6 does not tell.

    Raises:
        PermissionError: its strerror says what the path leads through.
    """
    how = struct.pack("=QQQ", os.O_PATH | os.O_CLOEXEC, 0, _RESOLVE_NO_MAGICLINKS)
    fd = _libc.syscall(_SYS_OPENAT2, _AT_FDCWD, os.fsencode(path), how, len(how))
    if fd >= 0:
        os.close(fd)
    elif ctypes.get_errno() == errno.ELOOP:  # `path` could be followed without that condition
        raise PermissionError(
            errno.EPERM, "it leads through /proc to what a process has open, not to a file by name"
        )


def _located(fd: int) -> tuple[int, str]:
    """Open the directory in which a file is, and return its descriptor and the file's name there.

    Each directory on the way there must let the user pass. The kernel's links in /proc/self/fd lead
    to any file that this process has open for others, without a look at those directories.

    Raises:
        OSError: A directory may not be passed, or the file is not where its name says.
    """
    real = os.readlink(f"/proc/self/fd/{fd}")
    if not real.startswith("/"):
        raise PermissionError(errno.EPERM, f"it has no name in any directory ({real})")
    *directories, name = real.strip("/").split("/")
    at = os.open("/", _PASSING)
    try:
        for directory in directories:
            before, at = at, os.open(directory, _PASSING, dir_fd=at)
            os.close(before)
        there, here = os.stat(name or ".", dir_fd=at, follow_symlinks=False), os.fstat(fd)
        if not os.path.samestat(there, here):
            raise PermissionError(errno.EPERM, f"its name, {real}, leads to another file")
    except OSError:
        os.close(at)
        raise
    return at, name or "."


def _of_path(error: OSError, path: str) -> OSError:
    """Return the same error, said of the path that the user named."""
    return OSError(error.errno, error.strerror, path)
