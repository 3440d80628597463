"""Bodies about submitting jobs."""

from __future__ import annotations

from typing import Literal

import msgspec

from rmsd_core.vocabulary import Relation
from rmsd_wire.link import WarnSignal
from rmsd_wire.link_values import Rlimits, Umask


class EmulateSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An emulated job, in place of a script: it lasts `run_s` of model time, on an emulated node.
    For replays.

    `limited` says whether the job is cut at its estimate (`--kill-at-estimate`).
    """

    run_s: float
    exec: Literal["timer", "process"] = "timer"
    limited: bool = False


class DependencySpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A condition on another job, which must exist. `job_id` is 0 for "singleton"; `delay_s` counts
    from the start of the other job, for "after" alone. `array_task_id`: the condition is on this
    task of the array `job_id`, by its index; None: on the job, or on all tasks of the array."""

    relation: Relation
    job_id: int = 0
    array_task_id: int | None = None
    delay_s: float = 0


class ConditionsSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The conditions that must come true before a job may start.

    `begin_us`: model time, in microseconds since the epoch; `begin_in_s`: seconds from the submit
    on. `any_of`: one fulfilled dependency suffices. `end_if_never`: the job is cancelled if its
    dependencies can never be fulfilled; otherwise it waits on. `after_corr`: the number of an
    array; each task of this array waits for the success of the task with its index there.
    """

    hold: bool = False
    begin_us: int | None = None
    begin_in_s: float | None = None
    dependencies: list[DependencySpec] = []
    any_of: bool = False
    end_if_never: bool = False
    after_corr: int | None = None


class JobPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a job that Slurm would call a component of a heterogeneous job: its name, how many
    of the job's nodes are its own, its tasks, and the processors of each (0: as many as the job
    says)."""

    name: str
    nodes: int
    tasks: int
    cpus_per_task: int = 0


class SubmitSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One job to submit. Exactly one of `script` and `emulate` is given.

    `constraint`: a feature, or several with & and |. `nodelist`: a host list of nodes that the job
    must have among its nodes, `exclude` of those that it must not have.
    `cpus_per_task` None: one. `nodes` None: as few nodes as hold the tasks. `most_nodes`: `nodes`
    is the least of a range up to this, and the job has the fewest of the range that can ever hold
    it. `time_limit_s` None: the configured default; 0: no limit. `mem_mib` is per node, 0: not
    accounted; `mem_per_cpu_mib`, in its place, for each processor: a node gives as much as the most
    of the job's tasks on one node need. `partition`: names, with commas; the job starts in the
    first that can take it ("": the default). `stdout` and `stderr`: patterns with Slurm's letters
    (%j %A %a %x %u %N %%) and
    %r, the attempt, relative to `workdir`.
    `append`: what is there already stays, and output follows it. `stdin`: a file, likewise a
    pattern, that the script reads; "" is an empty one. `account`: of which the job
    is, and `qos`: its quality of service ("": the default; without configured accounts a job may
    name any). `nice`: points that the job's priority is lowered by, under the order `priority`;
    only operators may raise it, by negative ones. `licenses`: of the cluster, as "matlab:2,ansys".
    `reservation`: the advance reservation inside which the job runs ("": none).
    `exclusive`: the job has its nodes for itself, with all that they have. `all_mem`: it has all
    memory of its nodes. `gres`: devices on each node, as "gpu:a100:2,fpga:1"; `gres_per_task`:
    devices for each task.
    `deadline_us`: model time in microseconds since the epoch, `deadline_in_s`: seconds from the
    submit on; the job is ended (DEADLINE) if it waits so long that its limit reaches beyond this.
    `array`: the job is an array with these tasks, as "0-15:4%2,20"; "": it is none.
    `restartable`: whether the job may get a trial run and speculations, and be killed before its
    turn to run again later; None: the configured default.
    `warn_signal`: a signal ahead of the limit. `notify`: a URL or a command that is told when the
    job is over. `mail_types`: the events of the job of which `mail_user` is told by mail, some of
    `mail_types.MAIL_TYPES`; addresses have commas between them ("": the job's user).
    `submit_dir` is where the submitter was ("": in `workdir`). `command`: the file of the script
    with its arguments ("": it was in none).
    Only operators may name another `user`, as a replay does for the users of its trace.
    The user may not have a higher role than the caller. `rlimits`: the soft resource limits of the
    submitter, by names as NOFILE (null: no limit). The job gets those of them that the setting
    `propagate_limits` names, or all of them if the submitter chose them (`rlimits_asked`).
    `umask`: that of the files which the script makes, and of its output files; None: 022, or on an
    agent that runs all jobs as its own account the agent's.
    `parts`: the job's nodes in parts, in this order; the parts make up `nodes`, and need as many
    processors on each of their nodes as the job does. They make up `tasks`, too, unless their tasks
    have processors in numbers of their own. An empty list: one part.
    """

    name: str = ""
    script: str | None = None
    args: list[str] = []
    env: dict[str, str] = {}
    workdir: str = ""
    stdout: str = ""
    stderr: str = ""
    tasks: int | None = None
    cpus_per_task: int | None = None
    nodes: int | None = None
    most_nodes: int | None = None
    mem_mib: int = 0
    mem_per_cpu_mib: int = 0
    time_limit_s: float | None = None
    constraint: str | None = None
    nodelist: str = ""
    exclude: str = ""
    partition: str = ""
    comment: str = ""
    account: str = ""
    qos: str = ""
    nice: int = 0
    licenses: str = ""
    reservation: str = ""
    stdin: str = ""
    append: bool = False
    requeue: bool = True
    restartable: bool | None = None
    warn_signal: WarnSignal | None = None
    notify: str = ""
    mail_types: list[str] = []
    mail_user: str = ""
    emulate: EmulateSpec | None = None
    user: str | None = None
    submit_host: str = ""
    submit_dir: str = ""
    command: str = ""
    conditions: ConditionsSpec | None = None
    deadline_us: int | None = None
    deadline_in_s: float | None = None
    array: str = ""
    exclusive: bool = False
    all_mem: bool = False
    gres: str = ""
    gres_per_task: str = ""
    rlimits: Rlimits = {}
    rlimits_asked: bool = False
    umask: Umask | None = None
    parts: list[JobPart] = []


class SubmitBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/jobs. All jobs are accepted, in this order, or none is.

    `at_us`: on a paced clock, when they arrive. The clock does not go beyond that without them, and
    then not on before the caller has said when it submits next, or that it does not
    (`RunOutReply`).
    """

    jobs: list[SubmitSpec]
    at_us: int | None = None


class Submitted(msgspec.Struct, frozen=True):
    """One accepted job, with the effective request. array_tasks: how many tasks the array has;
    None: the job is no array. mail_types: of what mails are sent; none if the site sends none.
    nice: as asked for; 0 if the order of the queue has no points."""

    job_id: int
    name: str
    tasks: int
    cpus: int
    nodes: int | None
    mem_mib: int
    time_limit_s: float | None
    stdout: str
    array_tasks: int | None = None
    exclusive: bool = False
    all_mem: bool = False
    gres: str = ""
    gres_per_task: str = ""
    mail_types: list[str] = []
    nice: int = 0
    mem_per_cpu_mib: int = 0


class RunOutReply(msgspec.Struct, frozen=True):
    """POST /v1/run-out. The paced clock shows `model_us`, and `live` jobs wait or run. `over`:
    nothing is left to happen."""

    model_us: int
    live: int
    over: bool
    schema: str = "rmsd.run-out/1"


class SubmitReply(msgspec.Struct, frozen=True):
    jobs: list[Submitted]
    schema: str = "rmsd.submitted/1"
