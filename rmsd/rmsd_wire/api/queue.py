"""The body of GET /v1/queue: the jobs that are not over, in short."""

from __future__ import annotations

import msgspec


class QueueRow(msgspec.Struct, frozen=True, array_like=True):
    """A job in the queue: some fields of its `JobView`, as a JSON array in this order. Newer
    versions have more fields behind these. A row of names for each job would be four times as
    long. `part_count`: how many `JobView.parts` there are."""

    job_id: int
    name: str
    user: str
    state: str
    reason: str
    partition: str
    submit_us: int
    elapsed_s: float | None
    time_limit_s: float | None
    cpus: int
    nodes: int | None
    nodelist: str
    mem_mib: int
    account: str
    qos: str
    array_job_id: int | None
    array_task_id: int | None
    array_task_str: str
    mem_per_cpu_mib: int
    part_count: int = 0


class QueueReply(msgspec.Struct, frozen=True):
    """GET /v1/queue: the jobs that are not over and that the caller may see, by number.

    Each job is shown as it is when its part of the answer is sent; a job that is over by then is
    left out.
    """

    jobs: list[QueueRow]
    schema: str = "rmsd.queue/1"
