"""Processes as /proc shows them: one, the table of all, and trees of them."""

from __future__ import annotations

import os

from . import kernel_files

TYPE_CHECKING = False  # the typing module would cost the shepherd memory and milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_LOOKS_AT_ONCE = 32
"""The number of processes that are looked at, in about a millisecond, before a reaper gets its
turn."""
_PF_EXITING = 0x4  # linux/sched.h
TELLS_CHILDREN = os.path.exists("/proc/thread-self/children")
"""A kernel without CONFIG_PROC_CHILDREN does not."""


class Process:
    """One line of the process table. `start_ticks` with the pid is unique within a boot."""

    __slots__ = ("pid", "ppid", "session", "start_ticks", "stopped", "threads", "zombie")

    def __init__(self, stat: str) -> None:
        # "PID (COMM) STATE PPID PGRP SESSION ...": COMM may itself contain spaces and parentheses.
        head, _, tail = stat.rpartition(")")
        fields = tail.split()
        self.pid = int(head.partition(" ")[0])
        self.zombie = _has_ended(self.pid, fields)
        self.stopped = fields[0] in "Tt"
        self.ppid = int(fields[1])
        self.session = int(fields[3])
        self.threads = max(1, int(fields[17]))  # one that has ended takes a pid, too
        self.start_ticks = int(fields[19])


def _has_ended(pid: int, fields: list[str]) -> bool:
    """Return True for a process that executes nothing any more, given its fields from the state on.

    The state is that of the main thread, which may have ended while others go on. A thread that has
    ended stays until a process that traces it has collected it. The first process of a pid
    namespace is no zombie until every process in there has been collected. Both can wait for a
    process out of our reach that never does so.
    """
    if not _is_leaving(fields):
        return False
    if fields[0] not in "ZX" and not _is_first_of_a_namespace(pid):
        return False
    alone = int(fields[17]) <= 1
    return alone or all(map(_is_leaving, _of_threads(pid)))


def _is_leaving(fields: list[str]) -> bool:
    """Return True for a thread that has ended, or that has only its end before it and no memory."""
    return fields[0] in "ZX" or (bool(int(fields[6]) & _PF_EXITING) and fields[20] == "0")


def _is_first_of_a_namespace(pid: int) -> bool:
    """Return True for the first process of a pid namespace below ours."""
    ids = _status_values(pid, "NStgid:")
    return len(ids) > 1 and ids[-1] == "1"


def _of_threads(pid: int) -> Iterator[list[str]]:
    """Yield the fields of each thread of a process, from the state on."""
    for thread in threads(pid):
        try:
            yield _stat_fields(f"/proc/{pid}/task/{thread}/stat")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue


def process(pid: int) -> Process | None:
    """Return the process with this pid, None if there is none."""
    try:
        return Process(kernel_files.read(f"/proc/{pid}/stat"))
    except (FileNotFoundError, ProcessLookupError, PermissionError):  # others', under hidepid=1
        return None


def name_own(name: str) -> None:
    """Name this process for people: `ps -e` and `top` show up to 15 letters."""
    try:
        kernel_files.write("/proc/self/comm", name)
    except OSError:
        return


def wait_status(pid: int) -> int | None:
    """Return how a zombie ended, as wait(2) would tell its parent, or None if there is no such
    zombie."""
    try:
        fields = _stat_fields(f"/proc/{pid}/stat")
    except OSError:
        return None
    return int(fields[49]) if fields[0] == "Z" else None


def real_uid(pid: int) -> int | None:
    """Return the real user id of a process, None if there is no such process or it is hidden."""
    ids = _status_values(pid, "Uid:")
    return int(ids[0]) if ids else None


def has_memory(pid: int) -> bool:
    """Return True if the main thread of a process has not ended."""
    return bool(_status_values(pid, "VmRSS:"))


def _stat_fields(path: str) -> list[str]:
    """Return the fields of a stat file of /proc, from the state on. Raises OSError."""
    return kernel_files.read(path).rpartition(")")[2].split()


def _status_values(pid: int, name: str) -> list[str]:
    """Return the values of a line of a process's status, none if it is gone or hidden."""
    try:
        lines = kernel_files.read(f"/proc/{pid}/status").splitlines()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return []
    return next((line.split()[1:] for line in lines if line.startswith(name)), [])


def is_alive(pid: int, start_ticks: int) -> bool:
    """Return True if exactly this process still runs; a zombie does not."""
    found = process(pid)
    return found is not None and found.start_ticks == start_ticks and not found.zombie


def boot_id() -> str:
    """Return the id of this boot of the machine."""
    return kernel_files.read("/proc/sys/kernel/random/boot_id").strip()


def threads(pid: int) -> Iterator[int]:
    """Return the ids of a process's threads, its own first; each has a directory in /proc. What
    /proc says of a process's memory is true of every thread of it that has not ended."""
    yield pid
    yield from map(int, _tasks(pid))


def _tasks(pid: int) -> list[str]:
    """Return the ids of the threads of a process, none if it is gone or hidden."""
    try:
        return os.listdir(f"/proc/{pid}/task")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return []


def process_table(reap: Callable[[], object] | None = None) -> list[Process]:
    """Return all processes, zombies included.

    A parent passes its `reap`, which is called now and then. Children that end while this function
    looks through /proc would otherwise pile up as zombies, until no process on the machine can
    fork.
    """
    table = []
    for number, pid in enumerate(int(name) for name in os.listdir("/proc") if name.isdigit()):
        if reap is not None and number % _LOOKS_AT_ONCE == 0:
            reap()
        if (found := process(pid)) is not None:
            table.append(found)
    return table


def tasks_on_this_machine() -> int:
    """Return how many processes and threads this machine has."""
    return int(kernel_files.read("/proc/loadavg").split()[3].partition("/")[2])


class Tree:
    """The tree of the processes in a process table."""

    def __init__(self, table: Iterable[Process]) -> None:
        self._children: dict[int, list[int]] = {}
        self._zombies = set()
        self._threads: dict[int, int] = {}
        for p in table:
            self._threads[p.pid] = p.threads
            self._children.setdefault(p.ppid, []).append(p.pid)
            if p.zombie:
                self._zombies.add(p.pid)

    def below(self, roots: set[int]) -> set[int]:
        """Return the pids of the live processes among `roots` and of all below them."""
        return self.alive(self.all_below(roots))

    def alive(self, pids: set[int]) -> set[int]:
        """Return those of the pids that are no zombies'."""
        return pids - self._zombies

    def threads(self, pids: set[int]) -> int:
        """Return how many threads these processes have together; one that has ended counts as 1."""
        return sum(self._threads.get(pid, 0) for pid in pids)

    def all_below(self, roots: set[int]) -> set[int]:
        """Return the pids of all processes among `roots` and below them, with zombies. Zombies
        need no signal, but they fill the process table."""
        seen = set(roots)
        todo = list(roots)
        while todo:
            for child in self._children.get(todo.pop(), ()):
                if child not in seen:
                    seen.add(child)
                    todo.append(child)
        return seen


def descendants(root: int, reap: Callable[[], object] | None = None) -> set[int]:
    """Return the pids of all live processes below `root`, itself excluded. See `process_table` for
    `reap`."""
    return below(root, reap)[0]


def below(root: int, reap: Callable[[], object] | None = None) -> tuple[set[int], set[int]]:
    """Return the pids of the processes below `root`: those that are alive, and those that have
    ended.

    The kernel is asked for the children of each, so that the processes of others cost nothing. A
    job may have hundreds of tasks that all end at once, each with a shepherd that looks. As long as
    only we collect what ends, and the parents are stopped, no child is left out.
    """
    if not TELLS_CHILDREN:
        tree = Tree(process_table(reap))
        found = tree.all_below({root}) - {root}
        return tree.alive(found), found - tree.alive(found)
    alive: set[int] = set()
    ended: set[int] = set()
    seen = {root}
    todo = children(root)
    looks = 0
    while todo:
        pid = todo.pop()
        if pid in seen:
            continue
        if reap is not None and looks % _LOOKS_AT_ONCE == 0:
            reap()
        looks += 1
        one = process(pid)
        # The parent may have ended meanwhile, and the pid may be a stranger's now.
        if one is None or one.ppid not in seen:
            continue
        seen.add(pid)
        todo += children(pid)
        (ended if one.zombie else alive).add(pid)
    return alive, ended


def each_below(roots: Iterable[int]) -> Iterator[int]:
    """Yield the pids of the processes below some, zombies included, as soon as each is found.

    The youngest come first. There are none on a kernel that does not tell.
    """
    seen = set(roots)
    todo = [child for root in seen for child in children(root)]
    while todo:
        pid = todo.pop()
        if pid not in seen:
            seen.add(pid)
            yield pid
            todo += children(pid)


def children(pid: int) -> list[int]:
    """Return the children of a process, zombies included, the youngest of each thread's last.

    There are none if it is gone or hidden, or on a kernel that does not tell."""
    found: list[int] = []
    for thread in _tasks(pid):
        try:
            found += map(int, kernel_files.read(f"/proc/{pid}/task/{thread}/children").split())
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return found
