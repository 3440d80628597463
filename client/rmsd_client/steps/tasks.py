"""The tasks that `rrun` starts on each node, by the job's environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rmsd_client.console.cli import plural
from rmsd_client.errors import UsageError
from rmsd_client.steps.device_environment import device_environment, without_own_devices
from rmsd_wire.hostlist import HostlistError, expand

_MAX_DIGITS = 7  # no job has ten million tasks


class Task(NamedTuple):
    """A task of a step: its rank, its node, that node's place in the job, its rank there, and the
    devices that it sees there (None: all those of its job). `processors`: the places of its own
    ones among those of the job there, if it is bound to such."""

    rank: int
    node: str
    node_index: int
    local_rank: int
    devices: tuple[tuple[str, int], ...] | None = None
    processors: tuple[int, ...] = ()


class Layout(NamedTuple):
    """The job around this process, and its tasks in order of their rank."""

    job_id: int
    tasks: list[Task]


def read_layout(environ: Mapping[str, str]) -> Layout:
    """Return the job and all its tasks, those of a node one after the other.

    Raises:
        UsageError: this is no job's environment, or it is incomplete.
    """
    if "RMS_JOB_ID" not in environ:
        raise UsageError("rrun works inside a job only: submit a script that calls it with rsub")
    try:
        job_id = int(environ["RMS_JOB_ID"])
        nodes = expand(environ["RMS_NODELIST"])
        counts = parse_counts(environ["RMS_TASKS_PER_NODE"])
    except (KeyError, ValueError, HostlistError) as error:
        raise UsageError(f"the job's environment is damaged: {error!s}") from None
    if len(nodes) != len(counts):
        raise UsageError(
            f"the job's environment is damaged: RMS_NODELIST has {plural(len(nodes), 'node')}, "
            f"RMS_TASKS_PER_NODE {len(counts)}"
        )
    places = [
        (node, index, local)
        for index, (node, count) in enumerate(zip(nodes, counts, strict=True))
        for local in range(count)
    ]
    return Layout(job_id, [Task(rank, *place) for rank, place in enumerate(places)])


def rank_of(text: str) -> int | None:
    """Return the rank that the text names, or None if it is another word, as a file's name."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS else None


def parse_counts(text: str) -> list[int]:
    """Return the counts of `2,1` or, as Slurm shortens it, `2(x3),1` -> [2, 2, 2, 1].

    Raises:
        ValueError: the text has neither form.
    """
    counts = []
    for item in text.split(","):
        count, times, rest = item.partition("(x")
        if times and not rest.endswith(")"):
            raise ValueError(f"'{text}' is not a list of task counts")
        counts += [_number(count)] * (_number(rest[:-1]) if times else 1)
    return counts


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise ValueError(f"'{text[:20]}' is not a number of tasks")
    return int(text)


def passed_on(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the variables of this process's own task and of its way to the
    daemon."""
    kept = without_own_devices(environ)
    return {k: v for k, v in kept.items() if not k.startswith(("RMS_", "RMSD_"))}


def task_environment(
    task: Task, count: int, step: str, environ: Mapping[str, str]
) -> dict[str, str]:
    """Return the environment of a task beside its node's own RMS_* variables: `environ`, and its
    place."""
    devices = {} if task.devices is None else device_environment(task.devices)
    return {
        **environ,
        **devices,
        "RMS_PROCID": str(task.rank),
        "RMS_LOCALID": str(task.local_rank),
        "RMS_NODEID": str(task.node_index),
        "RMS_NTASKS": str(count),
        "RMS_STEP_ID": step,
    }
