"""Predictions go on after a restart where they stood, whatever history the recipe looks at."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rmsd_core.parts import PREDICTORS
from rmsd_core.prediction import Predictor, runs_needed
from rmsd_core.recipe_text import parse_recipe
from rmsd_daemon.store import Store
from rmsd_daemon.writing import Changes
from tests.daemon.test_damage import job_row

SECOND_US = 1_000_000
ESTIMATES_US = [60 * SECOND_US, 600 * SECOND_US, 3600 * SECOND_US]
USERS = ["ann", "bob", "cid"]


def ended_rows(count: int) -> list[dict[str, Any]]:
    """Terminated jobs: some lost with their node or never started, which tells no run time."""
    draw = random.Random(1)
    rows = []
    for job_id in range(1, count + 1):
        ended = {
            "live": False,
            "state": "COMPLETED",
            "user": draw.choice(USERS[:2]),
            "estimate_us": draw.choice(ESTIMATES_US),
            "start_us": 5,
            "end_us": 5 + draw.randrange(700 * SECOND_US),
            "cause": draw.choice(["exit", "exit", "limit", "user", "node"]),
        }
        if job_id % 10 == 0:
            ended |= {"start_us": None, "cause": "user"}
        rows.append(job_row(job_id) | ended)
    return rows


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "rmsd.db")
    yield store
    store.close()


def predictions_us(predictor: Predictor) -> list[int]:
    return [predictor.predict_us(user, each) for user in USERS for each in ESTIMATES_US]


@pytest.mark.parametrize(
    ("text", "at_most"),
    [
        ("easy++", 2 * 2),
        ("easy++,window=5", 2 * 5),
        ("easy++,window=5,type=immediate,fullness=partial", 2 * 5),
        ("easy++,window=5,type=extended", 2 * 3 * 5),
        ("easy++,window=30,fallback=relative,metric=median", 120),
        ("easy", 0),
    ],
)
def test_a_restart_reads_what_the_recipe_looks_at(store: Store, text: str, at_most: int) -> None:
    recipe = parse_recipe(text)
    rows = ended_rows(120)
    store.commit(Changes(new_jobs=rows, meta={"last_id": "120"}))
    history = store.load(runs_needed(recipe)).history
    assert len(history) <= at_most
    make = PREDICTORS[recipe.predict].make
    if make is None:
        return
    before, after = make(recipe), make(recipe)
    for row in rows:
        if row["start_us"] is not None and row["cause"] != "node":
            run_us = row["end_us"] - row["start_us"]
            before.record(row["user"], row["seq"], run_us, row["estimate_us"])
    for run in history:
        after.record(*run)
    assert predictions_us(after) == predictions_us(before)
    assert predictions_us(before) != predictions_us(make(recipe))
