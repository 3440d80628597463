"""Predictions go on after a restart where they stood, whatever history the recipe looks at."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.extensions import PREDICTORS, Predictor
from rmsd_core.recipes.prediction import runs_needed
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.records import changing_columns, given_columns
from rmsd_daemon.store.store import Store
from tests.jobs import over
from tests.live import Daemon

ESTIMATES_US = [60 * SECOND_US, 600 * SECOND_US, 3600 * SECOND_US]
USERS = ["ann", "bob", "cid"]


def ended_jobs(count: int) -> list[Job]:
    """Draw terminated jobs: some lost with their node or never started, which tells no run time."""
    draw = random.Random(1)
    jobs = []
    for number in range(1, count + 1):
        cause = draw.choice([Cause.EXIT, Cause.EXIT, Cause.LIMIT, Cause.USER, Cause.NODE])
        end_us = 5 + draw.randrange(700 * SECOND_US)
        job = Job(
            number, draw.choice(USERS[:2]), 1, processors(1), draw.choice(ESTIMATES_US), seq=number
        )
        if number % 10 == 0:
            jobs.append(over(job, start_us=None, end_us=9, cause=cause))
        else:
            jobs.append(over(job, start_us=5, end_us=end_us, cause=cause))
    return jobs


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "rmsd.db")
    yield store
    store.close()


def predictions_us(predictor: Predictor) -> list[int]:
    asked = [(user, each) for user in USERS for each in ESTIMATES_US]
    return [
        predictor.predict_us(Job(1, user, 0, processors(1), estimate_us), 0, ())
        for user, estimate_us in asked
    ]


@pytest.mark.parametrize(
    ("text", "at_most"),
    [
        ("easy++", 2 * 2),
        ("easy++,window=5", 2 * 5),
        ("easy++,window=5,type=immediate,fullness=partial", 2 * 5),
        ("easy++,window=5,type=extended", 2 * 3 * 5),
        ("easy++,window=30,fallback=relative,metric=median", 120),
        ("easy++,predict=matched", 2 * 3 * 64),
        ("easy", 0),
    ],
)
def test_a_restart_reads_what_the_recipe_looks_at(store: Store, text: str, at_most: int) -> None:
    recipe = parse_recipe(text)
    jobs = ended_jobs(120)
    details = Details("j")
    rows = [given_columns(job, details) | changing_columns(job) for job in jobs]
    store.commit(Changes(new_jobs=rows, meta={"last_id": "120"}))
    history = store.load(runs_needed(recipe)).history
    assert len(history) <= at_most
    make = PREDICTORS[recipe.predict].make
    if make is None:
        return
    before, after = make(recipe), make(recipe)
    for job in jobs:
        if job.start_us is not None and job.outcome and job.outcome.cause is not Cause.NODE:
            before.record(job.user, job.seq, job.end_us - job.start_us, job.estimate_us, job.size)
    for run in history:
        after.record(*run)
    assert predictions_us(after) == predictions_us(before)
    assert predictions_us(before) != predictions_us(make(recipe))


@pytest.mark.slow
@pytest.mark.live
def test_a_killed_daemon_predicts_as_before(start_daemon: Callable[..., Daemon]) -> None:
    """Three jobs have the estimate of the new one, and later ones have another."""
    recipe = "easy++,window=3,type=extended"
    daemon = start_daemon(
        "--no-local-node", "--emulate", "1x1", "--rate", "1000", "--recipe", recipe
    )
    for run_s, time_limit_s in ((100, 600), (200, 600), (330, 600), (10, 900), (10, 900)):
        assert daemon.wait(daemon.emulate(run_s, time_limit_s=time_limit_s))["state"] == "COMPLETED"
    daemon.kill()
    daemon.start()
    # The jobs must wait: a job that runs for longer than predicted, if only because of a slow
    # commit, is corrected.
    daemon.client.drain("e1", "to look at predictions")
    new = [daemon.emulate(1, time_limit_s=time_limit_s) for time_limit_s in (600, 900)]
    with contextlib.closing(sqlite3.connect(daemon.state / "rmsd.db")) as database:
        rows = dict(database.execute("SELECT id, prediction_us FROM job"))
    assert [rows[job_id] for job_id in new] == [210 * SECOND_US, 900 * SECOND_US]
