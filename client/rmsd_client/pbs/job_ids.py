"""The names of jobs in PBS: `12.rmsd`, an array `12[].rmsd`, and its subjob `12[3].rmsd`."""

from __future__ import annotations

import re

from rmsd_client.pbs.ending import USAGE, PbsError
from rmsd_wire.pbs_names import SERVER, job_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Job = dict[str, Any]

_ID = re.compile(r"(\d{1,18})(?:\[([\d,:-]*)\])?(?:\.([\w.-]+))?", re.ASCII)


class JobId:
    """A job that a command line names.

    `name`: the name by which the daemon knows the job, as `12` or `12_[3-5]`. `indices`: the text
    in the brackets; None if there are none.
    """

    __slots__ = ("indices", "job_id", "name", "text")

    def __init__(self, text: str, job_id: int, indices: str | None) -> None:
        self.text = text
        self.job_id = job_id
        self.indices = indices
        self.name = str(job_id)
        if indices:
            self.name += f"_{indices}" if indices.isdigit() else f"_[{indices}]"


def parse_id(program: str, text: str) -> JobId:
    """Return the job that `12`, `12.rmsd`, `12[]`, `12[3]` or `12[3-5].rmsd` names.

    Raises:
        PbsError: the text names none.
    """
    match = _ID.fullmatch(text)
    if match is None:
        raise PbsError(f"{program}: illegally formed job identifier: {text}", code=USAGE)
    number, indices, _ = match.groups()
    return JobId(full_name(text), int(number), indices)


def full_name(text: str) -> str:
    """Return the name with the server's, which a user may leave out."""
    return text if "." in text else f"{text}.{SERVER}"


def text_id(job: Job) -> str:
    """Return the name of a job as the daemon's `JobView` has it."""
    if job.get("array_task_id") is not None:
        return job_name(job["array_job_id"], job["array_task_id"])
    if is_array(job):
        return job_name(job["job_id"], "")
    return job_name(job["job_id"])


def is_array(job: Job) -> bool:
    """Return whether a row of the daemon stands for the waiting tasks of an array."""
    return job.get("array_task_id") is None and bool(job.get("array_tasks"))
