"""Bodies about changes of jobs after their submit."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from rmsd_wire.api.submission import DependencySpec


class JobUpdate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """PATCH /v1/jobs/{id}. A field that is left out stays as it is.

    The fields mean what they mean in a `SubmitSpec`, but `time_limit_s` null is no limit, as 0 is,
    and not the default. A running job takes `time_limit_s` and `comment` alone. `begin_us` null:
    there is no begin time; `begin_in_s` counts from now on, and `deadline_us` and `deadline_in_s`
    are alike. `reservation` "": the job is of none. `nodelist` "": the job names no nodes any more,
    and keeps its number of nodes; else it gets as many as it names, unless it asks for more.
    `exclude` "": it may have any. `dependencies` replace all those of before, and so do `any_of`
    and `end_if_never`, which count with them alone.
    """

    name: str | UnsetType = UNSET
    comment: str | UnsetType = UNSET
    time_limit_s: float | UnsetType | None = UNSET
    tasks: int | UnsetType = UNSET
    cpus_per_task: int | UnsetType = UNSET
    nodes: int | UnsetType | None = UNSET
    mem_mib: int | UnsetType = UNSET
    mem_per_cpu_mib: int | UnsetType = UNSET
    constraint: str | UnsetType | None = UNSET
    nodelist: str | UnsetType = UNSET
    exclude: str | UnsetType = UNSET
    partition: str | UnsetType = UNSET
    requeue: bool | UnsetType = UNSET
    nice: int | UnsetType = UNSET
    reservation: str | UnsetType = UNSET
    begin_us: int | UnsetType | None = UNSET
    begin_in_s: float | UnsetType = UNSET
    deadline_us: int | UnsetType | None = UNSET
    deadline_in_s: float | UnsetType = UNSET
    dependencies: list[DependencySpec] | UnsetType = UNSET
    any_of: bool = False
    end_if_never: bool = False


class JobChange(msgspec.Struct, frozen=True):
    """One field of a job that was changed, at `at_us` (model time) by a user: from what to what, in
    words."""

    at_us: int
    by: str
    field: str
    before: str
    after: str
