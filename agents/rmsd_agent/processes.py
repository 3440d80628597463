"""Processes as /proc shows them, and ending whole trees of them. Standard library only.

Imported by the agent; the shepherd, which runs without a path to this package, loads it from the
file beside it.
"""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False  # the typing module would cost the shepherd memory and milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_RELAY = "rrun"
"""It passes signals to its tasks, which get this one from their own shepherds already."""
KILLED_AT_ONCE = frozenset({"memory", "quota"})
"""Causes that leave no time for SIGTERM: with every moment the job takes more."""
_FREEZE_ROUNDS = 50  # a fork bomb that outruns this many passes is met again in the next round


class Process:
    """One line of the process table. `start_ticks` with the pid is unique within a boot."""

    __slots__ = ("pid", "ppid", "session", "start_ticks", "stopped", "zombie")

    def __init__(self, stat: str) -> None:
        # "PID (COMM) STATE PPID PGRP SESSION ...": COMM may itself contain spaces and parentheses.
        head, _, tail = stat.rpartition(")")
        fields = tail.split()
        self.pid = int(head.partition(" ")[0])
        # Its state is that of its main thread, which may have ended while others go on.
        self.zombie = fields[0] in "ZX" and int(fields[17]) <= 1
        self.stopped = fields[0] in "Tt"
        self.ppid = int(fields[1])
        self.session = int(fields[3])
        self.start_ticks = int(fields[19])


def process(pid: int) -> Process | None:
    """The process with this pid, None when there is none."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return Process(file.read())
    except (FileNotFoundError, ProcessLookupError, PermissionError):  # others', under hidepid=1
        return None


def is_alive(pid: int, start_ticks: int) -> bool:
    """Whether exactly this process still runs; a zombie does not."""
    found = process(pid)
    return found is not None and found.start_ticks == start_ticks and not found.zombie


def boot_id() -> str:
    """Identifies this boot of the machine."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()


def threads(pid: int) -> Iterator[int]:
    """The ids of a process's threads, its own first; each has a directory in /proc. What /proc says
    of a process's memory is said of any thread of it but those that have ended."""
    yield pid
    try:
        yield from map(int, os.listdir(f"/proc/{pid}/task"))
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return


def process_table() -> list[Process]:
    """All processes, zombies included."""
    found = (process(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return [p for p in found if p is not None]


class Tree:
    """Who is below whom in a process table."""

    def __init__(self, table: Iterable[Process]) -> None:
        self._children: dict[int, list[int]] = {}
        self._zombies = set()
        for p in table:
            self._children.setdefault(p.ppid, []).append(p.pid)
            if p.zombie:
                self._zombies.add(p.pid)

    def below(self, roots: set[int]) -> set[int]:
        """Pids of the live processes among `roots` and of all below them."""
        return self.alive(self.all_below(roots))

    def alive(self, pids: set[int]) -> set[int]:
        """Those that are no zombies."""
        return pids - self._zombies

    def all_below(self, roots: set[int]) -> set[int]:
        """Likewise with zombies: nobody has to end them, but they take up room in the table."""
        seen = set(roots)
        todo = list(roots)
        while todo:
            for child in self._children.get(todo.pop(), ()):
                if child not in seen:
                    seen.add(child)
                    todo.append(child)
        return seen


def descendants(root: int) -> set[int]:
    """Pids of all live processes below `root`, itself excluded."""
    return Tree(process_table()).below({root}) - {root}


class Urgent:
    """With this, the thread goes before everybody else's for a processor, if it may (root)."""

    def __enter__(self) -> None:
        self._before = os.getpriority(os.PRIO_PROCESS, 0)  # on Linux: of the thread
        self._to(-20)

    def __exit__(self, *_: object) -> None:
        self._to(self._before)

    def _to(self, nice: int) -> None:
        try:
            os.setpriority(os.PRIO_PROCESS, 0, nice)
        except PermissionError:
            return  # the kernel divides the processors between all processes alike


def terminate(find: Callable[[], set[int]]) -> None:
    """SIGTERM to all that `find` finds, as if at one instant.

    They are stopped first, so that nobody misses the signal by forking just then, and no process
    that a handler of the signal starts (to save results, say) gets it.
    """
    pids = _freeze(find)
    send(pids, signal.SIGTERM)
    send(pids, signal.SIGCONT)


def kill(find: Callable[[], set[int]]) -> None:
    """One round of SIGKILL, to stopped processes, so that none forks away. Repeat it to the end."""
    send(_freeze(find), signal.SIGKILL)


def warn(find: Callable[[], set[int]], main: int | None, number: int, whom: str) -> None:
    """A signal ahead of a limit to the main process, to `others` or to `all` that `find` finds."""
    if whom == "main":
        send([] if main is None else [main], number)
        return
    others = {pid for pid in find() if whom == "all" or pid != main}
    send([pid for pid in others if _name(pid) != _RELAY], number)


def _name(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().rstrip("\n")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return ""


def send_group(group: int, number: int) -> None:
    """A signal to all of a process group in one instant, in which none of it forks."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return


def send(pids: Iterable[int], number: int) -> None:
    """A signal to some processes; those that are gone, or are not ours to touch, do not matter."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def _freeze(find: Callable[[], set[int]]) -> set[int]:
    """Stop all of them, and tell which they are.

    Whole process groups at once, since a fork bomb outruns who stops its processes one by one. (A
    group is within a session, and units begin with sessions of their own.)

    An id may be another process's by the time it gets the signal. What is stopped keeps its id, so
    what the last look does not find any more was never ours, and goes on.
    """
    frozen: set[int] = set()
    found: set[int] = set()
    groups: set[int] = set()
    for _ in range(_FREEZE_ROUNDS):
        found = find()
        fresh = found - frozen
        if not fresh:
            break
        for group in _groups(fresh) - groups:
            send_group(group, signal.SIGSTOP)
            groups.add(group)
        send(fresh, signal.SIGSTOP)
        frozen |= fresh
    for group in groups - _groups(found):
        send_group(group, signal.SIGCONT)
    send(frozen - found, signal.SIGCONT)
    return frozen & found


def _groups(pids: Iterable[int]) -> set[int]:
    groups = set()
    for pid in pids:
        try:
            groups.add(os.getpgid(pid))
        except ProcessLookupError:
            continue
    return groups - {os.getpgrp()}
