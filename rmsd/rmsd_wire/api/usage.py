"""Bodies about the processor time that jobs have used."""

from __future__ import annotations

import msgspec

GROUPS = ("day", "account", "user", "partition")
"""The groups that usage can be told by, in the order in which they sort the rows."""
MOST_ROWS = 10_000


class UsageRow(msgspec.Struct, frozen=True, kw_only=True):
    """The usage of a group within the time that was asked for. `account`, `user`, `partition`,
    `day`: of the group; None if usage is not told by it. `day`: in UTC, YYYY-MM-DD. `jobs` and
    `attempts`: how many ran then. `processor_s`: processors given to jobs, times seconds.
    `lost_s`: the part of these that went to attempts after which the job was started again.
    `cpu_s`: the processor time that processes took, as far as it was measured; an attempt's is
    spread evenly over its run.
    """

    account: str | None
    user: str | None
    partition: str | None
    day: str | None
    jobs: int
    attempts: int
    processor_s: float
    lost_s: float
    cpu_s: float


class UsageReply(msgspec.Struct, frozen=True, kw_only=True):
    """GET /v1/usage, ordered by day, then account, user and partition. `since_us`, `until_us`:
    the model time between which runs count. `capacity_s`: the processors of the nodes as they are
    now, times the seconds in between."""

    since_us: int
    until_us: int
    capacity_s: float
    usage: list[UsageRow]
    schema: str = "rmsd.usage/1"
