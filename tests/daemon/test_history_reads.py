"""Reads of the history: given up after a time, and no longer than so many bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store import rows, store
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.failures import SearchError
from rmsd_daemon.store.records import changing_columns, given_columns
from rmsd_daemon.store.tables import ATTEMPT
from tests.jobs import over


def _stored(path: Path, count: int) -> store.Store:
    """Return a database with so many jobs that are over."""
    made = store.Store(path)
    rows = []
    for number in range(1, count + 1):
        job = over(Job(number, "ann", 1, Request((Component(1),)), 1, seq=number))
        rows.append(given_columns(job, Details(f"j{number}", comment="c" * 1000)))
        rows[-1] |= changing_columns(job)
    made.commit(Changes(new_jobs=rows, meta={"last_id": str(count)}))
    return made


def test_a_search_that_takes_too_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = _stored(tmp_path / "rmsd.db", 3000)
    try:
        assert jobs.job_ids(lambda query: query, 2) == [3000, 2999]
        with monkeypatch.context() as patch:
            patch.setattr(rows, "SEARCH_S", 0.0)
            patch.setattr(rows, "STEPS", 100)
            with pytest.raises(SearchError, match="nothing was found within 0 s"):
                jobs.job_ids(lambda query: query.where(store.JOB.c.name == "none"), 2)
            with pytest.raises(SearchError):
                jobs.runs_of("ann", 1 << 60, 5, 4711)
        assert jobs.job_ids(lambda query: query.where(store.JOB.c.name == "j7"), 2) == [7]
    finally:
        jobs.close()


def test_jobs_are_read_until_so_many_bytes_are(tmp_path: Path) -> None:
    jobs = _stored(tmp_path / "rmsd.db", 10)
    try:
        ids = [2, 3, 4, 5, 99]
        for most_bytes, read_to, found in ((0, 2, [2]), (2000, 3, [2, 3]), (10**6, 99, ids[:4])):
            to, some = jobs.jobs_of(ids, most_bytes)
            assert (to, [job.id for job, _ in some]) == (read_to, found)
        assert jobs.whose([1, 99]) == {1: ("ann", False)}
    finally:
        jobs.close()


def test_attempts_are_read_until_so_many_bytes_are(tmp_path: Path) -> None:
    jobs = _stored(tmp_path / "rmsd.db", 1)
    none = {"exit_code": None, "signal": None, "cpu_s": None, "max_rss_mib": None, "cause": None}
    rows = [
        {"job_id": 1, "attempt": number, "start_us": 1, "end_us": None, "allocation": [],
         "message": "m" * 1000, **none}
        for number in range(1, 11)
    ]  # fmt: skip
    try:
        jobs.transact(lambda connection: connection.execute(ATTEMPT.insert(), rows))

        def numbers(found: list[dict[str, Any]]) -> list[int]:
            return [row["attempt"] for row in found]

        assert numbers(jobs.attempts(1, 0, 0)) == [1]
        assert numbers(jobs.attempts(1, 1, 1999)) == [2, 3]
        assert numbers(jobs.attempts(1, 1, 2000)) == [2, 3, 4]
        assert numbers(jobs.attempts(1, 8, 10**6)) == [9, 10]
        assert jobs.attempts(1, 10, 10**6) == []
        assert numbers(jobs.latest_attempts(1, 2000)) == [8, 9, 10]
        found = jobs.attempt(1, 7)
        assert found is not None
        assert (found["attempt"], jobs.attempt(1, 11)) == (7, None)
    finally:
        jobs.close()
