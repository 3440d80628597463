"""The files of devices that a job may open: those of its own devices, and not those of other jobs.

The kernel asks a program at the job's cgroup (version 2) about each open of a file of a device. The
program is a few instructions that are written here, so that a node needs no compiler. It allows all
devices but the ones that this agent gives to jobs and has not given to this one. Only root may
attach such a program (CAP_BPF and CAP_NET_ADMIN, or CAP_SYS_ADMIN).
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import structlog

from rmsd_agent.machine.delegation import Delegation
from rmsd_agent.machine.users import IS_ROOT
from rmsd_wire.gres import Device
from rmsd_wire.node_info import NodeDevices

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_BLOCK, _CHARACTER = 1, 2
"""The types of devices, as the kernel tells them to a program: BPF_DEVCG_DEV_BLOCK and _CHAR."""
_DRM_MAJOR = 226
"""The files of a graphics card that are not NVIDIA's own: `card0` and `renderD128` are of one."""
_SYSTEM_CALLS = {
    "x86_64": 321,
    "aarch64": 280,
    "riscv64": 280,
    "loongarch64": 280,
    "ppc64le": 361,
    "s390x": 351,
}
"""The number of bpf(2) by the machine, as `os.uname` names it."""
_PROG_LOAD, _PROG_ATTACH = 5, 8
_TYPE_CGROUP_DEVICE = 15
_AT_CGROUP_DEVICE = 6
_REPLACING = 0
"""The flags of an attachment: a later program at the same cgroup replaces this one, cgroups below
get no programs of their own, and those of cgroups above, such as systemd's, count as well."""
_LICENSE = b"Apache-2.0"


class DeviceFile(NamedTuple):
    """A file of a device as the kernel knows it, whatever its names are."""

    type: int
    major: int
    minor: int


class DeviceFilter:
    """The filter of this machine's node, whose devices have files.

    The numbers of a file are remembered while the file is gone. `node` is the machine as a node:
    jobs of emulated nodes hold devices in name only, so that no file is theirs.
    """

    def __init__(self, node: str, devices: Iterable[Device], system: Path = Path("/sys")) -> None:
        self._node = node
        self._devices = [device for device in devices if device.path]
        self._system = system
        self._known: dict[str, frozenset[DeviceFile]] = {}
        self._look()

    def attach(self, cgroup: Path, node: str, held: Sequence[NodeDevices]) -> None:
        """Let the processes of a cgroup, and of those below it, open no files of devices but those
        that are held on `node`. A repeat replaces what was said before.

        Raises:
            OSError: the kernel refuses that.
        """
        self._look()
        own = {(_name_of(kind), number) for kind, numbers in held for number in numbers}
        allowed: set[DeviceFile] = set()
        for device in self._devices:
            if node == self._node and (_name_of(device.kind), device.number) in own:
                allowed |= self._known.get(device.path, frozenset())
        managed = frozenset[DeviceFile]().union(*self._known.values())
        attach(cgroup, program(managed - allowed))

    def _look(self) -> None:
        """Note the present numbers of all files."""
        for device in self._devices:
            if found := files_of(device.path, self._system):
                self._known[device.path] = found


def _name_of(kind: str) -> str:
    """Return the name of a kind: its devices have numbers of their own, whatever their types."""
    return kind.partition(":")[0]


def filter_of(node: str, devices: Sequence[Device], tree: Delegation | None) -> DeviceFilter | None:
    """Return the filter for jobs on this machine, or None if nothing is to be shut off or the
    kernel cannot do so; the log says why."""
    if not any(device.path for device in devices):
        return None
    if not IS_ROOT:
        why = "the agent is not root's"
    elif tree is None:
        why = "jobs have no cgroups here"
    else:
        try:
            _probe(tree)
        except OSError as error:
            why = f"the kernel refuses a filter: {error.strerror}"
        else:
            return DeviceFilter(node, devices)
    log.warning("devices-not-shut-off", why=why)
    return None


def _probe(tree: Delegation) -> None:
    """Attach a program that denies nothing, and remove it again.

    Raises:
        OSError: the kernel refuses that.
    """
    path = tree.path("probe")
    path.mkdir(exist_ok=True)
    try:
        attach(path, program([]))
    finally:
        path.rmdir()


def files_of(path: str, system: Path) -> frozenset[DeviceFile]:
    """Return the device of a file, with the other files of the same graphics card; nothing if the
    file is gone or is none of a device."""
    try:
        found = os.stat(path)
    except OSError:
        return frozenset()
    if not stat.S_ISCHR(found.st_mode) and not stat.S_ISBLK(found.st_mode):
        return frozenset()
    kind = _BLOCK if stat.S_ISBLK(found.st_mode) else _CHARACTER
    major, minor = os.major(found.st_rdev), os.minor(found.st_rdev)
    files = {DeviceFile(kind, major, minor)}
    if (kind, major) == (_CHARACTER, _DRM_MAJOR):
        files |= _of_card(system / f"dev/char/{major}:{minor}/device/drm")
    return frozenset(files)


def _of_card(folder: Path) -> set[DeviceFile]:
    """Return the files of a graphics card, from its folder in sysfs."""
    files: set[DeviceFile] = set()
    for path in folder.glob("*/dev"):
        try:
            major, _, minor = path.read_text(encoding="ascii").strip().partition(":")
            files.add(DeviceFile(_CHARACTER, int(major), int(minor)))
        except (OSError, ValueError):
            continue
    return files


def program(denied: Iterable[DeviceFile]) -> bytes:
    """Return the instructions of a program that denies these files and allows all others.

    The kernel gives the program the access and the type of the device (16 bits each), the major and
    the minor number. What it returns in register 0 is whether the file may be opened.
    """
    text = _instruction(0x61, 2, 1)  # r2 = *(u32 *) r1
    text += _instruction(0x54, 2, value=0xFFFF)  # w2 &= 0xffff: the type
    text += _instruction(0x61, 3, 1, offset=4)  # r3 = the major number
    text += _instruction(0x61, 4, 1, offset=8)  # r4 = the minor number
    for (kind, major), ranges in _ranges(denied).items():
        left = 4 * len(ranges)  # the instructions of this type and major number
        text += _instruction(0x55, 2, offset=left + 1, value=kind)  # others go on behind them
        text += _instruction(0x55, 3, offset=left, value=major)
        for first, last in ranges:
            text += _instruction(0xA5, 4, offset=left - 1, value=first)  # less is in no range
            text += _instruction(0x25, 4, offset=2, value=last)  # the next range has greater ones
            text += _instruction(0xB7, 0, value=0) + _instruction(0x95)  # return 0
            left -= 4
    return text + _instruction(0xB7, 0, value=1) + _instruction(0x95)  # return 1


def _ranges(files: Iterable[DeviceFile]) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Return the minor numbers of files as ranges in their order, by type and major number. So the
    kernel, which follows each way through a program, has few to follow."""
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for kind, major, minor in sorted(files):
        ranges = found.setdefault((kind, major), [])
        if ranges and ranges[-1][1] + 1 == minor:
            ranges[-1] = (ranges[-1][0], minor)
        else:
            ranges.append((minor, minor))
    return found


def _instruction(
    code: int, register: int = 0, source: int = 0, offset: int = 0, value: int = 0
) -> bytes:
    both = source << 4 | register if struct.pack("=H", 1)[0] else register << 4 | source
    return struct.pack("=BBhi", code, both, offset, value)


def attach(cgroup: Path, instructions: bytes) -> None:
    """Attach a program to a cgroup in place of an earlier one. The kernel drops it with the cgroup.

    Raises:
        OSError: the kernel refuses that.
    """
    text = ctypes.create_string_buffer(instructions, len(instructions))
    license_name = ctypes.create_string_buffer(_LICENSE)
    loaded = _bpf(
        _PROG_LOAD,
        struct.pack(
            "=IIQQ",
            _TYPE_CGROUP_DEVICE,
            len(instructions) // 8,
            ctypes.addressof(text),
            ctypes.addressof(license_name),
        ),
    )
    try:
        folder = os.open(cgroup, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _bpf(_PROG_ATTACH, struct.pack("=IIII", folder, loaded, _AT_CGROUP_DEVICE, _REPLACING))
        finally:
            os.close(folder)
    finally:
        os.close(loaded)


def _bpf(command: int, attributes: bytes) -> int:
    """Call bpf(2). A descriptor that it returns is closed in programs that are started.

    Raises:
        OSError: the kernel refuses the call, or its number is not known for this machine.
    """
    machine = os.uname().machine
    number = _SYSTEM_CALLS.get(machine)
    if number is None or ctypes.sizeof(ctypes.c_void_p) != 8:
        raise OSError(0, f"the number of bpf(2) on {machine} is not known")
    library = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    answer: int = library.syscall(number, command, buffer, len(attributes))
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return answer
