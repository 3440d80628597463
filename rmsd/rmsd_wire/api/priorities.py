"""Bodies about the priorities of waiting jobs."""

from __future__ import annotations

import msgspec

from rmsd_wire.api.explanation import PriorityView


class JobPriorityView(msgspec.Struct, frozen=True):
    """The priority of a job that waits for its turn."""

    job_id: int
    priority: PriorityView


class PrioritiesReply(msgspec.Struct, frozen=True, kw_only=True):
    """GET /v1/priorities: the jobs that wait for their turn, in no order; a user sees
    their own, an operator all. `order`: that of the queue; there are priorities under the order
    `priority` alone."""

    order: str
    priorities: list[JobPriorityView]
    schema: str = "rmsd.priorities/1"
