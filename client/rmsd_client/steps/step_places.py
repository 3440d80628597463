"""The processors and devices of a job that its steps hold, so that steps at once share none.

The steps of a job begin on one host, where its script runs. There each has a file, which says what
the step holds on which node, and which is locked as long as its command (`rrun` or `srun`) lives:
what a killed one has left holds nothing. A lock of the folder of all jobs makes looking and taking
one thing. The last step of a job removes the job's folder; that of a job whose command was killed
is removed when the next job has its first step here. Jobs of two daemons may have one number: the
folder has a checksum of the daemon's address in its name. Where another user has made the folder in
/tmp, it is in the user's home. A step whose file finds no free space shares what it uses with
others.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
import time
import zlib

from rmsd_client.connection.server import find_server
from rmsd_client.errors import UsageError
from rmsd_client.steps.step_devices import held_as
from rmsd_client.steps.step_layouts import (
    devices_left,
    tasks_of,
    tasks_with_devices,
    with_processors,
)
from rmsd_wire.hostlist import expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from rmsd_client.steps.step_layouts import StepRequest
    from rmsd_client.steps.tasks import Task

    Job = dict[str, Any]

FOLDERS = ("/tmp/rmsd-steps-{uid}", "{home}/.rmsd-steps")
"""The places of the folder of all jobs. Another user may have taken the first one; no other can
take the second."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 0.5


@contextlib.contextmanager
def places(
    job: Job,
    asked: StepRequest,
    tasks: list[Task] | None = None,
    *,
    overlap: bool = False,
    waits: Callable[[], None] = lambda: None,
    goes_on: Callable[[], None] = lambda: None,
) -> Iterator[list[Task]]:
    """Give a step its tasks. Their processors, and the devices that the step asks for, are the
    step's own until the end of the context; with `overlap` they may be others' as well. Wait until
    enough are free; `waits` is called if they are not at once, and `goes_on` at the end of the
    wait. `tasks` are laid out already, and may not move to other nodes.

    Raises:
        TooFewProcessors, NodesMissing, WrongNodelist, TooFewDevices: the job has no such place.
    """
    laid_out = tasks is not None
    if tasks is None:
        tasks = tasks_of(job, asked)
    elif asked.devices is not None:
        tasks = tasks_with_devices(job, asked.devices, tasks, devices_left(job, {}))
    tasks = with_processors(job, asked, tasks, {})
    folder = None if overlap else _folder(job)
    if folder is None:
        yield tasks
        return
    try:
        tasks, file, name = _take(job, asked, tasks if laid_out else None, folder, waits, goes_on)
    except OSError:  # others have filled the file system
        yield tasks
        return
    try:
        yield tasks
    finally:
        with contextlib.suppress(OSError), _turn(folder):
            os.unlink(name)
            os.rmdir(folder)  # another step may be in there
        os.close(file)


def _folder(job: Job) -> str | None:
    """Return the folder for the steps of this run of the job, or None if there can be none."""
    uid, home = os.geteuid(), os.path.expanduser("~")
    for place in FOLDERS:
        above = place.format(uid=uid, home=home)
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(above, 0o700)
            found = os.lstat(above)
        except OSError:
            continue
        own = stat.S_ISDIR(found.st_mode) and found.st_uid == uid
        if own and not found.st_mode & 0o077:
            daemon = zlib.crc32(str(find_server()).encode())
            return f"{above}/{job['job_id']}.{job['attempt']}-{daemon:08x}"
    return None


def _take(
    job: Job,
    asked: StepRequest,
    laid_out: list[Task] | None,
    folder: str,
    waits: Callable[[], None],
    goes_on: Callable[[], None],
) -> tuple[list[Task], int, str]:
    """Take processors as soon as enough are free. Returns the tasks, and the file that holds them:
    its descriptor and its name."""
    pause_s, waited = _FIRST_PAUSE_S, False
    while True:
        with _turn(folder):
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder, 0o700)
                _sweep(folder)
            held = _held(folder)
            tasks = _among_free(job, asked, laid_out, held)
            if tasks is not None:
                tasks = with_processors(job, asked, tasks, held)
                file, name = _hold(folder, {**asked.cpus_of(tasks), **_own(tasks)})
                break
        if not waited:
            waits()
        waited = True
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
    if waited:
        goes_on()
    return tasks, file, name


def _among_free(
    job: Job, asked: StepRequest, laid_out: list[Task] | None, held: dict[str, int]
) -> list[Task] | None:
    """Return the tasks on processors and devices that no step holds, or None if these are too
    few."""
    if laid_out is None:
        try:
            return tasks_of(job, asked, held)
        except UsageError:
            return None
    cpus = dict(zip(expand(job["nodelist"]), job["node_cpus"], strict=True))
    needed = asked.cpus_of(laid_out)
    if any(held.get(node, 0) + count > cpus[node] for node, count in needed.items()):
        return None
    if asked.devices is None:
        return laid_out
    try:
        return tasks_with_devices(job, asked.devices, laid_out, devices_left(job, held))
    except UsageError:
        return None


def _own(tasks: list[Task]) -> dict[str, int]:
    """Return the devices that tasks hold, and the places of processors that they are bound to, once
    each."""
    devices = {held_as(task.node, one): 1 for task in tasks for one in task.devices or ()}
    places = {held_as(task.node, ("cpu", one)): 1 for task in tasks for one in task.processors}
    return devices | places


@contextlib.contextmanager
def _turn(folder: str) -> Iterator[None]:
    """Hold the lock under which the steps of all of the user's jobs look and take."""
    file = os.open(os.path.dirname(folder), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def _held(folder: str) -> dict[str, int]:
    """Return how many processors steps hold on each node, and which devices; remove the files of
    those that are over."""
    held: dict[str, int] = {}
    for name in os.listdir(folder):
        path = f"{folder}/{name}"
        try:
            file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:  # the step has just ended
            continue
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            for node, cpus in json.loads(os.read(file, os.fstat(file).st_size)).items():
                held[node] = held.get(node, 0) + cpus
        else:
            os.unlink(path)
        finally:
            os.close(file)
    return held


def _sweep(folder: str) -> None:
    """Remove the folders of other jobs in which no step is left."""
    above, own = os.path.split(folder)
    for name in os.listdir(above):
        if name != own:
            with contextlib.suppress(OSError, ValueError):
                _held(f"{above}/{name}")
                os.rmdir(f"{above}/{name}")  # a step may be in there


def _hold(folder: str, cpus: dict[str, int]) -> tuple[int, str]:
    """Write what a step holds into a file of its own, and lock the file."""
    name = f"{folder}/{os.getpid()}-{time.monotonic_ns()}"
    file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        os.write(file, json.dumps(cpus).encode())
    except OSError:
        os.unlink(name)
        os.close(file)
        raise
    return file, name
