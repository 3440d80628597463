"""The processor time that attempts have used, by account, user, partition and day."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import Connection, text

from rmsd_core.model_time import DAY_US, SECOND_US
from rmsd_daemon.store.rows import in_time
from rmsd_wire.api.usage import GROUPS, MOST_ROWS, UsageRow


class UsageAsked(NamedTuple):
    """The usage that is wanted: between `since_us` and `until_us`, of `user` or of all, and told
    `by` some of `GROUPS`."""

    since_us: int
    until_us: int
    user: str | None
    by: Collection[str]


# Attempts count that ran in the time asked for. An attempt that ended since then belongs to a job
# that ended later, or lives: `job_end` and `job_live` find these jobs without a look at others.
_RUNS = """
    SELECT job.id AS job_id, job.user AS user, job.partition AS partition,
        {account} AS account,
        iif(job.live, attempt.end_us IS NOT NULL, attempt.attempt < job.attempt) AS lost,
        coalesce(attempt.cpu_s, 0) AS cpu_s,
        (SELECT sum(json_extract(value, '$[1]')) FROM json_each(attempt.allocation)) AS processors,
        max(1, coalesce(attempt.end_us, :until_us) - attempt.start_us) AS whole_us,
        max(attempt.start_us, :since_us) AS from_us,
        min(coalesce(attempt.end_us, :until_us), :until_us) AS to_us
    FROM job {index} JOIN attempt ON attempt.job_id = job.id
    WHERE {which} AND attempt.start_us < :until_us
        AND coalesce(attempt.end_us, :until_us) > :since_us {of_user}"""
_ACCOUNT = "coalesce(json_extract(job.details, '$.account'), '')"
_ENDED = "NOT job.live AND job.end_us IS NOT NULL AND job.end_us > :since_us"
# A sum of integers beyond 2^63 is an error, and 300,000 processors reach it in a year: `total` is a
# sum of floats, which is exact up to 2^53 us.
_SUMS = """count(DISTINCT job_id) AS jobs, count(*) AS attempts,
    total(processors * (to_us - from_us)) AS processor_us,
    total(lost * processors * (to_us - from_us)) AS lost_us,
    total(cpu_s * (to_us - from_us) / whole_us) AS cpu_s"""
# Runs are cut at the ends of days.
_DAYS = """, by_day AS (
    SELECT job_id, account, user, partition, lost, cpu_s, processors, whole_us, from_us,
        min(to_us, (from_us / :day_us + 1) * :day_us) AS to_us, to_us AS last_us,
        from_us / :day_us AS day FROM run
    UNION ALL
    SELECT job_id, account, user, partition, lost, cpu_s, processors, whole_us, to_us,
        min(last_us, to_us + :day_us), last_us, day + 1 FROM by_day WHERE to_us < last_us)"""


def usage_of(
    connection: Connection, asked: UsageAsked, gone: Callable[[], bool] = lambda: False
) -> list[UsageRow]:
    """Return the usage by group, ordered by day, account, user and partition: one group more than
    `MOST_ROWS` if there are too many. Raises SearchError, also if the caller is `gone` meanwhile.
    """
    by = ", ".join(one for one in GROUPS if one in asked.by)
    with in_time(connection, gone):
        found = connection.execute(text(_query(asked, by)), _values(asked)).mappings().all()
    return [
        UsageRow(
            account=row.get("account"),
            user=row.get("user"),
            partition=row.get("partition"),
            day=None if row.get("day") is None else _date(row["day"]),
            jobs=row["jobs"],
            attempts=row["attempts"],
            processor_s=row["processor_us"] / SECOND_US,
            lost_s=row["lost_us"] / SECOND_US,
            cpu_s=round(row["cpu_s"], 3),
        )
        for row in found
        if row["jobs"]
    ]


def _query(asked: UsageAsked, by: str) -> str:
    of_user = "" if asked.user is None else "AND job.user = :user"
    account = _ACCOUNT if "account" in asked.by else "''"
    told = {"of_user": of_user, "account": account}
    ended = _RUNS.format(index="INDEXED BY job_end", which=_ENDED, **told)
    live = _RUNS.format(index="INDEXED BY job_live", which="job.live", **told)
    days = _DAYS if "day" in asked.by else ""
    table = "by_day" if days else "run"
    ordered = f" GROUP BY {by} ORDER BY {by} LIMIT {MOST_ROWS + 1}" if by else ""
    sums = f"{by}, {_SUMS}" if by else _SUMS
    runs = f"WITH RECURSIVE run AS ({ended} UNION ALL {live}){days}"
    return f"{runs} SELECT {sums} FROM {table}{ordered}"


def _values(asked: UsageAsked) -> dict[str, object]:
    values: dict[str, object] = {"since_us": asked.since_us, "until_us": asked.until_us}
    if asked.user is not None:
        values["user"] = asked.user
    if "day" in asked.by:
        values["day_us"] = DAY_US
    return values


def _date(day: int) -> str:
    return datetime.fromtimestamp(day * DAY_US / SECOND_US, UTC).strftime("%Y-%m-%d")
