"""The search for the processes of a unit whose shepherd is gone."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial

from rmsd_agent.machine.workers import Worker
from rmsd_agent.shepherd.standalone import cgroups, ending, processes
from rmsd_agent.shepherd.standalone.processes import Process
from rmsd_agent.shepherd.standalone.unit_spec import MARK

PATIENCE_S = 5.0
"""The time in which the kernel must tell the environment of a process."""
MOST_SILENT = 16
"""The number of processes of a unit's user whose environments are waited for, each by a thread."""


class Orphans:
    """The processes of a unit without a shepherd.

    Their signs are the unit's cgroup if it had one, the mark in their environment, and the session
    of the main process. Processes below another one, or found before, count as well. Without a
    cgroup, what cleared its environment, left the session and lost its parents before it was first
    looked for is beyond recognition.

    `mark` is the value of `MARK`; nothing that was started before `since_ticks` counts. `main` is
    the main process with its start, None if it was never recorded. `cgroup` is its directory.
    `uid` is whose processes the unit has: no environment of another user's process is read. If it
    is None, any process may be the unit's.

    One thread uses an object, but not the event loop's, since `find` may take long. A process can
    keep every read of its environment waiting for ever (see `measuring.Measurements`).
    """

    def __init__(
        self,
        mark: str,
        since_ticks: int,
        main: tuple[int, int] | None,
        cgroup: str | None = None,
        uid: int | None = None,
    ) -> None:
        self._mark = f"{MARK}={mark}".encode()
        self._since_ticks = since_ticks
        self._main = main
        self._cgroup = cgroup
        self._environments = _Environments(uid)
        self._seen: dict[int, int] = {}  # pid: start_ticks

    def find(self) -> set[int]:
        """Return the pids of the processes that live."""
        members = cgroups.members(self._cgroup) if self._cgroup else set()
        table = processes.process_table()
        ours = {p.pid for p in table if p.pid in members or self._is_ours(p)}
        found = processes.Tree(table).below(ours)
        self._seen = {p.pid: p.start_ticks for p in table if p.pid in found}
        return found

    def kill(self) -> None:
        """Send one round of SIGKILL to all of the processes. The caller repeats it until nothing is
        left."""
        if self._cgroup:
            cgroups.kill(self._cgroup)
        ending.kill(self.find)

    def oldest(self) -> tuple[int, int] | None:
        """Return the pid and the start of the process that was started first, None if nothing
        lives."""
        self.find()
        start_ticks, pid = min(((s, pid) for pid, s in self._seen.items()), default=(0, 0))
        return (pid, start_ticks) if pid else None

    def _is_ours(self, process: Process) -> bool:
        if process.start_ticks < self._since_ticks:
            return False
        if self._seen.get(process.pid) == process.start_ticks:
            return True
        return self._is_in_session(process) or self._mark in self._environments.of(process)

    def _is_in_session(self, process: Process) -> bool:
        if self._main is None or process.session != self._main[0]:
            return False
        # The pid, and so the session, may be another process's by now.
        leader = processes.process(self._main[0])
        return leader is None or leader.start_ticks == self._main[1]

    @property
    def awaited(self) -> list[Future[list[bytes]]]:
        """Return the environments that the kernel was asked for and may not have told yet."""
        return self._environments.awaited

    def close(self) -> None:
        """End the threads that this has, as far as they can be ended."""
        self._environments.close()


class _Environments:
    """Reads environments of processes in threads, since the kernel may never tell one.

    A process that keeps its reader waiting counts as one without an environment until the kernel
    has told it. When too many do so, no others are asked for theirs.
    """

    def __init__(self, uid: int | None) -> None:
        self._uid = uid
        self._reader: Worker | None = None
        self._silent: dict[tuple[int, int], Future[list[bytes]]] = {}

    @property
    def awaited(self) -> list[Future[list[bytes]]]:
        return list(self._silent.values())

    def of(self, process: Process) -> list[bytes]:
        """Return the environment of a process of our user's, empty if it is not told now.

        Raises:
            RuntimeError: no thread can be started now.
        """
        key = (process.pid, process.start_ticks)
        if key in self._silent:
            return self._silent.pop(key).result() if self._silent[key].done() else []
        if len(self._silent) >= MOST_SILENT:
            self._silent = {key: one for key, one in self._silent.items() if not one.done()}
            if len(self._silent) >= MOST_SILENT:
                return []
        if self._uid is not None and processes.real_uid(process.pid) != self._uid:
            return []
        reader = self._reader = self._reader or Worker()
        answer = reader.call(partial(environment_of, process.pid))
        try:
            return answer.result(PATIENCE_S)
        except TimeoutError:
            reader.end()
            self._reader = None
            self._silent[key] = answer
            return []

    def close(self) -> None:
        """End the reader."""
        if self._reader is not None:
            self._reader.end()
            self._reader = None


def environment_of(pid: int) -> list[bytes]:
    """Return the environment that a process was executed with, empty if the process is gone or
    another user's."""
    for thread in processes.threads(pid):
        try:
            with open(f"/proc/{thread}/environ", "rb") as file:
                if environment := file.read():
                    return environment.split(b"\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        except PermissionError:  # the other threads are not visible to this agent either
            return []
    return []
