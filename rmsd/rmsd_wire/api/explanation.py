"""Bodies that explain why a job waits and where its prediction comes from."""

from __future__ import annotations

import msgspec

from rmsd_wire.api.accounts import LicenseView
from rmsd_wire.api.jobs import AttemptView, JobView
from rmsd_wire.api.plan import StartView
from rmsd_wire.api.reservations import ReservationView


class OtherJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job that another job waits for. `start_us`, `end_us`: of a running job, its start and its
    end by the prediction; of a waiting job, the expected ones. `promised_us`: the first start it
    was promised. `array_job_id`, `array_task_id`: of a task of an array, its array and its
    index."""

    job_id: int
    name: str
    user: str
    state: str
    cpus: int
    start_us: int | None
    end_us: int | None
    promised_us: int | None
    array_job_id: int | None = None
    array_task_id: int | None = None


class UsedRun(msgspec.Struct, frozen=True):
    """A job that a prediction was made from."""

    job_id: int
    run_s: float


class PredictionView(msgspec.Struct, frozen=True, kw_only=True):
    """The source of a job's first prediction: `predict`, `times` and `correct` of the recipe, by
    their names there, and the runs used: `metric` of them was taken. None: the user had too few
    runs, or they are not known any more (`used_known` says which)."""

    predict: str
    times: float
    correct: str
    metric: str
    used: list[UsedRun]
    used_known: bool


class PredictionChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a job's prediction or promise. `kind`: "correct", the job outlived its
    prediction, and was to end at `was_end_us`; "repredict", the history of its user has grown while
    it waited, or it has outlived a trial or a run that was killed; "promise", it was promised the
    start `start_us` (None: behind a job without a limit); "promote", it passed its starvation
    threshold; "urgent", it has waited for too long and precedes all others."""

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


class PriorityView(msgspec.Struct, frozen=True, kw_only=True):
    """The priority of a waiting job under the order `priority`, in points: `total` is the sum of
    `age`, `size`, `share`, `qos`, `partition` and `nice`. `used_s`: the decayed usage of the job's
    user [processor-seconds]; `account_used_s`: of its account, if shares are divided by
    accounts."""

    total: float
    age: float
    size: float
    share: float
    used_s: float
    nice: float = 0
    account_used_s: float | None = None
    qos: float = 0
    partition: float = 0


class WaitView(msgspec.Struct, frozen=True, kw_only=True):
    """The reasons why a job waits.

    `place` of `waiting` in the queue (0: it is not in it). `fits_now`: it would fit, were it alone.
    `in_turn`: nothing passes the first in the queue. `head`: the other job that is first, with the
    start that no job may delay, and beside which `beside_cpus` are left at most. `holders`: the
    jobs that run where this one is expected to start, and end before; `before`: the waiting jobs
    that are expected there before. In both the last to end is first; they are the first few of
    `..._count`. `awaits`: the jobs that are being ended for this one. `unavailable`: the nodes it
    could use that take no work now, the first few of `..._count`. `never_fits`: why it can never
    run. `refused_by`: the nodes that could not launch the job, and to which it is not sent again.
    `no_start`: why there is no expected start: "task" (those before it in its array join the queue
    first; `before` has the ones that have), "laying" (the daemon has not come to the job yet),
    "far" (the plan ends before it), "limit" (a limit of its account or QOS holds it back),
    "reservation" (it cannot start inside its advance reservation now), or ""
    (another reason, which the other facts tell).
    `priority`: under the order `priority`; None in other orders. `reservations`: the advance
    reservations that keep the job from starting now: that inside which it runs, or those that it
    would reach into by its limit, the first to begin first. `licenses`: those that it asks for.
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
    no_start: str = ""
    refused_by: list[str] = []
    priority: PriorityView | None = None
    reservations: list[ReservationView] = []
    licenses: list[LicenseView] = []


class ExplainReply(msgspec.Struct, frozen=True, kw_only=True):
    """GET /v1/jobs/{id}/explain. `plan_us`: the time of the plan that expected starts and ends come
    from. `changes` and `attempts` are the latest, if there are very many.

    `start`: of a waiting job. `expected_end_us`: of a running one, by its prediction (of a trial,
    the end of the trial). `wait`: of a waiting one. `held_up`: the jobs that wait for a running one
    to end, the first few of `held_up_count`, with their expected starts. `unable`: the nodes of a
    job that has been started that are not heard, or cannot start it now.
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
    unable: list[NodeState] = []
    schema: str = "rmsd.explain/1"
