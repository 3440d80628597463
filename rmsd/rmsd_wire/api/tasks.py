"""Bodies about the tasks that `rrun` starts in jobs."""

from __future__ import annotations

from typing import Annotated

import msgspec


class TaskSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/jobs/{id}/tasks: start one task of a step on a node of the job (`rrun`). `attempt`:
    the attempt of the step; 0: the one that runs."""

    node: str
    step: str
    task: Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
    argv: list[str]
    env: dict[str, str] = {}
    workdir: str = ""
    attempt: int = 0


class TaskReply(msgspec.Struct, frozen=True):
    """The answer to starting a task, and to sending it a signal."""

    schema: str = "rmsd.task/1"
