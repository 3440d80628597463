"""Ending whole trees of processes, and signals that reach those that they are meant for."""

from __future__ import annotations

import os
import resource
import signal

from . import kernel_files
from .processes import is_alive

TYPE_CHECKING = False  # the typing module would cost the shepherd memory and milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .processes import Process

_RELAYS = frozenset({"rrun", "srun"})
"""The programs `rrun` and `srun`, which pass signals to their tasks. Tasks get a signal ahead of a
limit from their own shepherds already."""
KILLED_AT_ONCE = frozenset({"memory", "quota"})
"""The causes that leave no time for SIGTERM, because the job takes more with every moment."""
_FREEZE_ROUNDS = 50  # a fork bomb that outruns this many passes is met again in the next round
MOST_HELD = 64
"""The most processes that are held by descriptors at a time."""
_CAN_HOLD = hasattr(os, "pidfd_open") and hasattr(signal, "pidfd_send_signal")
"""A Python that was built on an old system has neither."""


def terminate(find: Callable[[], set[int]], group: int | None = None) -> None:
    """Send SIGTERM to all that `find` finds, as if at one instant.

    The processes are stopped first, so that none misses the signal by forking just then. A process
    that a handler of the signal starts, to save results, does not get the signal. The process group
    `group` is stopped before the first look, which may take long beside a fork bomb.
    """
    with _HeldProcesses() as held:
        pids = _freeze(find, group, held)
        held.send(pids, signal.SIGTERM)
        held.send(pids, signal.SIGCONT)


def suspend(find: Callable[[], set[int]], group: int | None = None) -> None:
    """Stop all that `find` finds, as if at one instant. The process group `group` is stopped before
    the first look."""
    with _HeldProcesses() as held:
        _freeze(find, group, held)


def proceed(find: Callable[[], set[int]]) -> None:
    """Let all go on that `find` finds."""
    send_all(find, [signal.SIGCONT])


def kill(find: Callable[[], set[int]], group: int | None = None) -> None:
    """Send one round of SIGKILL to stopped processes, so that none forks away. The caller repeats
    it until nothing is left. The process group `group` is stopped before the first look."""
    with _HeldProcesses() as held:
        held.send(_freeze(find, group, held), signal.SIGKILL)


def warn(find: Callable[[], set[int]], main: int | None, number: int, whom: str) -> None:
    """Send a signal ahead of a limit to the main process, to `others` or to `all` that `find`
    finds."""
    if whom == "main":
        send([] if main is None else [main], number)
        return

    def relevant() -> set[int]:
        others = {pid for pid in find() if whom == "all" or pid != main}
        return {pid for pid in others if _name(pid) not in _RELAYS}

    send_all(relevant, [number])


def send_all(find: Callable[[], set[int]], numbers: Iterable[int]) -> None:
    """Send signals to all that `find` finds twice. The search may take long, so it is not made for
    each signal."""
    with _HeldProcesses() as held:
        first = find()
        held.hold(first)
        found = first & find()
        for number in numbers:
            held.send(found, number)


def send_to(process: Process, number: int) -> None:
    """Send a signal to exactly this process, and to none that has its pid by now.

    Raises:
        OSError: no file can be opened to look for it.
    """
    with _HeldProcesses() as held:
        held.hold([process.pid])
        if is_alive(process.pid, process.start_ticks):
            held.send([process.pid], number)


def _name(pid: int) -> str:
    try:
        return kernel_files.read(f"/proc/{pid}/comm").rstrip("\n")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return ""


def send_group(group: int, number: int) -> None:
    """Send a signal to a whole process group in one instant, in which no process of it forks."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return


def send(pids: Iterable[int], number: int) -> None:
    """Send a signal to some processes. Processes that are gone, or are not ours to touch, do not
    matter."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


class _HeldProcesses:
    """A context in which processes are held by descriptors (pidfd_open(2)).

    What has a pid may have ended when the pid is used, and the pid may be another process's. A
    descriptor stays with its process. So a process is held first, then looked for once more, and
    then gets its signal.

    Only so many are held, since looks at /proc need descriptors, too. The others, and all on a
    kernel without such descriptors (before 5.3), get their signals by their pids.
    """

    def __init__(self) -> None:
        self._fds: dict[int, int] = {}
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        few = soft // 4 if soft != resource.RLIM_INFINITY else MOST_HELD
        self._most = min(MOST_HELD, few) if _CAN_HOLD else 0

    def hold(self, pids: Iterable[int]) -> None:
        """Hold what has these pids now."""
        for pid in pids:
            if len(self._fds) >= self._most:
                return
            try:
                self._fds[pid] = os.pidfd_open(pid)
            except OSError:  # the process has ended, or no descriptor is free
                continue

    def send(self, pids: Iterable[int], number: int) -> None:
        """Send a signal to the processes that were held by these pids, as `send` does."""
        for pid in pids:
            fd = self._fds.get(pid)
            if fd is None:
                send([pid], number)
                continue
            try:
                signal.pidfd_send_signal(fd, number)
            except (ProcessLookupError, PermissionError):
                continue

    def __enter__(self) -> _HeldProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        for fd in self._fds.values():
            os.close(fd)


def _freeze(find: Callable[[], set[int]], group: int | None, held: _HeldProcesses) -> set[int]:
    """Stop all processes, hold them, and return their pids.

    Stop whole process groups at once, since a fork bomb outruns a shepherd that stops its processes
    one by one. (A group is within a session, and units begin with sessions of their own.)

    An id may be another process's by the time it gets the signal. What is stopped keeps its id, so
    what the last look does not find any more was never ours, and goes on.
    """
    frozen: set[int] = set()
    found: set[int] = set()
    groups: set[int] = set()
    if group is not None:
        send_group(group, signal.SIGSTOP)
        groups.add(group)
    for _ in range(_FREEZE_ROUNDS):
        found = find()
        fresh = found - frozen
        if not fresh:
            break
        for new in _groups(fresh) - groups:
            send_group(new, signal.SIGSTOP)
            groups.add(new)
        held.hold(fresh)
        held.send(fresh, signal.SIGSTOP)
        frozen |= fresh
    for gone in groups - _groups(found):
        send_group(gone, signal.SIGCONT)
    held.send(frozen - found, signal.SIGCONT)
    return frozen & found


def _groups(pids: Iterable[int]) -> set[int]:
    groups = set()
    for pid in pids:
        try:
            groups.add(os.getpgid(pid))
        except ProcessLookupError:
            continue
    return groups - {os.getpgrp()}
