"""The places to which the output of a step's tasks goes: the command's own streams, or files."""

from __future__ import annotations

import os
from typing import NamedTuple

from rmsd_client.steps.step import standard_sinks
from rmsd_client.steps.tasks import rank_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from rmsd_client.steps.step import Sink, SinkOf
    from rmsd_client.steps.tasks import Task

    Job = dict[str, Any]

_MOST_LETTERS = 10


class _File:
    """A file that output goes to. It is opened for each portion: a step may have more of them than
    a process may have open."""

    def __init__(self, path: str, append: bool) -> None:
        self._path = path
        if not append:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666))

    def write(self, data: bytes) -> None:
        with open(self._path, "ab", buffering=0) as file:
            file.write(data)

    def flush(self) -> None:
        """Do nothing: what is written is in the file."""


class _Nothing:
    def write(self, data: bytes) -> None:
        """Drop the output."""

    def flush(self) -> None:
        """Do nothing."""


class StepFiles(NamedTuple):
    """The places of a step's output and errors: None or "all" for the command's own streams,
    "none", the rank of the only task that is shown, or a pattern of file names. `append` keeps what
    is in the files; `label` begins each line with the rank of its task."""

    output: str | None = None
    error: str | None = None
    append: bool = False
    label: bool = False

    def sinks(self, job: Job, step: str, failed: Callable[[str, str], None]) -> SinkOf:
        """Return where the streams of tasks go. `failed` is called with each file that cannot be
        opened, and the reason; what would go there is dropped."""
        standard = standard_sinks(self.label)
        files: dict[str, Sink] = {}

        def sink_of(task: Task, name: str) -> tuple[Sink, bytes]:
            pattern = self.error if name == "stderr" else self.output
            if pattern is None or pattern == "all":
                return standard(task, name)
            if pattern == "none":
                return _Nothing(), b""
            if (rank := rank_of(pattern)) is not None:
                return standard(task, name) if rank == task.rank else (_Nothing(), b"")
            path = fill(pattern, job, task, step)
            if path not in files:
                try:
                    files[path] = _File(path, self.append)
                except (
                    OSError,
                    ValueError,
                ) as error:  # a daemon may name a job so that none has it
                    why = error.strerror if isinstance(error, OSError) else error
                    failed(path, str(why))
                    files[path] = _Nothing()
            return files[path], f"{task.rank}: ".encode() if self.label else b""

        return sink_of


def fill(pattern: str, job: Job, task: Task, step: str) -> str:
    """Return a file's name for a task: the values of `%j`, `%t` and the others in their places."""
    number = str(job["job_id"])
    values: Mapping[str, str] = {
        "A": str(job.get("array_job_id") or number), "a": _array_task_id(job), "j": number,
        "J": f"{number}.{step}", "N": task.node, "n": str(task.node_index), "s": step,
        "t": str(task.rank), "u": str(job["user"]), "x": str(job["name"]), "%": "%",
    }  # fmt: skip
    values = {letter: _within_a_name(value) for letter, value in values.items()}
    result, at = "", 0
    while (percent := pattern.find("%", at)) >= 0:
        result += pattern[at:percent]
        at = percent + 1
        while pattern[at : at + 1].isdecimal():
            at += 1
        digits, letter = pattern[percent + 1 : at], pattern[at : at + 1]
        value = values.get(letter, f"%{letter}")
        if digits and value.isdecimal():
            value = value.zfill(min(int(digits[:2]), _MOST_LETTERS))
        result += value
        at += 1
    return result + pattern[at:]


def _within_a_name(value: str) -> str:
    """Return a value that leads to no other directory, whatever a daemon says."""
    return "_" if value in (".", "..") else value.replace("/", "_")


def _array_task_id(job: Job) -> str:
    index = job.get("array_task_id")
    return str(job.get("array_task_str") or "N/A") if index is None else str(index)
