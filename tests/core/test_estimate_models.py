"""Models of estimates: the mode model of thesis chapter 5, the random shuffle, the Phi-model."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_lab.workloads.models.assignment import gathered, lifted, shuffled
from rmsd_lab.workloads.models.estimates import (
    longest_estimate_s,
    own_heads,
    with_mode_estimates,
    with_phi_estimates,
    with_shuffled_estimates,
)
from rmsd_lab.workloads.models.mode_pool import popularity_ranks
from rmsd_lab.workloads.models.mode_sizes import head_percents, merged_sizes, tail_percents
from rmsd_lab.workloads.models.mode_times import (
    HEADS,
    head_times_s,
    mode_times_s,
    number_of_modes,
    replaced_by_nearest,
    spread_of,
)
from rmsd_lab.workloads.models.modes import Mode, ModeParameters, estimates_of, mode_series
from rmsd_lab.workloads.models.popularity import repeat_share
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import TraceJob

HOUR_S = 3600
JOBS = sample_trace(1500, 32, seed=5)

seeds = st.integers(0, 2**32)
longest = st.integers(1200, 400 * HOUR_S)


@st.composite
def parameters(draw: st.DrawFn) -> ModeParameters:
    """Draw parameters with up to 20 estimates given, the longest among them or not."""
    max_s = draw(longest)
    others = st.lists(st.integers(1, max_s - 1), max_size=19, unique=True)
    times_s = draw(others) + [max_s] * draw(st.integers(0, 1))
    weights = [draw(st.floats(0.01, 1)) for _ in times_s]
    total = draw(st.floats(0.1, 100))
    modes = (
        Mode(time_s, total * weight / sum(weights))
        for time_s, weight in zip(times_s, weights, strict=True)
    )
    return ModeParameters(max_s, tuple(modes))


def test_the_number_of_modes_is_that_of_table_5_3() -> None:
    for jobs, number in ((20, 10), (200, 20), (1000, 35), (10_000, 90), (70_000, 340)):
        assert number_of_modes(jobs) == number
    assert number_of_modes(250_000) == 565
    assert number_of_modes(5500) == round(35 + 4500 * 55 / 9000)
    assert number_of_modes(330_000) == 665, "the last slope, one in 800, goes on"


@given(jobs=st.integers(1, 10**6), more=st.integers(0, 1000))
def test_more_jobs_have_no_fewer_modes(jobs: int, more: int) -> None:
    assert number_of_modes(jobs) <= number_of_modes(jobs + more)


def test_the_spread_is_near_the_fits_of_table_5_4() -> None:
    """Fig. 5.6 calls its fit a moderate success."""
    for number, fitted in ((106, 1.91), (265, 1.57), (339, 1.50), (525, 1.24)):
        assert math.isclose(spread_of(number), fitted, abs_tol=0.2)


@given(number=st.integers(1, 700), max_s=longest, spread=st.floats(1.01, 4))
def test_times_are_different_and_end_at_the_longest(number: int, max_s: int, spread: float) -> None:
    times_s = mode_times_s(number, max_s, spread)
    assert len(times_s) == min(number, max_s)
    assert all(before < after for before, after in pairwise(times_s))
    assert times_s[0] >= 1
    assert times_s[-1] == max_s


def test_times_follow_the_fractional_function_in_whole_minutes() -> None:
    times_s = mode_times_s(100, 64800, 1.5)
    assert all(time_s % 60 == 0 for time_s in times_s)
    for rank, time_s in enumerate(times_s, 1):
        x = rank / 100
        assert abs(time_s - 64800 * 0.5 * x / (1.5 - x)) <= 30


def test_head_times_are_those_of_the_method() -> None:
    """By hand, 5.10.2 gives for 18 h: the longest, the joint ones, 15 h of the multiples of 5 h, 16
    and 14 h of 2 h, 17 and 13 h of 1 h."""
    hours = [1, 2, 3, 4, 5, 6, 8, 10, 12, 13, 14, 15, 16, 17, 18]
    minutes = [5, 10, 15, 20, 30]
    assert head_times_s(18 * HOUR_S) == [60 * m for m in minutes] + [HOUR_S * h for h in hours]
    assert {400 * HOUR_S, 200 * HOUR_S, 100 * HOUR_S} < set(head_times_s(500 * HOUR_S))


@given(max_s=longest)
def test_there_are_twenty_head_times_up_to_the_longest(max_s: int) -> None:
    times_s = head_times_s(max_s)
    assert len(set(times_s)) == HEADS
    assert times_s == sorted(times_s)
    assert times_s[-1] == max_s


def test_a_limit_too_short_for_twenty_heads_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1200 s"):
        head_times_s(1199)


@given(
    values=st.lists(st.integers(0, 50), min_size=5, unique=True).map(sorted),
    by=st.lists(st.integers(0, 50), max_size=5, unique=True),
)
def test_replaced_values_make_room_for_as_many_and_are_not_among_them(
    values: list[int], by: list[int]
) -> None:
    left = replaced_by_nearest(values, by)
    assert len(left) == len(values) - len(by)
    assert set(left) <= set(values) - set(by)


def test_head_and_tail_have_the_sizes_of_fig_5_7() -> None:
    head = head_percents()
    assert math.isclose(sum(head), 89)
    assert 20 < head[0] < 25, "a bit more than 20%"
    assert math.isclose(head[1], 14.05 * math.exp(-0.36) + 0.46)
    assert head == sorted(head, reverse=True)
    tail = tail_percents(300, 11)
    assert math.isclose(sum(tail), 11)
    assert math.isclose(tail[0] / tail[21], 2**2.27), "ranks 21 and 42"


@given(
    given_percents=st.lists(st.floats(0.01, 5), max_size=19),
    of_max=st.none() | st.floats(0.01, 5),
)
def test_given_sizes_are_kept_and_the_head_keeps_its_sum(
    given_percents: list[float], of_max: float | None
) -> None:
    sizes = merged_sizes(given_percents, of_max, 89)
    assert len(sizes.percents) == HEADS
    assert [sizes.percents[rank - 1] for rank in sizes.of_given] == given_percents
    ranks = [sizes.of_max, *sizes.of_given]
    assert len(set(ranks)) == len(ranks)
    if of_max is None:
        assert sizes.of_max == 1
    else:
        assert sizes.percents[sizes.of_max - 1] == of_max
    if len(given_percents) < 19:
        assert math.isclose(sum(sizes.percents), 89)


def test_given_sizes_beyond_the_head_eliminate_the_others() -> None:
    sizes = merged_sizes([60.0, 33.0], None, 89)
    assert sorted(sizes.percents) == [0.0] * 18 + [33.0, 60.0]


@given(
    fixed=st.lists(
        st.tuples(st.integers(1, 19), st.integers(1, 20)),
        max_size=19,
        unique_by=(lambda pair: pair[0], lambda pair: pair[1]),
    ),
    seed=seeds,
)
def test_the_pool_gives_every_rank_once_and_keeps_what_is_fixed(
    fixed: list[tuple[int, int]], seed: int
) -> None:
    free = min(set(range(1, 21)) - {rank for _, rank in fixed})
    known = {0: free, **dict(fixed)}
    ranks = popularity_ranks(known, random.Random(seed))
    assert sorted(ranks) == list(range(1, 21))
    assert all(ranks[time_rank] == rank for time_rank, rank in known.items())


def test_popular_estimates_are_drawn_short() -> None:
    """By 5.10.3, no rank is drawn before a log has had it, and none after all logs have. About
    three quarters of the ten most popular are in the shorter half."""
    first = {1: 0, 3: 1, 4: 1, 6: 1, 2: 3, 12: 4}
    last = {4: 8, 2: 8, 18: 12, 3: 6}
    shorter = 0
    for seed in range(200):
        ranks = popularity_ranks({0: 1}, random.Random(seed))
        at = {rank: time_rank for time_rank, rank in enumerate(ranks)}
        assert all(at[rank] >= early for rank, early in first.items())
        assert all(at[rank] <= late for rank, late in last.items())
        shorter += sum(rank <= 10 for rank in ranks[:10])
    assert 0.65 < shorter / 2000 < 0.9


@given(given_parameters=parameters(), jobs=st.integers(1, 5000), seed=seeds)
def test_modes_are_complete_and_keep_what_is_given(
    given_parameters: ModeParameters, jobs: int, seed: int
) -> None:
    modes = mode_series(jobs, given_parameters, seed)
    assert modes == mode_series(jobs, given_parameters, seed)
    assert math.isclose(sum(mode.percent for mode in modes), 100)
    assert all(0 < mode.time_s <= given_parameters.max_s for mode in modes)
    times_s = [mode.time_s for mode in modes]
    assert times_s == sorted(set(times_s))
    percents = dict(modes)
    if jobs > 300 and len(given_parameters.given) < 20:
        for mode in given_parameters.given:
            assert math.isclose(percents[mode.time_s], mode.percent)


@pytest.mark.parametrize("jobs", [1000, 20_000, 80_000])
def test_twenty_heads_cover_89_percent_and_the_longest_is_the_most_popular(jobs: int) -> None:
    for seed in range(10):
        modes = mode_series(jobs, ModeParameters(18 * HOUR_S), seed)
        assert len(modes) == number_of_modes(jobs)
        percents = {mode.time_s: mode.percent for mode in modes}
        heads = [percents[time_s] for time_s in head_times_s(18 * HOUR_S)]
        assert math.isclose(sum(heads), 89)
        assert max(percents, key=percents.__getitem__) == 18 * HOUR_S


def test_few_jobs_have_no_tail() -> None:
    modes = mode_series(100, ModeParameters(18 * HOUR_S), seed=1)
    assert [mode.time_s for mode in modes] == head_times_s(18 * HOUR_S)


def test_parameters_that_cannot_be_are_refused() -> None:
    hour = Mode(HOUR_S, 60)
    for wrong, reason in (
        (ModeParameters(HOUR_S, (hour, hour)), "given twice"),
        (ModeParameters(HOUR_S - 1, (hour,)), "not from 1 s to the longest"),
        (ModeParameters(HOUR_S, (hour, Mode(60, 60))), "more than 100"),
        (ModeParameters(HOUR_S, (Mode(60, 0),)), "not above zero"),
        (ModeParameters(HOUR_S, tuple(Mode(time, 1) for time in range(1, 21))), "at most 19"),
        (ModeParameters(HOUR_S, number=19), "at least 20 modes"),
        (ModeParameters(HOUR_S, spread=1), "above 1"),
    ):
        with pytest.raises(ValueError, match=reason):
            mode_series(100, wrong, seed=1)
    with pytest.raises(ValueError, match="at least one job"):
        mode_series(0, ModeParameters(HOUR_S), seed=1)


@given(percents=st.lists(st.floats(0.001, 10), min_size=1, max_size=40), jobs=st.integers(1, 3000))
def test_estimates_have_the_percentages_of_their_modes(percents: list[float], jobs: int) -> None:
    total = sum(percents)
    modes = [Mode(at, 100 * percent / total) for at, percent in enumerate(percents, 1)]
    estimates_s = estimates_of(modes, jobs)
    assert len(estimates_s) == jobs
    counts = Counter(estimates_s)
    if jobs >= len(modes):
        assert len(counts) == len(modes)
    for mode in modes:
        assert counts[mode.time_s] >= int(mode.percent / 100 * jobs) - len(modes)
        assert counts[mode.time_s] <= max(1, math.ceil(mode.percent / 100 * jobs))


needs_and_estimates = st.lists(
    st.tuples(st.integers(0, 100), st.integers(1, 100)), max_size=60
).map(lambda pairs: [(min(pair), max(pair)) for pair in pairs])


@given(pairs=needs_and_estimates, shuffles=seeds, seed=seeds)
def test_the_shuffle_deals_all_estimates_and_none_below_the_need(
    pairs: list[tuple[int, int]], shuffles: int, seed: int
) -> None:
    needs = [need for need, _ in pairs]
    estimates = [estimate for _, estimate in pairs]
    random.Random(shuffles).shuffle(estimates)
    groups = [list(range(at, len(pairs), 3)) for at in range(min(3, len(pairs)))]
    once = shuffled(needs, estimates, seed)
    for dealt in (once, gathered(needs, once, groups, seed)):
        assert sorted(dealt) == sorted(estimates)
        assert all(estimate >= need for need, estimate in zip(needs, dealt, strict=True))


def test_the_shuffle_draws_every_order_alike() -> None:
    seen = Counter(tuple(shuffled([1, 1, 5], [5, 6, 7], seed)) for seed in range(1200))
    assert len(seen) == 6
    assert min(seen.values()) > 150


def test_the_shuffle_says_when_it_cannot() -> None:
    with pytest.raises(ValueError, match="not enough long estimates"):
        shuffled([5, 5], [5, 4], seed=1)
    with pytest.raises(ValueError, match="1 estimates for 2 jobs"):
        shuffled([5, 5], [5], seed=1)


def test_groups_come_to_one_estimate_where_others_can_give_theirs() -> None:
    needs = [1, 1, 1, 1, 9, 1]
    for seed in range(20):
        dealt = gathered(needs, [5, 6, 5, 6, 9, 6], [[0, 1, 2], [3, 5]], seed)
        assert sorted(dealt) == [5, 5, 6, 6, 6, 9]
        assert dealt[4] == 9
        assert dealt[3] == dealt[5]
        assert len({dealt[0], dealt[1], dealt[2]}) <= 2
    assert gathered([1, 9], [5, 9], [[0, 1]], seed=1) == [5, 9], "nobody has another 9"
    with pytest.raises(ValueError, match="1 estimates for 2 jobs"):
        gathered([1, 1], [1], [], seed=1)


@given(
    pairs=st.lists(st.tuples(st.integers(0, 100), st.integers(1, 100)), min_size=1, max_size=50),
    seed=seeds,
)
def test_lifting_makes_it_possible_and_lifts_no_more_than_it_must(
    pairs: list[tuple[int, int]], seed: int
) -> None:
    needs = [need for need, _ in pairs]
    estimates = [estimate for _, estimate in pairs]
    raised, number = lifted(needs, estimates, 100)
    shuffled(needs, raised, seed)
    assert sorted(raised)[: len(raised) - number] == sorted(estimates)[number:]
    if number:
        fewer = [100] * (number - 1) + sorted(estimates)[number - 1 :]
        with pytest.raises(ValueError, match="not enough long estimates"):
            shuffled(needs, fewer, seed)


def test_lifting_cannot_lift_above_the_longest() -> None:
    with pytest.raises(ValueError, match="a job needs 101 s"):
        lifted([101], [5], 100)


@pytest.mark.slow
@given(seed=seeds)
def test_shuffled_estimates_keep_both_distributions(seed: int) -> None:
    dealt = with_shuffled_estimates(JOBS, seed)
    assert [job._replace(estimate_s=0) for job in dealt] == [
        job._replace(estimate_s=0) for job in JOBS
    ]
    assert sorted(job.estimate_s for job in dealt) == sorted(job.estimate_s for job in JOBS)
    assert all(job.estimate_s >= job.run_s for job in dealt)


def test_jobs_that_outran_their_estimate_do_not_stop_the_shuffle() -> None:
    jobs = [TraceJob(at, at, 100, 1, 50 + at, "1", 1) for at in range(10)]
    dealt = with_shuffled_estimates(jobs, 1)
    assert sorted(job.estimate_s for job in dealt) == list(range(50, 60))


@given(given_parameters=parameters(), seed=seeds, in_sessions=st.booleans())
def test_mode_estimates_are_never_below_run_times_but_for_jobs_beyond_the_longest(
    given_parameters: ModeParameters, seed: int, in_sessions: bool
) -> None:
    longest_s = given_parameters.max_s
    found = with_mode_estimates(JOBS[:300], given_parameters, seed, in_sessions)
    assert found == with_mode_estimates(JOBS[:300], given_parameters, seed, in_sessions)
    for before, after in zip(JOBS, found.jobs, strict=False):
        assert min(before.run_s, longest_s) <= after.estimate_s <= longest_s
        assert after == before._replace(estimate_s=after.estimate_s)
    assert found.beyond == sum(job.run_s > longest_s for job in JOBS[:300])


@pytest.mark.parametrize("model", ["modes", "shuffle"])
def test_jobs_of_a_session_have_the_same_estimate(model: str) -> None:
    """The estimates are those that the model drew."""

    def made(in_sessions: bool) -> list[TraceJob]:
        if model == "shuffle":
            return with_shuffled_estimates(JOBS, 1, in_sessions)
        return with_mode_estimates(JOBS, ModeParameters(4 * HOUR_S), 1, in_sessions).jobs

    apart, together = made(False), made(True)
    assert sorted(job.estimate_s for job in apart) == sorted(job.estimate_s for job in together)
    assert all(job.estimate_s >= job.run_s for job in together)
    assert repeat_share(apart) < 0.4
    assert repeat_share(together) > 0.6


@given(killed=st.floats(0, 1), max_s=st.integers(1, 10**5), seed=seeds)
def test_phi_estimates_are_at_least_the_run_time_and_at_most_the_longest(
    killed: float, max_s: int, seed: int
) -> None:
    changed = with_phi_estimates(JOBS[:200], killed, max_s, seed)
    assert changed == with_phi_estimates(JOBS[:200], killed, max_s, seed)
    for job in changed:
        assert max(1, job.run_s) <= job.estimate_s <= max(1, job.run_s, max_s)


def test_phi_accuracies_are_uniform_with_a_peak_and_a_hump() -> None:
    long = [TraceJob(at, at, 1000, 1, 1, "1", 1) for at in range(5000)]
    changed = with_phi_estimates(long, 0.1, 10**9, seed=1)
    exact = sum(job.estimate_s == 1000 for job in changed) / 5000
    assert math.isclose(exact, 0.1, abs_tol=0.02)
    below_half = sum(job.estimate_s >= 2000 for job in changed) / 5000
    assert math.isclose(below_half, 0.9 / 2, abs_tol=0.03)
    short = [job._replace(run_s=80) for job in long]
    assert all(job.estimate_s >= 800 for job in with_phi_estimates(short, 0.0, 10**9, seed=1))
    assert all(job.estimate_s == 80 for job in with_phi_estimates(short, 1.0, 10**9, seed=1))


def test_phi_parameters_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="0 to 1"):
        with_phi_estimates(JOBS, 1.1, 100, 1)
    with pytest.raises(ValueError, match="at least 1 s"):
        with_phi_estimates(JOBS, 0.1, 0, 1)


def test_what_a_trace_tells_of_its_own_estimates() -> None:
    jobs = [TraceJob(at, at, 1, 1, time_s, "1", 1) for at, time_s in enumerate([60] * 5 + [90] * 3)]
    jobs += [TraceJob(at, at, 1, 1, 120, "1", 1) for at in range(2)]
    assert longest_estimate_s(jobs) == 120
    assert own_heads(jobs, 1, 120) == (Mode(120, 20.0), Mode(60, 50.0))
    assert own_heads(jobs, 9, 90) == (Mode(90, 50.0), Mode(60, 50.0))
    assert own_heads(jobs, 1, 200) == (Mode(60, 50.0),)
    with_typo = [*jobs[:1] * 20_000, TraceJob(0, 0, 1, 1, 10**6, "1", 1)]
    assert longest_estimate_s(with_typo) == 60
    with pytest.raises(ValueError, match="no jobs"):
        longest_estimate_s([])
