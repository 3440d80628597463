"""The standard input of rrun and srun, on its way to the tasks."""

from __future__ import annotations

import os
import stat
import threading
import time

from rmsd_client.errors import LATER, ApiError, ClientError
from rmsd_client.steps.tasks import rank_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rmsd_client.api import Client
    from rmsd_client.steps.tasks import Task

_CHUNK = 32 << 10
_PAUSES_S = (0.01, 1.0)
_NULL = os.makedev(1, 3)


class Feeder:
    """Passes the standard input of a step, or a file, to its tasks: to all of them, or to one.

    Reading begins when the tasks have started. A task that does not read holds up the others, as
    in Slurm.
    """

    def __init__(
        self,
        connect: Callable[[], Client],
        job_id: int,
        step: str,
        tasks: Sequence[Task],
        chosen: str,
    ) -> None:
        """Choose the tasks that get an input, as --input says: "all", "none", the rank of a task,
        or the name of a file for all of them.

        Raises:
            OSError: the file cannot be opened.
        """
        self._connect = connect
        self._job_id = job_id
        self._step = step
        self._fd = 0
        ranks = {task.rank for task in tasks}
        if (rank := rank_of(chosen)) in ranks:
            ranks = {rank}
        elif chosen == "none":
            ranks = set()
        elif chosen != "all":
            self._fd = os.open(chosen, os.O_RDONLY)
        self._tasks = [task for task in tasks if task.rank in ranks and _has_data(self._fd)]
        self._missing = {task.rank for task in self._tasks}

    def feeds(self, task: Task) -> bool:
        """Return whether a task gets an input."""
        return any(one.rank == task.rank for one in self._tasks)

    def started(self, task: Task) -> None:
        """Begin to read once all tasks with an input have started."""
        if task.rank in self._missing:
            self._missing.remove(task.rank)
            if not self._missing:
                threading.Thread(target=self._feed, daemon=True).start()

    def _feed(self) -> None:
        open_tasks = list(self._tasks)
        with self._connect() as client:
            while open_tasks:
                try:
                    data = os.read(self._fd, _CHUNK)
                except OSError:
                    data = b""
                open_tasks = [one for one in open_tasks if self._give(client, one, data)]
                if not data:
                    return

    def _give(self, client: Client, task: Task, data: bytes) -> bool:
        """Give a task all of the data, or without data the end; returns whether it takes more."""
        pause_s, most_s = _PAUSES_S
        eof = not data
        while True:
            try:
                taken, over = client.task_input(
                    self._job_id, self._step, task.rank, task.node, data, eof
                )
                data = data[taken:]
                if over or not data:
                    return not over
                pause_s = _PAUSES_S[0] if taken else pause_s
            except ApiError as error:  # the node may be away for a moment
                if error.status not in LATER:
                    return False
            except ClientError:
                return False
            time.sleep(pause_s)
            pause_s = min(pause_s * 2, most_s)


def _has_data(fd: int) -> bool:
    """Return whether there is anything to read: not from a closed standard input, nor from
    /dev/null."""
    try:
        found = os.fstat(fd)
    except OSError:
        return False
    return not (stat.S_ISCHR(found.st_mode) and found.st_rdev == _NULL)
