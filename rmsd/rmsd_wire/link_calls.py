"""The calls of the daemon to an agent, and the reply (see `link`).

They serve people (`rrun`, `rlog`), change no job, and are never repeated by the daemon.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from rmsd_wire.link_values import (
    Code,
    Count,
    Id,
    Name,
    NewSide,
    Seconds,
    Size,
    Span,
    TaskBind,
    TerminalSpec,
    Umask,
)


class StartTask(msgspec.Struct, tag="start-task"):
    """Run a task of a step (`rrun`) beside the job's script. A repeated message has no effect. An
    agent that does not know of terminals runs the task without one."""

    call: Id
    job_id: Id
    attempt: Count
    node: Name
    step: str  # chosen by rrun, unique within the job
    task: Count  # rank within the step
    argv: list[str]
    env: dict[str, str]
    workdir: str
    stdin: bool = False  # True: the task reads what `WriteInput` brings
    terminal: TerminalSpec | None = None  # `stdin` says nothing if there is one
    bind: TaskBind | None = None  # an older agent does not bind the task
    umask: Umask | None = None  # None, and with an older agent: that of the script


class WriteInput(msgspec.Struct, tag="write-input"):
    """Give bytes to a task that was started with `stdin`, or have them typed at its terminal. The
    reply's `offset` is the number of bytes that were taken, and `eof` says that the task, or its
    input, is over. At a terminal, a call without bytes says that somebody is there, and `rows` and
    `cols`, if they are not 0, how large the terminal is now."""

    call: Id
    job_id: Id
    attempt: Count
    node: Name
    step: str
    task: Id
    data: bytes
    eof: bool = False
    rows: NewSide = 0
    cols: NewSide = 0


class StopTask(msgspec.Struct, tag="stop-task"):
    call: Id
    job_id: Id
    attempt: Count
    node: Name
    step: str
    task: Id
    signal: int


class SignalJob(msgspec.Struct, tag="signal-job"):
    """Send a signal to the script's own process (`to` is "script"), to all processes of the steps
    ("steps"), or to all of the attempt on this node ("all"). An older agent answers that it does
    not know the call."""

    call: Id
    job_id: Id
    attempt: Count
    node: Name
    signal: int
    to: Literal["script", "steps", "all"]


class SignalStep(msgspec.Struct, tag="signal-step"):
    """Send a signal to all processes that a step of srun has on this node. The names of its tasks
    begin with its number. An older agent answers that it does not know the call."""

    call: Id
    job_id: Id
    attempt: Count
    node: Name
    step: Count
    signal: int


class ReadUse(msgspec.Struct, tag="read-use"):
    """Ask what an attempt uses on this node now. The reply's `data` is a `PresentUse` as
    MessagePack. An older agent answers that it does not know the call."""

    call: Id
    job_id: Id
    attempt: Count
    node: Name


MOST_OF_PROCESSORS = 2048
"""The longest text about the processors of an attempt."""
Processors = Annotated[str, msgspec.Meta(pattern="^[0-9,-]*$", max_length=MOST_OF_PROCESSORS)]

MOST_GPUS = 64
"""The most GPUs of an attempt on a node whose use is told."""


class GpuUse(msgspec.Struct, array_like=True, frozen=True):
    """The use of a GPU now, by whichever programs: the part of the time in which it was busy, and
    its memory. None: its driver does not tell."""

    number: Id
    busy_percent: Size | None = None
    mem_used_mib: Size | None = None
    mem_mib: Size | None = None


class PresentUse(msgspec.Struct):
    """The use of an attempt on a node, at an instant: processor time from its start on, what it
    holds now, and the most memory that was seen (None: no look has found any). `gpus`: those of the
    attempt's GPUs of which their driver tells something. `processors`: the numbers of those that
    the attempt is bound to, as "0-3,8"; "": it is bound to none, or they take too many words."""

    cpu_s: Seconds
    mem_mib: Size
    processes: Id
    threads: Id
    max_rss_mib: Size | None = None
    gpus: list[GpuUse] = []
    processors: Processors = ""


class ReadFile(msgspec.Struct, tag="read-file"):
    """Read up to `limit` bytes of an output file from `offset`.

    The file is a stream ("stdout", "stderr") of the script (`step` is "") or of a task. If there is
    nothing past `offset`, wait up to `wait_s` for more or for the end. The reply's `eof` says that
    the process is over and `offset + len(data)` is the end of the file. For a task the reply
    carries the exit code. `path` is where the script's stream goes by the daemon's record, for an
    agent that has already forgotten the attempt. `path` is "" if the script is not known to have
    been started: a file there may belong to another job. `user` is the account with whose rights
    the file is read, as in `Launch`.
    """

    call: Id
    job_id: Id
    attempt: Count
    node: Name
    stream: Literal["stdout", "stderr"]
    offset: Id
    limit: Size
    wait_s: Span = 0.0
    step: str = ""
    task: Id = 0
    path: str = ""
    user: str = ""


class ReadEnded(msgspec.Struct, tag="read-ended"):
    """Ask which attempts have ended here, as far back as the agent remembers.

    A daemon asks after a restore, of agents that remember, a page at a time: entries from number
    `offset` on, in about `limit` bytes (0: all of them). The reply's `data` is a MessagePack list
    of `EndedAttempt`, its `offset` the number of the next entry, its `eof` whether that was all. An
    agent of the previous version answers with all entries, and `offset` 0.
    """

    call: Id
    offset: Count = 0
    limit: Size = 0


class Reply(msgspec.Struct, tag="reply"):
    """The answer to a call. `error` is for people, `status` an HTTP status that fits it."""

    call: Id
    status: int = 200
    error: str = ""
    data: bytes = b""
    offset: int = 0
    eof: bool = False
    exit_code: Code | None = None
    signal: Code | None = None
    running: bool = False
    cpu_s: Seconds | None = None  # used by a task that is over
    max_rss_mib: Size | None = None


Call = StartTask | StopTask | SignalJob | SignalStep | WriteInput | ReadFile | ReadUse
