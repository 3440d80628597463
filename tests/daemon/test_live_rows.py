"""The live jobs as a start reads them: jobs that wait are made of their rows directly."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rmsd_core.jobs.array import ArrayTask
from rmsd_core.jobs.attempt import Attempt, Refusal
from rmsd_core.jobs.conditions import Conditions
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Ineligible, Running
from rmsd_core.jobs.request import Component, Piece, Request
from rmsd_core.recipes.prediction import RunsNeeded
from rmsd_core.vocabulary import Fault, HeldBy
from rmsd_daemon.domain.submission import Details, Payload
from rmsd_daemon.store import live_rows
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.records import changing_columns, given_columns
from rmsd_daemon.store.store import Store
from rmsd_daemon.store.tables import JOB

_EASY = RunsNeeded(0)


def _job(number: int, **given: Any) -> Job:
    request = Request((Component(2, partition="a"), Component(2, partition="b")))
    return Job(number, "ann", 5, given.pop("request", request), 60, seq=number, **given)


def _unlike() -> list[Job]:
    """Return jobs of which each differs from a job that waits and has never run in one way."""
    attempt = Attempt((Piece("n", 2),), 7, frozenset({"n"}), launched=True)
    jobs = [
        _job(1),
        _job(2, partition="b", attempt=1),
        _job(3, phase=Running(attempt), attempt=1),
        _job(4, phase=Ineligible(Conditions(held_by=HeldBy.USER))),
        _job(5, refusals=(Refusal(1, "n", Fault.NODE),), attempt=1),
        _job(6, tried=True),
        _job(7, requeue_hold=HeldBy.USER),
        _job(8, task=ArrayTask(6, 2)),
        _job(9, deadline_us=1000, requeue=False, restartable=False, nice=3, account="x"),
    ]
    promised, corrected, named, urgent = _job(10), _job(11), _job(12), _job(13)
    promised.remembered.reserved_at_us = 1
    promised.record.reserved_us, promised.record.reserved_rank = 2, 3
    corrected.remembered.corrections = 4
    named.partition = "b"
    urgent.remembered.promoted_us = 6
    return [*jobs, promised, corrected, named, urgent]


def _store(path: Path, jobs: list[Job], **details: Any) -> None:
    of = Details("ä job", stdout="out-%j", nice=3, account="x", **details)
    with closing(Store(path)) as store:
        rows = [given_columns(job, of) | changing_columns(job) for job in jobs]
        scripts = [
            {"job_id": job.id, "payload": msgspec.json.encode(Payload("#!/bin/sh")).decode()}
            for job in jobs
        ]
        meta = {"live": str(len(jobs)), "next_seq": "99"}
        store.commit(Changes(new_jobs=rows, scripts=scripts, meta=meta))


def _values(job: Job) -> dict[str, Any]:
    values = {one.name: getattr(job, one.name) for one in fields(job)}
    facts = {name: repr(values.pop(name)) for name in ("phase",)}
    for name in ("remembered", "record"):
        kept = values.pop(name)
        facts |= {key: getattr(kept, key) for key in vars(type(kept)) if key[0] != "_"}
    return values | facts


def test_every_column_is_read() -> None:
    """A column that is new has to be among those that differ, or those with a usual value."""
    read = [*live_rows.DIFFERING, *live_rows.USUAL]
    assert sorted(read) == sorted(column.name for column in JOB.c)


def test_jobs_are_what_the_reading_of_single_jobs_makes_of_them(tmp_path: Path) -> None:
    path = tmp_path / "rmsd.db"
    jobs = _unlike()
    _store(path, jobs)
    with closing(Store(path)) as store:
        found = store.load(_EASY).jobs
        _, single = store.jobs_of([job.id for job in jobs], 1 << 20)
    assert [_values(job) for job, _ in found] == [_values(job) for job, _ in single]
    assert [details for _, details in found] == [details for _, details in single]
    assert [type(job.requeue) for job, _ in found] == [bool] * len(jobs)


def test_most_rows_of_waiting_jobs_are_decoded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start with 200,000 waiting jobs took 7 s of a processor for reading them one by one."""
    path = tmp_path / "rmsd.db"
    _store(path, [_job(number) for number in range(1, 2501)])
    looked_at: list[int] = []
    one_by_one = live_rows.job_in

    def counted(values: dict[str, Any]) -> Any:
        looked_at.append(values["id"])
        return one_by_one(values)

    monkeypatch.setattr(live_rows, "job_in", counted)
    with closing(Store(path)) as store:
        jobs = store.load(_EASY).jobs
    assert [job.id for job, _ in jobs] == [*range(1, 2501)]
    assert looked_at == []
    assert len({id(details) for _, details in jobs}) == 1
    assert len({id(job.request) for job, _ in jobs}) == 1


@pytest.mark.parametrize(
    "damage",
    [
        "details = '{'", "details = '{\"tasks\": 1}'", "request = '[[1'", "request = '[]'",
        "user = CAST(x'ff' AS TEXT)", "name = CAST(x'ff' AS TEXT)", "seq = 'x'",
        "reserved_us = 'x'", "conditions = '{'", "size = 'x'", "state = 'WAITS'",
    ],
)  # fmt: skip
def test_a_damaged_row_is_left_out_and_no_other(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "rmsd.db"
    _store(path, [_job(number) for number in range(1, 6)])
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"UPDATE job SET {damage} WHERE id = 3")
    with closing(Store(path)) as store:
        assert [job.id for job, _ in store.load(_EASY).jobs] == [1, 2, 4, 5]
        assert store.load(_EASY).submissions == []


def test_a_row_that_is_missing_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "rmsd.db"
    _store(path, [_job(number) for number in range(1, 6)])
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DELETE FROM job WHERE id = 3")
    with closing(Store(path)) as store:
        assert [job.id for job, _ in store.load(_EASY).jobs] == [1, 2, 4, 5]
        assert store.load(_EASY).kept_as is None


def test_values_are_forgotten_after_very_many_different_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_rows, "MOST_SHARED", 3)
    shared = live_rows.SharedValues(bytes.decode)
    assert [shared[raw] for raw in (b"a", b"b", b"c", b"d", b"a")] == ["a", "b", "c", "d", "a"]
    assert [*shared] == [b"d", b"a"]
