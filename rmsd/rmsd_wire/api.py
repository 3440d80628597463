"""Bodies of the HTTP API under /v1, as the daemon reads and writes them (clients use plain JSON).

Every answer is one JSON object with a `schema` key, `rmsd.<name>/<version>`; later versions of the
same number only add keys. Errors are RFC 9457 problem objects (`Problem`).
Times: `_us` are model microseconds since the epoch, `_s` seconds; people's forms are the client's.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from rmsd_wire.link import Clock, WarnSignal

DEFAULT_LIMIT = 1000
MAX_LIMIT = 10_000
"""How many elements of a long list one answer has, if its request does not say, and at most."""


class EmulateSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Instead of a script: last `run_s` of model time, on an emulated node. For replays.

    `limited` says whether the job is cut at its estimate (`--kill-at-estimate`).
    """

    run_s: float
    exec: Literal["timer", "process"] = "timer"
    limited: bool = False


class SubmitSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One job to submit. Exactly one of `script` and `emulate` is given.

    `nodes` None: as few nodes as hold the tasks. `time_limit_s` None: the configured default; 0: no
    limit. `mem_mib` is per node, 0: not accounted. `stdout`/`stderr`: patterns with Slurm's letters
    (%j %x %u %N %%) and %r, the attempt, relative to `workdir`. `restartable`: whether the job may
    get a trial run, and be killed after it to run again later; None: the configured default.
    `warn_signal`: a signal ahead of the limit. `notify`: a URL or a command that is
    told when the job is over.
    `submit_dir` is where the submitter was ("": in `workdir`). `user` may differ from the caller's
    for operators only, and may not have a higher role than theirs (a replay submits for the users
    of its trace).
    """

    name: str = ""
    script: str | None = None
    args: list[str] = []
    env: dict[str, str] = {}
    workdir: str = ""
    stdout: str = ""
    stderr: str = ""
    tasks: int | None = None
    cpus_per_task: int = 1
    nodes: int | None = None
    mem_mib: int = 0
    time_limit_s: float | None = None
    constraint: str | None = None
    comment: str = ""
    requeue: bool = True
    restartable: bool | None = None
    warn_signal: WarnSignal | None = None
    notify: str = ""
    emulate: EmulateSpec | None = None
    user: str | None = None
    submit_host: str = ""
    submit_dir: str = ""


class SubmitBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/jobs. All jobs are accepted, in this order, or none is."""

    jobs: list[SubmitSpec]


class Submitted(msgspec.Struct, frozen=True):
    """One accepted job, with the effective request."""

    job_id: int
    name: str
    tasks: int
    cpus: int
    nodes: int | None
    mem_mib: int
    limit_s: float | None
    stdout: str


class SubmitReply(msgspec.Struct, frozen=True):
    jobs: list[Submitted]
    schema: str = "rmsd.submitted/1"


class ComponentView(msgspec.Struct, frozen=True):
    """A part of what a job asks for: `units` of `cores` each, on as few nodes as hold them, or
    (`spread`) one on each of `units` nodes; `mem_mib` on every node used, which must have the
    `feature` (None: any node will do)."""

    units: int
    cores: int
    mem_mib: int
    spread: bool
    feature: str | None


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
    start_us: int | None
    start_time: str | None
    end_us: int | None
    end_time: str | None
    elapsed_s: float | None
    wait_s: float | None
    estimate_s: float | None  # None: unlimited
    limit_s: float | None  # when it will be killed; None: never
    prediction_s: float | None
    corrections: int
    backfilled: bool
    tasks: int
    cpus_per_task: int
    cpus: int
    nodes: int | None  # allocated; before that as requested
    nodelist: str
    node_cpus: list[int]  # by node of the nodelist's order
    mem_mib: int
    constraint: str | None
    request: list[ComponentView]  # as the scheduler understands it
    attempt: int
    restartable: bool
    warn_signal: WarnSignal | None
    trial_end_us: int | None  # of the trial that runs or has expired
    lost_s: float  # how long its killed trials ran in all
    exit_code: int | None
    signal: int | None
    cause: str | None
    stop_cause: str | None  # why it is being ended, of a job that is
    message: str
    cpu_s: float | None
    max_rss_mib: int | None
    workdir: str
    stdout: str
    stderr: str
    comment: str
    notify: str


class JobReply(msgspec.Struct, frozen=True):
    """GET and DELETE /v1/jobs/{id}."""

    job: JobView
    schema: str = "rmsd.job/1"


class AttemptView(msgspec.Struct, frozen=True, kw_only=True):
    """One start of a job. `cause` None: it runs."""

    attempt: int
    start_us: int
    end_us: int | None
    nodelist: str
    node_cpus: list[int]  # by node of the nodelist's order
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


class CancelBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/cancel."""

    job_ids: list[Annotated[int, msgspec.Meta(ge=1, lt=1 << 62)]]


class CancelReply(msgspec.Struct, frozen=True):
    """Those that were not over already."""

    job_ids: list[int]
    schema: str = "rmsd.cancelled/1"


class StartView(msgspec.Struct, frozen=True, kw_only=True):
    """When a waiting job is expected to start, and by its prediction to end.

    `basis`: "reservation" (nothing behind the job may delay it), "projection" (the queue laid out
    by the predictions in force), "trial" (its trial run) or "claim" (at once, when those that are
    killed for it have left). All of them hold as long as the predictions do.
    """

    job_id: int
    start_us: int
    start_time: str
    end_us: int
    basis: str


class PlanReply(msgspec.Struct, frozen=True, kw_only=True):
    """GET /v1/plan: expected starts as of `made_us`, the earliest first.

    A waiting job that is not in it has none that could be told: it waits for nodes, or behind a
    job without a limit. `left_out` more are too far behind in the queue to be looked at.
    """

    made_us: int
    made_time: str
    recipe: str
    left_out: int
    starts: list[StartView]
    schema: str = "rmsd.plan/1"


class OtherJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job that another waits for. `start_us`, `end_us`: of a running one the start, and the end
    by its prediction; of a waiting one as expected. `promised_us`: the first start it was promised.
    """

    job_id: int
    name: str
    user: str
    state: str
    cpus: int
    start_us: int | None
    end_us: int | None
    promised_us: int | None


class UsedRun(msgspec.Struct, frozen=True):
    """A job that a prediction was made from."""

    job_id: int
    run_s: float


class PredictionView(msgspec.Struct, frozen=True, kw_only=True):
    """Where a job's first prediction came from: `predict`, `times` and `correct` of the recipe, by
    their names there, and the runs used: `metric` of them was taken. None: the user had too few,
    or they cannot be told any more (`used_known` says which)."""

    predict: str
    times: float
    correct: str
    metric: str
    used: list[UsedRun]
    used_known: bool


class PredictionChange(msgspec.Struct, frozen=True, kw_only=True):
    """`kind`: "correct", the job outlived its prediction, and was to end at `was_end_us`;
    "repredict", the history of its user has grown while it waited; "promise", it was promised the
    start `start_us` (None: behind a job without a limit); "promote", it passed its starvation
    threshold."""

    at_us: int
    kind: str
    prediction_s: float | None
    was_end_us: int | None
    end_us: int | None
    start_us: int | None


class NodeState(msgspec.Struct, frozen=True):
    name: str
    state: str
    reason: str


class WaitView(msgspec.Struct, frozen=True, kw_only=True):
    """Why a job waits.

    `place` of `waiting` in the queue (0: it is not in it). `fits_now`: there is room, were it
    alone. `in_turn`: nothing passes the first in the queue. `head`: who else is first, with the
    start that others may not delay, beside which `beside_cpus` are left at most. `holders`: who
    runs where it is expected to start, and ends before; `before`: who waits and is expected there
    before; the last to end first, the first few of `..._count`. `awaits`: who is being ended for
    it. `unavailable`: the nodes it could use that take nothing now, the first few of `..._count`.
    `never_fits`: why it can never run.
    """

    place: int
    waiting: int
    free_cpus: int
    fits_now: bool
    in_turn: bool
    head: OtherJob | None
    beside_cpus: int
    holders: list[OtherJob]
    holders_count: int
    before: list[OtherJob]
    before_count: int
    awaits: list[int]
    unavailable: list[NodeState]
    unavailable_count: int
    never_fits: str | None


class ExplainReply(msgspec.Struct, frozen=True, kw_only=True):
    """GET /v1/jobs/{id}/explain. `plan_us`: as of when starts and ends are expected. `changes` and
    `attempts` are the latest, where there are very many.

    `start`: of a waiting job. `expected_end_us`: of a running one, by its prediction (of a trial,
    the end of the trial). `wait`: of a waiting one. `held_up`: who waits for a running one to end,
    the first few of `held_up_count`, with their expected starts.
    """

    job: JobView
    recipe: str
    plan_us: int
    start: StartView | None
    expected_end_us: int | None
    prediction: PredictionView
    changes: list[PredictionChange]
    promised_us: int | None
    promised_at_us: int | None
    wait: WaitView | None
    held_up: list[OtherJob]
    held_up_count: int
    attempts: list[AttemptView]
    schema: str = "rmsd.explain/1"


class NodeView(msgspec.Struct, frozen=True, kw_only=True):
    """A node. `state`: idle, mixed, allocated, draining, drained, suspect or down. `memory_limit`:
    who keeps jobs to their memory there: "cgroup" (the kernel), "polling" (the agent, about once a
    second) or "" (nobody)."""

    name: str
    kind: str
    state: str
    reason: str
    cores: int
    cores_used: int
    mem_mib: int
    mem_used_mib: int
    jobs: list[int]
    features: list[str]
    hostname: str
    os: str
    cpu_model: str
    agent_version: str
    memory_limit: str


class NodesReply(msgspec.Struct, frozen=True):
    nodes: list[NodeView]
    schema: str = "rmsd.nodes/1"


class NodeReply(msgspec.Struct, frozen=True):
    """POST /v1/nodes/{name}."""

    node: NodeView
    schema: str = "rmsd.node/1"


class ForgottenReply(msgspec.Struct, frozen=True):
    """DELETE /v1/nodes/{name}."""

    name: str
    schema: str = "rmsd.forgotten/1"


class NodeAction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/nodes/{name}. A drain needs a reason."""

    action: Literal["drain", "resume"]
    reason: str = ""


class You(msgspec.Struct, frozen=True):
    """Who the daemon takes the caller for: `role` is user, operator or admin."""

    user: str
    role: str
    via: str


class TroubleView(msgspec.Struct, frozen=True, kw_only=True):
    """Something that fails again and again, until the next time that it succeeds.

    `what`: `commit` (decisions cannot be stored), `pass` (the scheduler raises an error), `input`
    (it does so after some reports of agents, which wait), `reload` (the state cannot be read back),
    `launch` (commands to agents cannot be sent), `notices` (ends of jobs cannot be told).
    `since_us` is the first failure, UTC; `error` is of the latest one.
    """

    what: str
    since_us: int
    times: int
    error: str
    again_in_s: float


class LeftOutView(msgspec.Struct, frozen=True, kw_only=True):
    """An input that the scheduler was given and could not take; it goes on without. UTC."""

    at_us: int
    what: str
    error: str


class DamageView(msgspec.Struct, frozen=True, kw_only=True):
    """Damage of the database that was met since the daemon's start.

    `times`: reads and writes that failed for it; `since_us`: the first of them, UTC; `error`: of
    the latest. `kept_as` is the damaged file once the daemon has replaced it by what could be read
    of it, "" before. `lost_jobs` could not be read then; operators alone are told.
    """

    times: int
    since_us: int
    error: str
    kept_as: str
    lost_jobs: list[int]


class StatusReply(msgspec.Struct, frozen=True, kw_only=True):
    """GET /v1/status. `awaited`: nodes that must be heard after a restore, before anything is
    started. `socket` serves every account of the machine; None: there is none that does.
    `operators`, `admins`: as configured, names and @groups. `failing`: what fails now. `damage`:
    None if none was met. `left_out_count`: inputs that were left out since the start; `left_out`
    are the latest of them, and operators alone are told."""

    version: str
    pid: int
    user: str
    state_dir: str
    listen: str | None
    socket: str | None
    operators: list[str]
    admins: list[str]
    you: You
    recipe: str
    capacity: str
    clock: Clock
    uptime_s: float
    jobs: dict[str, int]
    nodes: dict[str, int]
    cores: int
    cores_used: int
    passes: int
    pass_ms: dict[str, float]  # p50, p99, max of the recent passes
    commits: int
    commit_ms: dict[str, float]  # likewise, until the decisions of a pass are on disk
    awaited: list[str] = []
    failing: list[TroubleView] = []
    damage: DamageView | None = None
    left_out_count: int = 0
    left_out: list[LeftOutView] = []
    schema: str = "rmsd.status/1"


class NewToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """POST /v1/tokens: `id` and `digest` of a token that the caller has made (`rmsd_wire.tokens`).

    `user` "": the caller. `expires_s` is real time from now on, None: never. `uses`: how many
    agents may join with it, for the role agent alone (None: one).
    """

    id: str
    digest: str
    user: str = ""
    role: Literal["user", "operator", "admin", "agent"] = "user"
    name: str = ""
    expires_s: float | None
    uses: int | None = None


class TokenView(msgspec.Struct, frozen=True, kw_only=True):
    """A token, or the key of an agent (`agent_id`). `state`: valid, expired, revoked, or used up.
    `uses`: how many agents may still join with it. Times are UTC of the wall clock."""

    id: str
    user: str
    role: str
    name: str
    state: str
    created_us: int
    created_by: str
    expires_us: int | None
    uses: int | None
    agent_id: str | None


class TokensReply(msgspec.Struct, frozen=True):
    """GET /v1/tokens: the caller's own; of administrators: all."""

    tokens: list[TokenView]
    schema: str = "rmsd.tokens/1"


class TokenReply(msgspec.Struct, frozen=True):
    """POST /v1/tokens, DELETE /v1/tokens/{id}."""

    token: TokenView
    schema: str = "rmsd.token/1"


class JoinReply(msgspec.Struct, frozen=True):
    """POST /v1/join."""

    schema: str = "rmsd.joined/1"


class JoinBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """POST /v1/join: `id` and `digest` of the key that an agent has made and kept."""

    id: str
    digest: str
    agent_id: str
    hostname: str = ""


class AuditView(msgspec.Struct, frozen=True, kw_only=True):
    """Who did what: `id` numbers the entries. `at_us` is UTC of the wall clock; `user` "": nobody
    known; `outcome`: "done", or why it was refused."""

    id: int
    at_us: int
    user: str
    role: str
    via: str
    action: str
    subject: str
    outcome: str


class AuditReply(msgspec.Struct, frozen=True):
    """GET /v1/audit: the newest entries of those asked for, the oldest of them first. `before`: see
    `JobsReply`."""

    entries: list[AuditView]
    before: int | None = None
    schema: str = "rmsd.audit/1"


class ShutdownReply(msgspec.Struct, frozen=True):
    """POST /v1/shutdown."""

    schema: str = "rmsd.shutdown/1"


class TaskReply(msgspec.Struct, frozen=True):
    """Starting a task, and sending it a signal."""

    schema: str = "rmsd.task/1"


class TaskSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/jobs/{id}/tasks: start one task of a step on a node of the job (`rrun`). `attempt`:
    whose step it is; 0: of the one that runs."""

    node: str
    step: str
    task: Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
    argv: list[str]
    env: dict[str, str] = {}
    workdir: str = ""
    attempt: int = 0


class Problem(msgspec.Struct, frozen=True):
    """RFC 9457. `exit_code` is what a command-line client should exit with."""

    title: str
    status: int
    detail: str
    exit_code: int = 1
    type: str = "about:blank"
