"""Momentary load, share of orders, trials, and the dictionary of all groups."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.model_time import SECOND_US
from rmsd_lab.measures.measures import GROUPS, measure
from rmsd_lab.measures.timeline import momentary_load, order_shares, summarize_load, windowed_load
from rmsd_lab.schedule import Schedule, Scheduled
from tests.core.schedules import MACHINE, scheduled, schedules


def test_the_momentary_load_of_the_thesis_s_example() -> None:
    """Thesis 3.6: of 10 processors 8 are busy, two jobs of 6 wait: 2.0."""
    jobs = [scheduled(1, 0, 0, 10, 8), scheduled(2, 5, 10, 5, 6), scheduled(3, 5, 15, 5, 6)]
    assert momentary_load(jobs, 10) == [
        (0, 0.8),
        (5 * SECOND_US, 2.0),
        (10 * SECOND_US, 1.2),
        (15 * SECOND_US, 0.6),
        (20 * SECOND_US, 0.0),
    ]


@given(schedules(20), st.integers(1, 7))
def test_loads_second_by_second(jobs: list[Scheduled], windows: int) -> None:
    first = min(job.submit_us for job in jobs)
    last = max(job.end_us for job in jobs)
    steps = momentary_load(jobs, MACHINE)
    found = summarize_load(steps)
    parts = windowed_load(steps, windows)
    if first == last:
        assert found is None
        assert parts == []
        return
    loads = [
        sum(job.size for job in jobs if job.submit_us <= instant < job.end_us) / MACHINE
        for instant in range(first, last, SECOND_US)
    ]
    mean = sum(loads) / len(loads)
    assert found is not None
    assert found.mean == pytest.approx(mean)
    assert found.maximum == max(loads)
    variance = sum((load - mean) ** 2 for load in loads) / len(loads)
    assert found.std_dev == pytest.approx(variance**0.5, abs=1e-9)
    bounds = [since for since, _ in parts] + [last]
    area = sum(load * (b - a) for (a, load), b in zip(parts, bounds[1:], strict=True))
    assert area == pytest.approx(mean * (last - first))
    for (since, load), until in zip(parts, bounds[1:], strict=True):
        within = [
            (min(until, at + SECOND_US) - max(since, at)) * value
            for at, value in zip(range(first, last, SECOND_US), loads, strict=True)
            if at + SECOND_US > since and at < until
        ]
        assert load == pytest.approx(sum(within) / (until - since))


def test_share_of_orders() -> None:
    """By dynP, Fig. 5, the share is of the time from the first arrival, at 10, to the last end, at
    110."""
    schedule = Schedule([scheduled(1, 10, 10, 100)], 1)
    assert order_shares(schedule) is None
    schedule.orders = [(0, "arrival"), (60 * SECOND_US, "shortest"), (100 * SECOND_US, "arrival")]
    shares = order_shares(schedule)
    assert shares == {"arrival": pytest.approx(0.6), "shortest": pytest.approx(0.4)}


@given(schedules(20))
def test_all_groups_can_be_written_as_json(jobs: list[Scheduled]) -> None:
    schedule = Schedule(jobs, MACHINE)
    for trim in (False, True):
        found = measure(schedule, GROUPS, trim=trim, conservative=schedule, exact=schedule)
        assert list(found) == list(GROUPS)
        assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_groups_agree_with_each_other() -> None:
    jobs = [scheduled(at, at, 2 * at, 5, 1 + at % 8, rank=at) for at in range(400)]
    found = measure(Schedule(jobs, MACHINE), GROUPS, trim=True)
    kinds = found["categories"]
    assert kinds["all"]["jobs"] == sum(kinds[name]["jobs"] for name in ("SN", "SW", "LN", "LW"))
    assert kinds["all"]["jobs"] < 400 - 4
    assert kinds["all"]["wait_mean_s"] == found["waits"]["wait_s"]["mean"]
    assert kinds["all"] == found["failures"]["all"]


def test_fairness_without_a_reference_is_not_known() -> None:
    schedule = Schedule([scheduled(1, 0, 5, 10)], 1)
    found = measure(schedule, ["fairness"])["fairness"]
    assert set(found.values()) == {None}
    exact = Schedule([scheduled(1, 0, 0, 10)], 1)
    late = measure(schedule, ["fairness"], exact=exact)["fairness"]["against_exact"]
    assert late["unfairness_s"] == 5
    with pytest.raises(ValueError, match="differ"):
        measure(schedule, ["fairness"], exact=Schedule([scheduled(1, 1, 1, 10)], 1))


def test_what_trials_cost() -> None:
    kept = scheduled(1, 0, 0, 100, 2)
    killed = scheduled(2, 0, 100, 50, 4)._replace(attempts=2, lost_us=25 * SECOND_US)
    assert measure(Schedule([kept, killed], 4), ["trials"])["trials"] == {
        "attempts_mean": 1.5,
        "restarted_share": 0.5,
        "lost_processor_s": 100,
        "lost_share": 100 / 500,
    }
    slower = killed._replace(end_us=killed.end_us + 10 * SECOND_US)  # the new start cost 10 s
    assert measure(Schedule([kept, slower], 4), ["trials"])["trials"] == {
        "attempts_mean": 1.5,
        "restarted_share": 0.5,
        "lost_processor_s": 140,
        "lost_share": 140 / 540,
    }
    replayed = killed._replace(lost_us=-1)
    assert measure(Schedule([kept, replayed], 4), ["trials"])["trials"] == {
        "attempts_mean": 1.5,
        "restarted_share": 0.5,
        "lost_processor_s": None,
        "lost_share": None,
    }
    unknown = replayed._replace(attempts=-1)
    found = measure(Schedule([kept, unknown], 4), ["trials"])["trials"]
    assert set(found.values()) == {None}
