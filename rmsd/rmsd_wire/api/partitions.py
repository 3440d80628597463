"""Bodies about partitions."""

from __future__ import annotations

import msgspec


class PartitionView(msgspec.Struct, frozen=True, kw_only=True):
    """A partition. `state`: up, down (jobs wait there), drain (no new ones are taken), inactive
    (neither). `nodelist`: its nodes that the daemon knows; `nodes` and `cores` count them.
    `cores_available`: of those that take work now. Limits of a job: `max_time_s`, `max_nodes`,
    `max_cpus`; None: no limit. `default_time_s`, `default_mem_mib`: of jobs that ask for none;
    None: the cluster's. `users`: the names and `@groups` that may use it; empty: all may; None: the
    caller is not among them, and no operator. `tier`: jobs of a higher one come first. `preempt`:
    whether these may take the place of running jobs of this one, and how: off, requeue, cancel.
    `preempt_grace_s`: from SIGTERM to SIGKILL then; None: as in other kills. `preempt_exempt_s`:
    how long a job runs at least before that. `priority`: the points of its jobs under the order
    `priority`.
    """

    name: str
    is_default: bool
    state: str
    nodelist: str
    nodes: int
    cores: int
    cores_available: int
    cores_used: int
    max_time_s: float | None
    max_nodes: int | None
    max_cpus: int | None
    default_time_s: float | None
    default_mem_mib: int | None
    users: list[str] | None
    tier: int
    preempt: str = "off"
    preempt_grace_s: float | None = None
    preempt_exempt_s: float = 0
    priority: int = 0


class PartitionsReply(msgspec.Struct, frozen=True):
    """GET /v1/partitions, in the order of the configuration. There is always one: a cluster without
    configured partitions has `main`, with all nodes."""

    partitions: list[PartitionView]
    schema: str = "rmsd.partitions/1"
