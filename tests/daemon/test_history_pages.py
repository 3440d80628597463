"""The history since some time: which jobs are in it, and how it comes in pages."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from sqlalchemy import select
from sqlalchemy.dialects import sqlite

from rmsd_client import api
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.vocabulary import JobState
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.queries.filters import ANY, Filter
from rmsd_daemon.store import rows
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.failures import SearchError
from rmsd_daemon.store.records import changing_columns, given_columns
from rmsd_daemon.store.store import Store
from rmsd_daemon.store.tables import JOB
from tests.daemon.raw_http import ask, connect, read
from tests.jobs import over
from tests.live import Daemon

ALL = frozenset(JobState)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a database of 3000 jobs: number n was submitted at 10n and was over 15 later."""
    path = tmp_path / "rmsd.db"
    stored = []
    for number in range(1, 3001):
        submit_us = 10 * number
        job = Job(number, "ann", submit_us, processors(1), 1, seq=number)
        over(job, start_us=submit_us + 5, end_us=submit_us + 15)
        stored.append(given_columns(job, Details(f"j{number}")) | changing_columns(job))
    with closing(Store(path)) as store:
        store.commit(Changes(new_jobs=stored, meta={"last_id": "3000"}))
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "limit", "found"),
    [
        (Filter(ALL, since_us=29980), 9, [3000, 2999, 2998]),
        (Filter(ALL, since_us=29981), 9, [3000, 2999]),
        (Filter(ALL, since_us=29980), 3, [3000, 2999, 2998]),
        (Filter(ALL, since_us=29980), 2, [3000, 2999]),
        (Filter(ALL, since_us=29980, before=2999), 9, [2998]),
        (Filter(ALL, since_us=30001), 9, []),
        (Filter(ALL, ended_since_us=30005), 9, [3000, 2999]),
        (Filter(ALL, ended_since_us=30006), 9, [3000]),
        (Filter(ALL, ended_since_us=30016), 9, []),
        (Filter(ALL, since_us=29980, ended_since_us=30006), 9, [3000]),
        (Filter(frozenset({JobState.FAILED}), since_us=1), 9, []),
        (Filter(ALL, users=frozenset({"bob"}), since_us=1), 9, []),
    ],
)
def test_a_window_has_edges(path: Path, wanted: Filter, limit: int, found: list[int]) -> None:
    with closing(Store(path)) as store:
        assert store.job_ids(wanted.where, limit) == found
        _, jobs = store.jobs_of(found or [1], 1 << 20)
    assert [job.id for job, details in jobs if wanted.holds(job, details)] == found[::-1]


def test_any_number_of_partitions_is_looked_up(path: Path) -> None:
    """Each job was compared with each name: 900 names had a search of 400,000 jobs given up after
    10 s, for which those of others waited, and 1700 were an error 503."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE job SET partition = 'long' WHERE id > 2")
        connection.execute("UPDATE job SET partition = 'long,short' WHERE id = 7")
        connection.execute("UPDATE job SET partition = 'short' WHERE id = 9")
    names = frozenset({"short", *(f"p{at}" for at in range(4000))})
    with closing(Store(path)) as store:
        assert store.job_ids(Filter(ALL, partitions=names).where, 9) == [9, 7]
        assert store.job_ids(Filter(ALL, partitions=frozenset({"hort", "s"})).where, 9) == []


@pytest.mark.parametrize("window", [{"since_us": 7}, {"ended_since_us": 7}])
def test_a_window_is_read_from_the_index(path: Path, window: dict[str, Any]) -> None:
    """Which arrays a list has is not in the index, so it reads the jobs of the window as well."""
    wholes = {
        "SEARCH job USING COVERING INDEX job_end": True,
        "SEARCH job USING INDEX job_end": False,
    }
    for wanted, is_whole in wholes.items():
        found = Filter(ALL, is_whole=is_whole, **window).where(select(JOB.c.id))
        query = found.order_by(JOB.c.id.desc()).limit(9)
        text = query.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
        with closing(sqlite3.connect(path)) as connection:
            plan = connection.execute(f"EXPLAIN QUERY PLAN {text}").fetchall()
        assert wanted in plan[0][-1]


def test_a_search_ends_when_its_caller_is_gone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "STEPS", 100)
    asked = 0

    def gone() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    def of_nobody(query: Any) -> Any:
        return query.where(JOB.c.name == "none")

    with closing(Store(path)) as store:
        with pytest.raises(SearchError, match="its caller is gone"):
            store.job_ids(of_nobody, 9, gone)
        assert store.job_ids(ANY.where, 1, lambda: False) == [3000]  # the next search is not ended


@pytest.mark.live
def test_a_daemon_lists_what_is_in_the_window(daemon: Daemon) -> None:
    ids = [daemon.emulate(0.01) for _ in range(4)]
    done = [daemon.wait(job_id) for job_id in ids]
    waits = daemon.emulate(1e6)

    def page(**query: object) -> tuple[list[int], int | None]:
        with connect(daemon) as sock:
            ask(sock, f"/v1/jobs?{urlencode({'states': 'all', **query})}")
            answer = json.loads(read(sock).read())
        return [job["job_id"] for job in answer["jobs"]], answer["before"]

    since_us = done[1]["submit_us"]
    assert page(since_us=since_us) == ([*ids[1:], waits], None)
    assert page(since_us=since_us + 1) == ([*ids[2:], waits], None)
    assert page(since_us=since_us, limit=4) == ([*ids[1:], waits], None)
    assert page(since_us=since_us, limit=3) == ([*ids[2:], waits], ids[2])
    assert page(since_us=since_us, limit=3, before=ids[2]) == ([ids[1]], None)
    assert page(since_us=since_us, states="CD") == (ids[1:], None)
    last_us = max(job["end_us"] for job in done)
    latest = [job["job_id"] for job in done if job["end_us"] == last_us]
    assert page(ended_since_us=last_us) == ([*latest, waits], None)
    assert page(ended_since_us=last_us + 1) == ([waits], None)
    for wrong in ("-1", "x"):
        with connect(daemon) as sock:
            ask(sock, f"/v1/jobs?since_us={wrong}")
            assert read(sock).status == 400


@pytest.mark.live
def test_jobs_that_end_and_come_between_pages_are_told_once(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "IN_PAGE", 2)
    ids = [daemon.emulate(1e6) for _ in range(5)]
    since_us = daemon.client.job(ids[0])["submit_us"]
    pages = daemon.client.job_pages(states="all", since_us=since_us)
    assert [job["job_id"] for job in next(pages)] == ids[3:]
    with api.Client(daemon.client.server) as other:
        other.cancel_all([ids[0], ids[2], ids[4]])
        for job_id in (ids[0], ids[2], ids[4]):
            other.wait(job_id)
        daemon.emulate(1e6)
        told = [[(job["job_id"], job["end_us"] is None) for job in page] for page in pages]
    assert told == [[(ids[1], True), (ids[2], False)], [(ids[0], False)]]
