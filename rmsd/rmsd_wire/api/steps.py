"""Bodies about the steps of jobs, as `srun` tells of them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

StepCause = Literal["", "CANCELLED", "TIMEOUT"]
"""The state of a step that something else than its tasks has ended; "" of any other step."""

_Number = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
_Text = Annotated[str, msgspec.Meta(max_length=256)]


class StepShare(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The nodes, tasks and processors of a step in one of the parts of its job (`JobPart`), by the
    place of that part."""

    part: _Number
    nodelist: Annotated[str, msgspec.Meta(max_length=4096)]
    tasks: _Number
    cpus: _Number


class StepBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/jobs/{id}/steps: a step begins, on these nodes of the job. `parts`: the share of
    each part of the job, if the job has parts."""

    name: _Text
    nodelist: Annotated[str, msgspec.Meta(max_length=4096)]
    tasks: _Number
    cpus: _Number
    parts: Annotated[list[StepShare], msgspec.Meta(max_length=128)] = []


class StepReply(msgspec.Struct, frozen=True):
    """The number of the step in its job, counted from 0."""

    number: int
    schema: str = "rmsd.step/1"


_Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
_Name = Annotated[str, msgspec.Meta(max_length=256)]


class TaskFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The use of a step's single tasks: means, and the ranks and nodes of the task with the least
    processor time and of the one with the most memory."""

    ave_cpu_s: _Seconds
    min_cpu_s: _Seconds
    min_cpu_task: _Number
    min_cpu_node: _Name
    ave_rss_mib: Annotated[float, msgspec.Meta(ge=0, le=1e15)]
    max_rss_task: _Number
    max_rss_node: _Name


class StepEndBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/jobs/{id}/steps/{number}: a step is over. `exit_code` and `signal` are of the task
    that ended worst, and the usage is that of all tasks; None if it is not known of all of them.
    `timed_out`: the step was ended at its own limit."""

    exit_code: _Number = 0
    signal: _Number = 0
    cpu_s: _Seconds | None = None
    max_rss_mib: Annotated[int, msgspec.Meta(ge=0, lt=1 << 50)] | None = None
    timed_out: bool = False
    figures: TaskFigures | None = None


class StepView(msgspec.Struct, frozen=True, kw_only=True):
    """A step. `end_us` None: it runs, or ended with its job."""

    job_id: int
    attempt: int
    number: int
    name: str
    nodelist: str
    tasks: int
    cpus: int
    start_us: int
    end_us: int | None
    exit_code: int
    signal: int
    cpu_s: float | None
    max_rss_mib: int | None
    cause: StepCause = ""
    figures: TaskFigures | None = None
    parts: list[StepShare] = []


class GpuUseView(msgspec.Struct, frozen=True):
    """The use of one of a job's GPUs now, by whichever programs: the part of the time in which it
    was busy, and its memory. None: its driver does not tell."""

    number: int
    busy_percent: int | None
    mem_used_mib: int | None
    mem_mib: int | None


class NodeUse(msgspec.Struct, frozen=True):
    """The use of a job on one of its nodes now: processor time from the start of its attempt on,
    memory now and at most, processes and threads. `problem` says why nothing is known. `gpus`:
    those of the job's GPUs whose use the node's driver tells. `processors`: the numbers of those
    that the job is bound to, as "0-3,8"; "": it is bound to none, or the agent does not tell."""

    node: str
    cpus: int
    cpu_s: float | None = None
    mem_mib: int | None = None
    max_rss_mib: int | None = None
    processes: int | None = None
    threads: int | None = None
    problem: str = ""
    gpus: list[GpuUseView] = []
    processors: str = ""


class JobUseReply(msgspec.Struct, frozen=True):
    """GET /v1/jobs/{id}/use: what a job that runs uses now."""

    job_id: int
    attempt: int
    nodes: list[NodeUse]
    schema: str = "rmsd.use/1"


class WorstStep(msgspec.Struct, frozen=True):
    """The highest exit code of the steps of an attempt, with its signal."""

    job_id: int
    attempt: int
    exit_code: int
    signal: int


class StepsReply(msgspec.Struct, frozen=True):
    """GET /v1/steps: the steps that are remembered of these jobs, the first one first. `worst` has
    all attempts with a failed step, also those whose steps are forgotten. All steps of jobs that
    started after `known_from_us` are remembered."""

    steps: list[StepView]
    worst: list[WorstStep]
    known_from_us: int = 0
    schema: str = "rmsd.steps/1"
