"""The metrics of a daemon's history are those of the simulation that made it.

A simulation is stored as a daemon stores what the core decides, so that no latency tells the two
apart. The history is read back as `rmsd metrics` reads it: through the views of the API.
"""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection

from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Effects
from rmsd_core.lifecycle.inputs import Input, Submit
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import parse_recipe
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.queries.decisions import with_decisions
from rmsd_daemon.queries.history import Found
from rmsd_daemon.queries.views import job_view
from rmsd_daemon.store import predictions
from rmsd_daemon.store.changes import changes_of
from rmsd_daemon.store.orders import orders_between
from rmsd_daemon.store.predictions import Prediction, SubmittedJob, predictions_of
from rmsd_daemon.store.records import RESTORED, event_row
from rmsd_daemon.store.store import Store
from rmsd_daemon.store.tables import EVENT
from rmsd_lab.measures.measures import measure
from rmsd_lab.schedule import Schedule, Scheduled
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.swf import TraceJob
from rmsd_lab_cli.history.schedule import history_of
from tests.daemon.rows import NODE
from tests.fresh import seed_of

PROCESSORS = 8
GROUPS = ("waits", "accuracy", "predictability", "dynamics", "trials", "load")
RECIPES = (
    "easy",
    "easy++",
    "easy++,propagate=yes",
    "timed-easy",
    "conservative",
    "selective,threshold=2",
    "lxfw",
)


class StoredHistory:
    """The questions of `JobHistory` about jobs that are over, on a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def predictions(self, jobs: Sequence[SubmittedJob]) -> dict[int, list[Prediction]]:
        return self._store.look_up(predictions_of, jobs)

    async def found(self, count: int) -> AsyncIterator[Found]:
        _, found = self._store.jobs_of(range(count), 1 << 30)
        for one in found:
            yield one

    async def views(self, count: int) -> list[dict[str, Any]]:
        """Return all jobs as GET /v1/jobs?decisions=true lists them."""
        listed = with_decisions(self, self.found(count))  # type: ignore[arg-type]
        views = [
            msgspec.structs.replace(job_view(*found, "", 0), decisions=decisions)
            async for found, decisions in listed
        ]
        decoded: list[dict[str, Any]] = json.loads(msgspec.json.encode(views))
        return decoded


def random_trace(rng: random.Random, count: int) -> list[TraceJob]:
    jobs, submit_s = [], 0
    for number in range(count):
        submit_s += rng.choice([0, 1, 60, 600])
        run_s = rng.choice([0, 30, 300, 3000]) + rng.randrange(100)
        estimate_s = max(1, int(run_s * rng.choice([0.4, 1, 1.5, 4])))
        size, user = rng.choice([1, 1, 2, 3, 8]), str(rng.randrange(3))
        jobs.append(TraceJob(number, submit_s, run_s, size, estimate_s, user, 1))
    return jobs


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "rmsd.db")


def stored(
    monkeypatch: pytest.MonkeyPatch, store: Store, trace: Sequence[TraceJob], recipe: Recipe
) -> Schedule:
    """Simulate a trace, and store each call of the core as a daemon does."""
    handle = Core.handle
    batches = 0
    node = NODE | {"name": "machine", "cores": PROCESSORS}

    def recording(core: Core, now_us: int, inputs: Sequence[Input]) -> Effects:
        nonlocal batches
        effects = handle(core, now_us, inputs)
        batches += 1
        new = {item.job.id: Details("j") for item in inputs if isinstance(item, Submit)}
        store.commit(
            changes_of(
                batches, now_us, inputs, effects, new, {}, {}, core, {"machine": node}, new.get
            )
        )
        return effects

    monkeypatch.setattr(Core, "handle", recording)
    return simulate(trace, PROCESSORS, recipe)


def metrics(jobs: list[Scheduled]) -> dict[str, Any]:
    return measure(Schedule(jobs, PROCESSORS), GROUPS)


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@pytest.mark.parametrize("name", RECIPES)
async def test_metrics_of_a_history_are_the_simulated_ones(
    monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config, store: Store, name: str
) -> None:
    recipe = parse_recipe(name)
    trace = random_trace(random.Random(f"{seed_of(pytestconfig)} {name}"), 150)
    simulated = stored(monkeypatch, store, trace, recipe)
    views = await StoredHistory(store).views(len(trace))
    history = history_of(views, propagated=recipe.history.propagate)
    assert [job.predictions for job in history.jobs] == [job.predictions for job in simulated]
    assert [job._replace(user="", behind=-1) for job in history.jobs] == [
        job._replace(user="", behind=-1) for job in simulated
    ]
    assert metrics(history.jobs) == metrics(simulated.jobs)


def start(store: Store, recipe: str, at_us: int = 0, order: str = "") -> None:
    """Note a start of the daemon, which has restored this order of the queue."""
    payload = {"recipe": recipe, "planner": {"order": order}}
    row = event_row(0, at_us, RESTORED, None, payload)
    store.transact(lambda connection: connection.execute(EVENT.insert(), row))


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
async def test_the_orders_of_a_history_are_the_simulated_ones(
    monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config, store: Store
) -> None:
    start(store, "dynp")
    trace = random_trace(random.Random(seed_of(pytestconfig)), 300)
    trace = [job._replace(submit_s=job.submit_s // 8) for job in trace]
    simulated = stored(monkeypatch, store, trace, parse_recipe("dynp"))
    last_us = max(job.end_us for job in simulated)
    orders = store.look_up(orders_between, 0, last_us)
    assert len(orders) > 1
    at_first = [one for one in simulated.orders if one[0] == 0]  # the first jobs may change it
    assert orders == [at_first[-1], *simulated.orders[len(at_first) :]]
    assert measure(Schedule(simulated.jobs, PROCESSORS, list(orders)), ["orders"]) == measure(
        simulated, ["orders"]
    )
    # The order that is in force when a time begins is told, and none that comes after it.
    middle_us = (orders[0].since_us + orders[1].since_us) // 2
    assert store.look_up(orders_between, middle_us, middle_us) == orders[:1]
    assert store.look_up(orders_between, orders[1].since_us, last_us) == orders[1:]


def test_a_start_tells_the_order_that_it_has_restored(store: Store) -> None:
    start(store, "easy,order=shortest", 1)
    start(store, "dynp", 5)
    start(store, "dynp", 8, order="longest")
    start(store, "easy", 9)
    told = store.look_up(orders_between, 0, 10)
    assert told == [(1, "shortest"), (5, "arrival"), (8, "longest"), (9, "arrival")]


def test_orders_are_unknown_before_the_first_event_that_tells_them(store: Store) -> None:
    row = event_row(1, 7, "switch", None, {"order": "longest"})
    damaged = event_row(1, 6, "switch", None, {})
    for one in (damaged, row):
        store.transact(lambda connection, one=one: connection.execute(EVENT.insert(), one))
    assert store.look_up(orders_between, 0, 10) == [(7, "longest")]


async def test_predictions_are_unknown_once_their_events_are_deleted(
    monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config, store: Store
) -> None:
    """The predictions for jobs that were submitted afterwards are still known."""
    trace = random_trace(random.Random(seed_of(pytestconfig)), 100)
    simulated = stored(monkeypatch, store, trace, parse_recipe("easy++"))

    def forget(connection: Connection) -> int:
        from_us = trace[50].submit_s * 10**6
        connection.execute(EVENT.delete().where(EVENT.c.model_us < from_us))
        return from_us

    known_us: list[int] = []
    store.transact(lambda connection: known_us.append(forget(connection)))
    views = await StoredHistory(store).views(len(trace))
    for view, job in zip(views, simulated, strict=True):
        told = view["decisions"]["predictions"]
        assert (told is not None) == (job.submit_us >= known_us[0])
        assert told is None or len(told) == len(job.predictions)


async def test_a_submit_that_is_not_found_leaves_predictions_unknown(
    monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    """The search is bounded: its events may be damaged, or too many."""
    trace = [TraceJob(0, 0, 1000, 1, 10, "1", 1), TraceJob(1, 5000, 5, 1, 10, "1", 1)]
    stored(monkeypatch, store, trace, parse_recipe("easy++"))
    monkeypatch.setattr(predictions, "LONGEST_SEARCH", 0)
    corrected, other = await StoredHistory(store).views(2)
    assert corrected["corrections"]
    assert corrected["decisions"]["predictions"] is None
    assert len(other["decisions"]["predictions"]) == 1
