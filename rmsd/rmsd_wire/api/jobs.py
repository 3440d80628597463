"""Bodies about jobs, their attempts, and cancelling jobs."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from rmsd_wire.api.submission import JobPart
from rmsd_wire.api.updates import JobChange
from rmsd_wire.link import WarnSignal
from rmsd_wire.link_values import MAX_SIGNAL


class ComponentView(msgspec.Struct, frozen=True):
    """A part of a job's request: `units` of `cores` each, on as few nodes as hold them, or
    (`spread`) one on each of `units` nodes; `mem_mib` on every node used, which must have the
    `feature` (None: any node will do) and be in the `partition` (None: all nodes are one).
    `require`: nodes that are among those used; `exclude`: nodes that are not. `exclusive`: the
    nodes used are the job's alone; `all_mem`: it gets all of their memory. `gres`: devices on every
    node used, `gres_per_unit` for each unit. `unit_mem`: `mem_mib` is for each unit as well."""

    units: int
    cores: int
    mem_mib: int
    spread: bool
    feature: str | None
    partition: str | None
    require: list[str]
    exclude: list[str]
    exclusive: bool = False
    all_mem: bool = False
    gres: str = ""
    gres_per_unit: str = ""
    unit_mem: bool = False


class DependencyView(msgspec.Struct, frozen=True):
    """A condition on another job that has still to come true. `due_us`: when that will be, if it is
    known."""

    relation: str
    job_id: int
    delay_s: float
    due_us: int | None


class UnmetView(msgspec.Struct, frozen=True):
    """A condition on another job that can never come true. `state`: how the other job ended; None
    if that is not known."""

    relation: str
    job_id: int
    state: str | None


class ConditionsView(msgspec.Struct, frozen=True):
    """The conditions that must still come true before a job may start. `held_by`: "user" or
    "operator". `any_of`: one of the dependencies suffices. `never`: they can never be fulfilled.
    `unmet`: the dependencies for which that is so."""

    held_by: str | None
    begin_us: int | None
    dependencies: list[DependencyView]
    any_of: bool
    never: bool
    unmet: list[UnmetView]


class PredictedView(msgspec.Struct, frozen=True):
    """A prediction of a job that held from `at_us` on. `prediction_s` None: unlimited."""

    at_us: int
    prediction_s: float | None


class DecisionsView(msgspec.Struct, frozen=True, kw_only=True):
    """The decisions about a job, for metrics. None: there was none, or it is not known."""

    rank: int | None  # the number of starts that were decided before that of the job
    behind: int | None  # the job with a reservation that the job was started past
    reserved_at_us: int | None  # when the job was first promised a start
    reserved_rank: int | None  # the number of starts that were decided by then
    reserved_us: int | None  # the start that was promised
    predictions: list[PredictedView] | None  # a job that is over has the first, and each change


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """A job as the API shows it, waiting, running or long over. None: not (yet) known."""

    job_id: int
    name: str
    user: str
    state: str
    state_code: str
    reason: str
    submit_us: int
    submit_time: str
    eligible_us: int | None  # when the conditions had come true; None: they have not
    conditions: ConditionsView | None  # the ones that have not come true yet
    start_us: int | None
    start_time: str | None
    end_us: int | None
    end_time: str | None
    elapsed_s: float | None
    wait_s: float | None
    estimate_s: float | None  # unlimited if None
    time_limit_s: float | None  # no limit if None, though there may be an estimate
    prediction_s: float | None
    corrections: int
    backfilled: bool
    tasks: int
    cpus_per_task: int
    cpus: int
    nodes: int | None  # allocated; before that as requested
    nodelist: str
    node_cpus: list[int]  # in the order of the nodelist
    mem_mib: int
    constraint: str | None
    partition: str  # in which it runs or ran; before that those that it names, with commas
    request: list[ComponentView]  # the request as the scheduler uses it: one of these
    attempt: int
    restartable: bool
    warn_signal: WarnSignal | None
    trial_end_us: int | None  # the end of the trial that runs or has expired; of no speculation
    lost_s: float  # the time that its killed trials ran in all
    exit_code: int | None
    signal: int | None
    cause: str | None
    stop_cause: str | None  # the cause, if the job is being ended
    message: str
    cpu_s: float | None
    max_rss_mib: int | None
    workdir: str
    stdout: str
    stderr: str
    comment: str
    command: str = ""  # the file of the script, with its arguments
    account: str
    qos: str
    reservation: str = ""
    stdin: str
    append: bool
    requeue: bool  # the job may run again: if its node is lost, or on request
    notify: str
    mail_types: list[str] = []  # the events of which mail is sent
    mail_user: str = ""  # to whom it is sent
    changes: list[JobChange] = []  # after the submit, the latest last
    notify_problem: str = ""  # the reason for which the notice was given up
    array_job_id: int | None = None  # the number of the array; None: the job belongs to none
    array_task_id: int | None = None  # the task's index; None: the job is no task
    array_task_str: str = ""  # the tasks that an array's row stands for, as "0-15%2"
    array_tasks: int | None = None  # the number of tasks of an array
    array_max_tasks: int | None = None  # the most tasks that may run at a time
    suspended_s: float = 0.0  # the time for which the attempt was suspended
    mem_per_cpu_mib: int = 0  # the memory that was asked for by processor, or 0
    deadline_us: int | None = None  # the job ends if its limit would reach beyond this time
    requeue_hold: str | None = None  # "user" or "operator": the job is held if it waits again
    nice: int = 0  # points that its priority is lowered by
    licenses: str = ""  # the licenses that it has or asks for, as "matlab:2,ansys:1"
    node_mem_mib: list[int] = []  # the memory on each node, if it differs; or none at all
    node_gres: list[str] = []  # the devices on each node, as "gpu:a100:0,1;fpga:0"; or none at all
    parts: list[JobPart] = []  # the nodes follow the order of the nodelist; or none at all
    cancelled_by: str | None = None  # the account that has cancelled it, or tasks of an array
    decisions: DecisionsView | None = None  # in lists that were asked for them


class JobReply(msgspec.Struct, frozen=True):
    """GET, POST and DELETE /v1/jobs/{id}."""

    job: JobView
    schema: str = "rmsd.job/1"


class JobAction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/jobs/{id}. "hold": a waiting job does not start before it is released, and a running
    one not again. "requeue": a running job is ended, and runs again from its beginning. "restart":
    a job that is over runs again, and the jobs whose dependencies it could not fulfil wait for it
    anew. "run-again": one of these two, whichever the job's state allows. With `hold`, the job is
    held at one of these three. "suspend": the processes of a running job are stopped, until
    "resume"; only operators may."""

    action: Literal["hold", "release", "requeue", "restart", "run-again", "suspend", "resume"]
    hold: bool = False


class SignalBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/jobs/{id}/signal. `to`: the script's own process, or all the processes of the steps
    that `rrun` has started, or all processes of the job. `step`: instead of these, all processes of
    the step of srun with this number."""

    signal: Annotated[int, msgspec.Meta(ge=1, le=MAX_SIGNAL)]
    to: Literal["script", "steps", "all"] = "all"
    step: Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)] | None = None


class SignalReply(msgspec.Struct, frozen=True):
    """POST /v1/jobs/{id}/signal: the nodes that were reached."""

    nodes: int
    schema: str = "rmsd.signal/1"


class AttemptView(msgspec.Struct, frozen=True, kw_only=True):
    """One start of a job. `cause` None: it runs."""

    attempt: int
    start_us: int
    end_us: int | None
    nodelist: str
    node_cpus: list[int]  # in the order of the nodelist
    cause: str | None
    exit_code: int | None
    signal: int | None
    message: str


class AttemptsReply(msgspec.Struct, frozen=True):
    """GET /v1/jobs/{id}/attempts, the first one first."""

    attempts: list[AttemptView]
    schema: str = "rmsd.attempts/1"


class JobsReply(msgspec.Struct, frozen=True):
    """GET /v1/jobs: the newest jobs of those asked for, by number.

    `before`: there may be older jobs as well; the same request with this `before` gives the next
    ones. None: there are none. Each job is shown as it is when its part of the answer is sent; a
    job that is not asked for any more by then is left out.
    """

    jobs: list[JobView]
    before: int | None = None
    schema: str = "rmsd.jobs/1"


class ScriptReply(msgspec.Struct, frozen=True):
    """GET /v1/jobs/{id}/script: the script of a job, or its beginning. `is_whole`: nothing is left
    out. An emulated job has an empty one."""

    script: str
    is_whole: bool
    schema: str = "rmsd.script/1"


class CancelBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/cancel. `jobs` names tasks of arrays: "12_3", "12_[3-5,7]", or whole jobs and
    arrays: "12". `waiting` has arrays of which the waiting tasks alone are cancelled."""

    job_ids: list[Annotated[int, msgspec.Meta(ge=1, lt=1 << 62)]] = []
    jobs: list[str] = []
    waiting: list[Annotated[int, msgspec.Meta(ge=1, lt=1 << 62)]] = []


class CancelReply(msgspec.Struct, frozen=True):
    """The jobs that were not over already. An array is told for all of its tasks."""

    job_ids: list[int]
    schema: str = "rmsd.cancelled/1"
