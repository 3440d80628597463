"""A page of the list of jobs, for programs that show one at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

from rmsd_client.api import Client
from rmsd_client.calls.calls import LONG_TEXTS, ApiCalls, query_of


class JobPage(NamedTuple):
    """Jobs (`JobView`s) by number. `before`: older ones are on the page that is asked for with this
    number; None: there are none."""

    jobs: list[dict[str, Any]]
    before: int | None


def job_page(
    client: Client,
    *,
    limit: int,
    before: int | None = None,
    ids: str | None = None,
    states: str | None = None,
    user: str | None = None,
    name: str | None = None,
    partition: str | None = None,
) -> JobPage:
    """Return the newest `limit` jobs with numbers below `before`, without their long texts. The
    filters are those of `Client.jobs`."""
    query = query_of(
        ids=ids,
        states=states,
        user=user,
        name=name,
        partition=partition,
        limit=limit,
        before=before,
    )
    told = ApiCalls(client.connection).ask("JobsReply", "GET", f"/v1/jobs{query}")
    for job in told["jobs"]:
        for text in LONG_TEXTS:
            job.pop(text, None)
    return JobPage(told["jobs"], told.get("before"))
