"""Properties that must hold for every schedule of every recipe, and agreement with the oracle."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.presets import PRESETS
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.swf import TraceJob
from rmsd_lab.workloads.workload import cut_at_estimate, with_exact_estimates
from tests.core.oracle import Machine
from tests.core.recorded import Pass, Seen, record
from tests.core.strategies import (
    MACHINE,
    any_recipes,
    combination_texts,
    preset_texts,
    recipes,
    timed,
    traces,
)

# ---------------------------------------------------------------- the oracle


def lasting(trace: list[TraceJob]) -> list[TraceJob]:
    """Jobs of no run time are estimated at a second, which is not exact: they run that long."""
    return [job._replace(run_s=max(1, job.run_s)) for job in trace]


def agrees(
    trace: list[TraceJob], recipe: Recipe, restart_cost_s: int = 0, exempt: Collection[int] = ()
) -> None:
    """Compare job for job, attempt for attempt, switch for switch.

    Where runs are killed for others, a job of no run time that takes the place of a killed run may
    differ (docs/simulation-rules.md).
    """
    if recipe.speculates or recipe.trial_us > 0:
        trace = lasting(trace)
    oracle = Machine(trace, MACHINE, recipe, restart_cost_s, exempt)
    expected = oracle.run()
    schedule = simulate(
        trace, MACHINE, recipe, restart_cost_s=restart_cost_s, not_restartable=exempt
    )
    got = [(job.start_us / SECOND_US, job.end_us / SECOND_US) for job in schedule]
    assert got == expected
    lost = [0] * len(trace)
    for attempt in oracle.attempts:
        lost[attempt.seq] += (attempt.end - attempt.start) if attempt.killed else 0
    assert [job.lost_us / SECOND_US for job in schedule] == lost
    starts = [attempt.seq for attempt in oracle.attempts]
    assert [job.attempts for job in schedule] == [starts.count(seq) for seq in range(len(trace))]
    if recipe.order == "dynp":
        orders = [(since_us / SECOND_US, order) for since_us, order in schedule.orders]
        assert orders == [(0, "arrival"), *oracle.orders]


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
@settings(max_examples=15)
@given(data=st.data(), trace=traces)
def test_a_preset_agrees_with_the_oracle(
    name: str, data: st.DataObject, trace: list[TraceJob]
) -> None:
    agrees(trace, data.draw(recipes(preset_texts((name,)))))


def test_a_killed_run_keeps_its_rank_until_the_pass_is_over() -> None:
    """An urgent job kills the first of two equal runs, which is next in order all the same, and
    kills the second."""
    rows = [
        *[(1, 60, 2, 30, "a"), (10, 170, 3, 10, "b"), (27, 100, 1, 10, "b"), (30, 84, 2, 20, "a")],
        *[(37, 0, 1, 30, "b"), (55, 207, 1, 10, "b"), (57, 48, 1, 10, "b")],
    ]
    trace = [
        TraceJob(at, submit_s, run_s, size, estimate_s, user, 1)
        for at, (submit_s, run_s, size, estimate_s, user) in enumerate(rows)
    ]
    text = "rmsd,order=saf,kill=longest-expired,floor=0,fraction=0.6,trial=1"
    agrees(trace, parse_recipe(text))


def test_jobs_that_two_passes_of_one_instant_promote_stand_in_the_order_of_the_passes() -> None:
    """An end lowers an adaptive threshold, so that a second pass promotes an earlier job."""
    rows = [
        *[(0, 10, 8, 10), (0, 0, 8, 10), (0, 10, 8, 10), (0, 46, 1, 20), (0, 0, 1, 10)],
        *[(0, 0, 8, 10), (0, 10, 1, 30), (20, 0, 1, 10), (20, 0, 1, 54), (31, 0, 1, 10)],
        (34, 0, 8, 10),
    ]
    trace = [
        TraceJob(at, submit_s, run_s, size, estimate_s, "a", 1)
        for at, (submit_s, run_s, size, estimate_s) in enumerate(rows)
    ]
    text = "easy,reserve=starved,threshold=adaptive,scale=1,long=31,wide=6,depth=2,backfill=queue"
    agrees(trace, parse_recipe(text))


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
@settings(max_examples=15)
@given(data=st.data(), trace=traces)
def test_a_preset_with_trials_agrees_with_the_oracle(
    name: str, data: st.DataObject, trace: list[TraceJob]
) -> None:
    agrees(trace, data.draw(recipes(timed(preset_texts((name,))))))


@pytest.mark.slow
@settings(max_examples=100)
@given(traces, recipes(combination_texts()))
def test_combinations_agree_with_the_oracle(trace: list[TraceJob], recipe: Recipe) -> None:
    agrees(trace, recipe)


@pytest.mark.long  # 2000 examples compute for half a minute
@settings(max_examples=1000)
@given(traces, recipes(preset_texts() | timed(preset_texts()) | combination_texts()))
def test_presets_and_combinations_agree_with_the_oracle(
    trace: list[TraceJob], recipe: Recipe
) -> None:
    agrees(trace, recipe)


@pytest.mark.slow
@given(
    traces,
    recipes(timed(preset_texts()) | combination_texts()).filter(lambda recipe: recipe.trial_us > 0),
    st.integers(0, 30),
    st.sets(st.integers(0, 24)),
)
def test_restart_costs_and_exemptions_agree_with_the_oracle(
    trace: list[TraceJob], recipe: Recipe, restart_cost_s: int, exempt: set[int]
) -> None:
    agrees(trace, recipe, restart_cost_s, exempt)


# ---------------------------------------------------------------- every recipe


@pytest.mark.slow
@given(traces, any_recipes)
def test_never_over_allocated_and_every_job_ends_exactly_once(
    trace: list[TraceJob], recipe: Recipe
) -> None:
    """Killed trials hold their processors like any other run."""
    recorded = record(trace, MACHINE, recipe)
    held: dict[int, int] = {}
    begun: dict[int, int] = {}
    ended: list[int] = []
    for now_us, kind, at in recorded.events:
        if kind in ("start", "trial"):
            assert now_us >= trace[at].submit_s * SECOND_US
            assert at not in held
            assert at not in ended
            held[at], begun[at] = trace[at].size, now_us
            assert sum(held.values()) <= MACHINE
        elif kind == "leave":
            del held[at]
        elif kind == "end":
            assert at not in held
            assert now_us - begun[at] == trace[at].run_s * SECOND_US
            ended.append(at)
    assert not held
    assert sorted(ended) == list(range(len(trace)))
    schedule = recorded.schedule
    assert [job.job_id for job in schedule] == [job.number for job in trace]
    assert [job.start_us for job in schedule] == [begun[at] for at in range(len(trace))]
    assert all(job.end_us - job.start_us == job.run_us for job in schedule)


@pytest.mark.slow
@given(traces, any_recipes)
def test_the_same_workload_gives_the_same_schedule(trace: list[TraceJob], recipe: Recipe) -> None:
    assert simulate(trace, MACHINE, recipe) == simulate(trace, MACHINE, recipe)


_DIGEST = """
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.simulation.simulation import simulate
for text in ("timed-easy++", "conservative", "selective-a", "dynp", "timed-selective-sa"):
    print(simulate(sample_trace(150, 32, seed=7), 32, parse_recipe(text)))
"""


def test_the_same_seed_gives_the_same_schedule_in_every_process() -> None:
    """The order of sets and of addresses does not matter."""

    def printed(hash_seed: str) -> str:
        env = os.environ | {"PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", _DIGEST]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout

    assert len(printed("1")) > 10_000
    assert printed("1") == printed("2")


# ---------------------------------------------------------------- the EASY family

_KEYS: dict[str, Callable[[Seen, int], float]] = {
    "arrival": lambda _job, _now_us: 0,
    "shortest": lambda job, _now_us: job.prediction_us,
    "longest": lambda job, _now_us: -job.prediction_us,
    "lxfw": lambda job, now_us: (
        -(now_us - job.submit_us + job.prediction_us) / job.prediction_us
        - 0.02 * ((now_us - job.submit_us) / SECOND_US / 3600)
    ),
}


def queue(seen: Pass) -> list[Seen]:
    """Return the jobs that waited before the decisions, in the order of the queue; the sort is
    stable."""
    return sorted(seen.waiting, key=lambda job: _KEYS[seen.order](job, seen.now_us))


def shadow_us(head: Seen, held: Sequence[tuple[int, int]], now_us: int) -> int:
    """Return the earliest instant at which the head fits, `held` being (expected end, size)."""
    free = MACHINE - sum(size for _, size in held)
    for end_us, size in sorted(held):
        if free >= head.size:
            break
        now_us, free = max(now_us, end_us), free + size
    return now_us


easy_family = recipes(
    preset_texts(tuple(name for name, preset in PRESETS.items() if preset.reserve == "head"))
    | combination_texts(("head",), trials=False)
).filter(
    lambda recipe: (
        recipe.fit == "prediction"
        and recipe.order in (*_KEYS, "dynp")
        and not recipe.has_urgent  # an urgent job is the head, whatever the order
        and not recipe.speculates
    )
)


@pytest.mark.slow
@settings(max_examples=200)
@given(traces, easy_family)
def test_no_backfilled_job_delays_the_head(trace: list[TraceJob], recipe: Recipe) -> None:
    """In every pass, the head's reservation is what it would be without the backfilled jobs, under
    the predictions in force (thesis 1.1.2, 2.3). Nor does the head wait if it fits."""
    for seen in record(trace, MACHINE, recipe).passes:
        if not seen.left:
            continue
        held = [(max(seen.now_us, job.end_us), job.size) for job in seen.running]
        behind = queue(seen)
        while behind[0].id in seen.started:
            ahead = behind.pop(0)
            held.append((seen.now_us + ahead.prediction_us, ahead.size))
        head = behind[0]
        backfilled = [
            (seen.now_us + job.prediction_us, job.size) for job in behind if job.id in seen.started
        ]
        assert MACHINE - sum(size for _, size in held) < head.size
        assert head.reserved_us >= 0
        alone_us = shadow_us(head, held, seen.now_us)
        assert shadow_us(head, held + backfilled, seen.now_us) == alone_us


@pytest.mark.slow
@given(traces.map(cut_at_estimate), st.sampled_from(["easy", "easy-sjbf", "perfect++"]))
def test_the_head_starts_by_its_first_reservation(trace: list[TraceJob], name: str) -> None:
    """This holds in arrival order, if nothing runs longer than predicted."""
    for job in simulate(trace, MACHINE, PRESETS[name]):
        assert job.reserved_us == -1 or job.start_us <= job.reserved_us


# ---------------------------------------------------------------- plans


@pytest.mark.slow
@given(traces.map(lasting).map(with_exact_estimates))
def test_conservative_delays_nobody_beyond_fcfs(trace: list[TraceJob]) -> None:
    """With exact estimates nobody starts later than without backfilling."""
    fcfs = simulate(trace, MACHINE, PRESETS["fcfs"])
    for job, plain in zip(simulate(trace, MACHINE, PRESETS["conservative"]), fcfs, strict=True):
        assert job.start_us <= plain.start_us


@pytest.mark.slow
@settings(max_examples=200)
@given(
    traces.map(cut_at_estimate) | traces.map(with_exact_estimates),
    st.sampled_from(["conservative", "conservative,predict=perfect"]),
)
def test_compression_moves_no_job_later(trace: list[TraceJob], text: str) -> None:
    """If nothing runs longer than predicted, everyone holds a reservation from arrival on, and
    starts by it."""
    promised_us: dict[int, int] = {}
    for seen in record(trace, MACHINE, parse_recipe(text)).passes:
        for at in seen.started:
            assert seen.now_us <= promised_us.pop(at, seen.now_us)
        for job in seen.left:
            assert job.planned_us is not None
            assert seen.now_us < job.planned_us <= promised_us.get(job.id, job.planned_us)
            assert job.reserved_us >= job.planned_us
            promised_us[job.id] = job.planned_us


@pytest.mark.slow
@given(traces, st.integers(1, 5), st.sampled_from(["shortest", "longest"]))
def test_a_plan_that_is_made_anew_to_a_depth_is_one_of_the_first(
    trace: list[TraceJob], depth: int, order: str
) -> None:
    """Where nothing stands, "everyone" with a depth and that number say the same."""
    everyone = parse_recipe(f"easy,order={order},reserve=everyone,depth={depth + 1}")
    first = parse_recipe(f"easy,order={order},reserve={depth + 1}")
    assert simulate(trace, MACHINE, everyone).jobs == simulate(trace, MACHINE, first).jobs


@pytest.mark.slow
@given(traces, st.sampled_from(["conservative", "selective,threshold=1.5", "timed-conservative"]))
def test_a_depth_that_no_queue_exceeds_changes_nothing(trace: list[TraceJob], text: str) -> None:
    deep = simulate(trace, MACHINE, parse_recipe(f"{text},depth={len(trace)}"))
    assert deep.jobs == simulate(trace, MACHINE, parse_recipe(text)).jobs


@pytest.mark.slow
@given(
    traces,
    recipes(
        preset_texts(("selective", "selective-d")) | combination_texts(("starved",), trials=False)
    ).filter(lambda recipe: recipe.starvation.source == "given"),
)
def test_a_job_past_its_threshold_holds_a_reservation(
    trace: list[TraceJob], recipe: Recipe
) -> None:
    """The job holds it from then on, and the others hold none. With a depth, the first that many of
    these jobs do."""
    past: set[int] = set()
    for seen in record(trace, MACHINE, recipe).passes:
        past |= {
            job.id
            for job in seen.waiting
            if (seen.now_us - job.submit_us + job.prediction_us) / job.prediction_us
            > threshold(job, recipe)
        }
        planned = {job.id for job in seen.left if job.planned_us is not None}
        waiting = past & {job.id for job in seen.left}
        assert planned <= waiting
        assert len(planned) == min(len(waiting), recipe.depth or len(waiting))
        assert planned <= {job.id for job in seen.left if job.reserved_us != -1} <= waiting


def threshold(job: Seen, recipe: Recipe) -> float:
    """Return the threshold of the job's category: SN, SW, LN, LW."""
    rule = recipe.starvation
    if not rule.differential:
        return rule.values[0]
    return rule.values[2 * (job.prediction_us > rule.long_us) + (job.size > rule.wide)]


@pytest.mark.slow
@given(
    traces,
    recipes(preset_texts(("dynp",)) | combination_texts(trials=False)).filter(
        lambda recipe: recipe.order == "dynp"
    ),
)
def test_dynp_switches_by_its_rule_alone(trace: list[TraceJob], recipe: Recipe) -> None:
    """By dynP 5, the mean prediction of the jobs that wait decides, if these are enough."""
    rule = recipe.switching
    recorded = record(trace, MACHINE, recipe)
    orders = [(0, "arrival")]
    for seen in recorded.passes:
        order = orders[-1][1]
        total_us = sum(job.prediction_us for job in seen.waiting)
        if len(seen.waiting) >= rule.min_queue:
            if total_us <= rule.lower_us * len(seen.waiting):
                order = "shortest"
            elif total_us <= rule.upper_us * len(seen.waiting):
                order = "arrival"
            else:
                order = "longest"
        assert seen.order == order
        if order != orders[-1][1]:
            orders.append((seen.now_us, order))
    assert recorded.schedule.orders == orders


# ---------------------------------------------------------------- trials


@pytest.mark.slow
@given(
    traces,
    recipes(timed(preset_texts()) | combination_texts()).filter(
        lambda recipe: recipe.trial_us > 0 and not recipe.speculates
    ),
)
def test_a_trial_is_killed_once_at_most_and_no_committed_job(
    trace: list[TraceJob], recipe: Recipe
) -> None:
    """Only a trial that is past its length is killed, for a job that starts in its stead; only such
    a trial is committed in place."""
    recorded = record(trace, MACHINE, recipe)
    expires_us: dict[int, int] = {}  # the trials that run
    killed: dict[int, int] = {}
    for now_us, kind, at in recorded.events:
        if kind == "trial":
            assert at not in killed
            expires_us[at] = now_us + recipe.trial_us
        elif kind in ("kill", "commit"):
            assert expires_us.pop(at) <= now_us
            if kind == "kill":
                assert at not in killed
                killed[at] = now_us
        elif kind == "leave":
            expires_us.pop(at, None)
    starts_us = {event.now_us for event in recorded.events if event.kind in ("start", "trial")}
    assert set(killed.values()) <= starts_us
    for at, job in enumerate(recorded.schedule):
        assert job.attempts == 1 + (at in killed)
        assert (job.lost_us >= recipe.trial_us) == (at in killed)


@pytest.mark.slow
@given(traces)
def test_fcfs_starts_in_arrival_order(trace: list[TraceJob]) -> None:
    starts_us = [job.start_us for job in simulate(trace, MACHINE, PRESETS["fcfs"])]
    assert starts_us == sorted(starts_us)
