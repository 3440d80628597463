"""The part of the cgroup tree that is ours to divide among jobs, if there is one.

Only version 2 of cgroups is used, also where it is mounted beside version 1. A tree belongs to the
agent if systemd says so (`Delegate=yes`), if the agent sees nothing else, as in a container, or if
an option says so.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import structlog

from rmsd_agent.machine.processors import spelled
from rmsd_agent.shepherd.standalone import cgroups

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_WANTED = ("memory", "cpu", "pids", "cpuset")
_DELEGATED = ("user.delegate", "trusted.delegate")
"""The mark that systemd sets on a cgroup that it has given away."""
_OURS = "agent"
"""The cgroup of the agent itself, as `DelegateSubgroup=agent` has it: no process may be in one that
hands controllers on."""
_WEIGHT_OF_A_CORE = 10
_MAX_WEIGHT = 10_000
_REMOVE_ROUNDS = 20
_REMOVE_PAUSE_S = 0.05


class DelegationError(Exception):
    """The tree that was asked for cannot be used; the message says why."""


class Own(NamedTuple):
    """The place of this process: the directory of its cgroup, and whether the process sees only
    this directory."""

    path: Path
    is_root: bool


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a job on a node; None is no limit. Without `processors` it may use all."""

    cores: int
    mem_mib: int | None
    max_processes: int | None
    processors: Sequence[int] = ()


class Delegation:
    """A tree of our own: one cgroup for each attempt with its limits, and below it one for each
    unit. `home` is where the agent and its shepherds are; `controllers` are those that work."""

    def __init__(self, base: Path, home: Path, name: str) -> None:
        self.home = home
        self._jobs = base / name
        _enable(base)
        cgroups.make(str(self._jobs))
        self.controllers = frozenset(_enable(self._jobs))

    def path(self, attempt: str) -> Path:
        return self._jobs / attempt

    def make(self, attempt: str, limits: Limits) -> None:
        """Make the cgroup of an attempt.

        Raises:
            OSError: it cannot be made, or a limit not be set.
        """
        path = self.path(attempt)
        cgroups.make(str(path))
        if "cpu" in self.controllers:  # shares, so that idle processors are not wasted
            weight = min(_MAX_WEIGHT, limits.cores * _WEIGHT_OF_A_CORE)
            (path / "cpu.weight").write_text(str(weight), encoding="ascii")
        if "memory" in self.controllers and limits.mem_mib is not None:
            (path / "memory.max").write_text(f"{limits.mem_mib}M", encoding="ascii")
            (path / "memory.oom.group").write_text("1", encoding="ascii")
            swap = path / "memory.swap.max"
            if swap.exists():
                swap.write_text("0", encoding="ascii")
        if "pids" in self.controllers and limits.max_processes is not None:
            (path / "pids.max").write_text(str(limits.max_processes), encoding="ascii")
        if "cpuset" in self.controllers and limits.processors:
            try:
                (path / "cpuset.cpus").write_text(spelled(limits.processors), encoding="ascii")
            except OSError as error:  # shepherds bind processes as well, so the job may start
                log.warning("processors-not-bound", why=f"{path}/cpuset.cpus: {error.strerror}")

    def remove(self, attempt: str) -> None:
        """End what is left in an attempt's cgroup, and remove the cgroup. Nothing is left there
        unless something went wrong."""
        path = str(self.path(attempt))
        for _ in range(_REMOVE_ROUNDS):
            if cgroups.remove(path):
                return
            cgroups.kill(path)
            time.sleep(_REMOVE_PAUSE_S)
        log.warning("cgroup-not-empty", cgroup=path, pids=sorted(cgroups.members(path)))

    def attempts(self) -> list[str]:
        """Return the names of all attempts that have a cgroup, also those of an earlier agent."""
        return [entry.name for entry in self._jobs.iterdir() if entry.is_dir()]


def find(name: str, wanted: Path | None) -> Delegation | None:
    """Return the tree that is ours, in which jobs go below `name`, or None if there is none.
    `wanted` is the cgroup to divide, whatever systemd says of it.

    Raises:
        DelegationError: `wanted` cannot be used.
    """
    own = own_cgroup()
    try:
        if wanted is not None:
            return Delegation(wanted, own.path if own is not None else wanted, name)
        return None if own is None else delegation_of(own, name)
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}"
        if wanted is not None:
            raise DelegationError(f"--cgroup {wanted} cannot be used: {problem}") from None
        log.warning("cgroup-not-used", error=problem)
        return None


def delegation_of(own: Own, name: str) -> Delegation | None:
    """Return the tree that this process may divide: all that it sees, or what systemd has
    delegated. Return None also if memory cannot be limited there: then the tree is worth no
    trouble.

    The tree of a service is used only with `DelegateSubgroup=agent`. Otherwise systemd puts the
    process into the cgroup that hands controllers on. The kernel refuses that as soon as there are
    jobs, and the service could not be started again beside them. A scope is never started again.
    """
    if own.is_root:
        base = home = own.path
    elif own.path.name == _OURS and _is_delegated(own.path.parent):
        base, home = own.path.parent, own.path
    elif own.path.suffix == ".scope" and _is_delegated(own.path):
        base, home = own.path, own.path / _OURS
    else:
        return None
    if "memory" not in _listed(base / "cgroup.controllers"):
        return None
    if home != own.path:
        cgroups.make(str(home))
        cgroups.enter(str(home))
    found = Delegation(base, home, name)
    return found if "memory" in found.controllers else None


def own_cgroup() -> Own | None:
    """Return the cgroup of this process, from the line `0::/PATH` of /proc and the place where
    version 2 is mounted."""
    relative = cgroup_path(Path("/proc/self/cgroup").read_text(encoding="utf-8"))
    mounted = cgroup_mount(Path("/proc/self/mountinfo").read_text(encoding="utf-8"))
    if relative is None or mounted is None:
        return None
    root, point = mounted
    if root not in ("/", relative) and not relative.startswith(f"{root}/"):
        return None  # the cgroup is in another namespace: not visible from here
    below = relative if root == "/" else relative.removeprefix(root)
    return Own(Path(point, below.lstrip("/")), is_root=relative == "/")


def cgroup_path(proc_cgroup: str) -> str | None:
    paths = [line[3:] for line in proc_cgroup.splitlines() if line.startswith("0::")]
    return paths[0] if paths else None


def cgroup_mount(mountinfo: str) -> tuple[str, str] | None:
    """Return which directory of the cgroup file system is mounted where."""
    for line in mountinfo.splitlines():
        mount, _, kind = line.partition(" - ")
        if kind.startswith("cgroup2 "):
            fields = mount.split()
            return fields[3], fields[4]
    return None


def _is_delegated(path: Path) -> bool:
    for name in _DELEGATED:
        try:
            if os.getxattr(path, name) == b"1":
                return True
        except OSError:
            continue
    return False


def _enable(path: Path) -> list[str]:
    """Make the controllers that we want available in the cgroups below this one, and return those
    that are available.

    Raises:
        OSError: there is no such cgroup, or it is not ours to write to.
    """
    control = path / "cgroup.subtree_control"
    for controller in _WANTED:
        if controller in _listed(path / "cgroup.controllers"):
            try:
                control.write_text(f"+{controller}", encoding="ascii")
            except OSError as error:
                log.warning(
                    "controller-missing", name=controller, error=f"{path}: {error.strerror}"
                )
    return _listed(control)


def _listed(path: Path) -> list[str]:
    return path.read_text(encoding="ascii").split()
