"""The popularity of estimates: how few serve most jobs, which users give them, how far
distributions are apart.
"""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_lab.workloads.models.mode_times import mode_times_s
from rmsd_lab.workloads.models.popularity import (
    COVERED_PERCENT,
    coverage,
    distance,
    estimates_of_users,
    fitted_spread,
    head_share,
    joint_ratio,
    owned,
    repeat_share,
    without_the_most_creative,
)
from rmsd_lab.workloads.models.sessions import sessions
from rmsd_lab.workloads.swf import TraceJob

values = st.lists(st.integers(1, 30), min_size=1, max_size=80)


def job(user: str, estimate_s: int) -> TraceJob:
    return TraceJob(1, 0, 1, 1, estimate_s, user, 1)


def test_coverage_counts_the_most_popular_first() -> None:
    estimates_s = [60] * 50 + [120] * 25 + [180] * 15 + [240] * 5 + [300] * 5
    assert coverage(estimates_s) == {10: 1, 50: 1, 75: 2, 90: 3, 95: 4, 98: 5, 99: 5, 100: 5}
    assert coverage([]) == {}


@given(estimates_s=values)
def test_coverage_is_enough_and_one_less_is_not(estimates_s: list[int]) -> None:
    counts = [count for _, count in Counter(estimates_s).most_common()]
    for percent, few in coverage(estimates_s).items():
        assert 100 * sum(counts[:few]) >= percent * len(estimates_s)
        assert 100 * sum(counts[: few - 1]) < percent * len(estimates_s)
    assert tuple(coverage(estimates_s)) == COVERED_PERCENT


def test_heads_are_twenty() -> None:
    assert head_share(range(40)) == 0.5
    assert head_share([5] * 7) == 1
    assert head_share([]) == 0


def test_the_joint_ratio_of_ten_to_ninety() -> None:
    """One estimate in ten serves 90 percent of the jobs."""
    estimates_s = [60] * 90 + list(range(100, 109)) + [100]
    assert joint_ratio(estimates_s) == 10
    assert joint_ratio([]) == 0


@given(one=values, other=values)
def test_the_distance_is_one_of_distributions(one: list[int], other: list[int]) -> None:
    assert distance(one, one * 3) == pytest.approx(0)
    assert 0 <= distance(one, other) <= 1
    assert math.isclose(distance(one, other), distance(other, one))
    assert distance(one, [value + 100 for value in other]) == 1


def test_the_distance_is_the_largest_difference() -> None:
    assert distance([1, 2, 3, 4], [1, 2, 4, 4]) == 0.25
    with pytest.raises(ValueError, match="without values"):
        distance([], [1])


def test_an_estimate_is_owned_if_nobody_else_has_it() -> None:
    jobs = [job("a", 1), job("a", 2), job("a", 3), job("b", 1), job("b", 9), job("c", 1)]
    of_users = estimates_of_users(jobs)
    assert of_users == {"a": {1, 2, 3}, "b": {1, 9}, "c": {1}}
    assert owned(of_users) == {"a": {2, 3}, "b": {9}}
    assert without_the_most_creative(jobs) == [jobs[0], *jobs[3:]]
    assert without_the_most_creative(jobs[:0]) == []


def test_repeats_are_counted_within_sessions() -> None:
    times_s = [0, 10, 20, 30, 40, 9000]
    users = ["a", "b", "a", "a", "-1", "a"]
    estimates_s = [5, 5, 5, 6, 6, 6]
    jobs = [
        TraceJob(at, submit_s, 1, 1, estimate_s, user, 1)
        for at, (submit_s, user, estimate_s) in enumerate(
            zip(times_s, users, estimates_s, strict=True)
        )
    ]
    assert sessions(jobs) == [[0, 2, 3], [1], [4], [5]]
    assert repeat_share(jobs) == 0.5
    assert repeat_share([]) == 0


@pytest.mark.parametrize("spread", [1.05, 1.24, 1.57, 1.91, 4.0])
def test_the_spread_of_a_model_is_found_again(spread: float) -> None:
    times_s = mode_times_s(200, 10**6, spread)
    assert fitted_spread(times_s * 2) == pytest.approx(spread, rel=0.01)
    assert fitted_spread([60, 60]) is None
