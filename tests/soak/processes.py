"""Processes of a system, as /proc shows them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rmsd_agent.shepherd.standalone.processes import is_alive, process
from rmsd_agent.shepherd.standalone.unit_spec import MARK as UNIT
from tests.soak.load import MARK


@dataclass(frozen=True, slots=True)
class JobProcess:
    """A process that a job has started, with the attempt and the node that it belongs to, and
    the cores that the attempt has there."""

    pid: int
    start_ticks: int
    tag: str
    job_id: int
    attempt: int
    node: str
    cores: int

    @property
    def alive(self) -> bool:
        return is_alive(self.pid, self.start_ticks)


@dataclass(frozen=True, slots=True)
class Shepherd:
    """A shepherd, or the nursery, of the agent whose state directory is `state`."""

    pid: int
    state: Path


def job_processes(root: Path) -> list[JobProcess]:
    """Return all live processes of jobs whose agents have their state below `root`."""
    return [found for pid in _pids() if (found := _job_process(pid, root)) is not None]


def shepherds(root: Path) -> list[Shepherd]:
    """Return all shepherds of agents below `root`."""
    return _named(root, "rmsd-shepherd")


def nurseries(root: Path) -> list[Shepherd]:
    """Return the nurseries of agents below `root`."""
    return _named(root, "rmsd-nursery")


def _named(root: Path, name: str) -> list[Shepherd]:
    found = []
    for pid in _pids():
        words = [word for word in _read(pid, "cmdline") if word]
        if any(word.endswith(b"/rmsd_agent/shepherd") for word in words) and _name(pid) == name:
            log = Path(os.fsdecode(words[-1]))
            if log.is_relative_to(root):
                found.append(Shepherd(pid, log.parent))
    pids = {one.pid for one in found}
    return [one for one in found if not _forked(one.pid, pids)]


def _name(pid: int) -> str:
    return b"".join(_read(pid, "comm")).decode().strip()


def _forked(pid: int, others: set[int]) -> bool:
    """Return whether a process was forked by one of `others` and has not executed yet: it is what
    that process starts."""
    own = process(pid)
    return own is None or own.ppid in others


def agents(root: Path) -> dict[Path, int]:
    """Return the pids of the agents below `root`, by state directory."""
    found = []
    for pid in _pids():
        words = [os.fsdecode(word) for word in _read(pid, "cmdline")]
        names = {os.path.basename(word) for word in words}
        if "--state-dir" in words and names & {"rmsd-agent", "rmsd_agent.main"}:
            state = Path(words[words.index("--state-dir") + 1])
            if state.is_relative_to(root):
                found.append((state, pid))
    pids = {pid for _, pid in found}
    return {state: pid for state, pid in found if not _forked(pid, pids)}


def held(root: Path) -> dict[int, set[str]]:
    """Return the tags of the jobs whose processes are below a shepherd, by its pid."""
    found: dict[int, set[str]] = {one.pid: set() for one in shepherds(root)}
    for job in job_processes(root):
        at: int | None = job.pid
        while at and at not in found:
            parent = process(at)
            at = parent.ppid if parent is not None else None
        if at:
            found[at].add(job.tag)
    return found


def _job_process(pid: int, root: Path) -> JobProcess | None:
    environment = dict(
        word.split(b"=", 1) for word in _read(pid, "environ") if b"=" in word
    )  # fmt: skip
    unit, tag = environment.get(UNIT.encode()), environment.get(MARK.encode())
    if unit is None or tag is None:
        return None
    directory = Path(os.fsdecode(unit)).parent
    found = process(pid)
    if found is None or found.zombie or not directory.is_relative_to(root):
        return None
    job_id, attempt, node = directory.name.split(".", 2)
    cores = int(environment[b"RMS_CPUS_ON_NODE"])
    name = os.fsdecode(tag)
    return JobProcess(pid, found.start_ticks, name, int(job_id), int(attempt), node, cores)


def _pids() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def _read(pid: int, name: str) -> list[bytes]:
    """Return the words of a file that has them NUL-terminated; none if the process is gone."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes().split(b"\0")
    except OSError:
        return []
