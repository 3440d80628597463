"""Bodies about the expected starts of waiting jobs."""

from __future__ import annotations

import msgspec

from rmsd_wire.api.submission import SubmitSpec


class StartView(msgspec.Struct, frozen=True, kw_only=True):
    """The expected start of a waiting job, and its expected end by the prediction.

    `basis`: "reservation" (nothing behind the job may delay it), "projection" (the queue, placed
    by the predictions in force), "trial" (its trial run), "claim" (as soon as the trials that are
    killed for it have left), "preemption" (it takes the place of running jobs then) or "assumption"
    (a projection behind a job without a limit, which is assumed to run for a day, or a day more
    whenever that is over). All of them hold as long as the predictions do.
    """

    job_id: int
    start_us: int
    start_time: str
    end_us: int
    basis: str


class PlanReply(msgspec.Struct, frozen=True, kw_only=True):
    """GET /v1/plan: expected starts as of `made_us`, the earliest first.

    `far_made_us`: the time of the earlier plan that has the starts of jobs far behind in the queue;
    null if there is none. A waiting job that is missing here has no known expected start: it
    waits for nodes, or is one of the `left_out` that are too far behind to have been looked at.
    `more`: how many starts are beyond the `limit` that was asked for; `later`: how many are at
    `until_us` or later. Both may count jobs that have just started.
    """

    made_us: int
    made_time: str
    far_made_us: int | None = None
    recipe: str
    left_out: int
    starts: list[StartView]
    more: int = 0
    later: int = 0
    schema: str = "rmsd.plan/1"


class TestBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """POST /v1/plan: a job that is not submitted."""

    job: SubmitSpec


class TestReply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to POST /v1/plan: when and where the job would start, if it were submitted now. Of
    an array, the first task.

    `job_id`: the number that it would get. `start_us`, `end_us` and `basis` are as in a
    `StartView`; null if the start cannot be told, and `no_start` says why: "held", "dependency",
    "nodes" (too many nodes are down or drained), "deadline" (it would start too late to end before
    its own), "limit" (a limit of its account or QOS would hold it back) or "far" (too
    many jobs wait before it). `nodelist` is "" where processors are counted and the job would
    wait.
    """

    job_id: int
    cpus: int
    start_us: int | None
    start_time: str | None
    end_us: int | None
    basis: str | None
    nodelist: str
    partition: str
    no_start: str
    schema: str = "rmsd.tested/1"
