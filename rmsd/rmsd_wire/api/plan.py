"""Bodies about the expected starts of waiting jobs."""

from __future__ import annotations

import msgspec


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
