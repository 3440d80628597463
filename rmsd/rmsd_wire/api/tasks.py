"""Bodies about the tasks that `rrun` starts in jobs."""

from __future__ import annotations

from typing import Annotated

import msgspec

from rmsd_wire.link_values import NewSide, TaskBind, TerminalSpec, Umask


class TaskSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/jobs/{id}/tasks: start one task of a step on a node of the job (`rrun`). `attempt`:
    the attempt of the step; 0: the one that runs. `stdin`: the task reads what it is given
    (`TaskInput`); otherwise it reads nothing. `terminal`: the task runs in a terminal, at which
    input is typed, and all of its output is "stdout". `bind`: the processors that it is bound
    to. `umask`: that of the files which it makes; None: its job's."""

    node: str
    step: str
    task: Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
    argv: list[str]
    env: dict[str, str] = {}
    workdir: str = ""
    attempt: int = 0
    stdin: bool = False
    terminal: TerminalSpec | None = None
    bind: TaskBind | None = None
    umask: Umask | None = None


MOST_INPUT = 64 << 10
"""The most bytes of input in one request."""


class TaskInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/jobs/{id}/tasks/{step}/{task}/input: bytes for a task to read, in base64. `eof`:
    nothing follows. `rows` and `cols`: the new size of its terminal; 0: as before."""

    node: str
    data: Annotated[bytes, msgspec.Meta(max_length=MOST_INPUT)] = b""
    eof: bool = False
    rows: NewSide = 0
    cols: NewSide = 0


class TaskInputReply(msgspec.Struct, frozen=True):
    """The answer to input for a task: how many of the bytes were taken. A task that does not read
    takes none, and one that is `over` takes no more. The end is taken with the last byte."""

    taken: int
    over: bool
    schema: str = "rmsd.input/1"


class TaskReply(msgspec.Struct, frozen=True):
    """The answer to starting a task, and to sending it a signal."""

    schema: str = "rmsd.task/1"
