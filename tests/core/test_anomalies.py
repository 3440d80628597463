"""Flurries and robots, and what leaving them out does to averages."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.recipes.presets import PRESETS
from rmsd_lab.anomalies.effect import effect_of
from rmsd_lab.anomalies.flurries import KINDS, WEEK_S, Activity, Flurry, Kind, NoUsualWeek, Suspects
from rmsd_lab.anomalies.made import FLURRY_USER, with_flurry, with_run_changed
from rmsd_lab.anomalies.robots import DAY_S, Habits, Robot
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import MOST, TraceJob
from rmsd_lab.workloads.swf_log import LogJob

HOUR_S = 3600


def job(number: int, submit_s: int, user: int, size: int = 1, **more: int) -> LogJob:
    known = {"wait_s": 0, "run_s": 60, "estimate_s": 300} | more
    return LogJob(number, submit_s, allocated=size, user=user, **known)


def ordinary(weeks: int = 10, each: int = 20, size: int = 2) -> list[LogJob]:
    """Return a log in which ten users share `each` jobs a week, and a last one tells that the weeks
    are full."""
    apart_s = WEEK_S // each
    return [job(n, n * apart_s, n % 10, size) for n in range(weeks * each + 1)]


def surge(count: int, since_s: int, every_s: int, user: int = 99, size: int = 1) -> list[LogJob]:
    return [
        job(10_000 + n, since_s + n * every_s, user, size, estimate_s=600) for n in range(count)
    ]


def found(
    jobs: Iterable[LogJob], times: float = 1.0, kinds: Sequence[Kind] = KINDS
) -> list[Flurry]:
    ordered = sorted(jobs, key=lambda one: one.submit_s)
    activity = Activity()
    for one in ordered:
        activity.add(one)
    suspects = Suspects(activity.peaks(times, kinds), activity)
    for one in ordered:
        suspects.add(one)
    return suspects.flurries()


def test_a_surge_of_jobs_is_a_flurry() -> None:
    since_s = 4 * WEEK_S + 1000
    [flurry] = found(ordinary() + surge(40, since_s, 30))
    assert (flurry.user, flurry.jobs, flurry.processes) == (99, 40, 40)
    assert (flurry.since_s, flurry.until_s) == (since_s, since_s + 39 * 30)
    assert flurry.peaks == {"jobs": 2.0, "processes": 1.0}
    assert (flurry.size, flurry.size_share, flurry.estimate_s) == (1, 1.0, 600)
    assert (flurry.run_s, flurry.interarrival_s) == (60, 30)
    assert flurry.has(99, since_s)
    assert not flurry.has(99, since_s - 1)
    assert not flurry.has(98, since_s)


def test_a_surge_of_processes_need_not_be_one_of_jobs() -> None:
    """In thesis 6.3, Fig. 6.9, the surge is 375 jobs of 32 processors each."""
    jobs = ordinary() + surge(10, 4 * WEEK_S, 600, size=16)
    [flurry] = found(jobs)
    assert flurry.peaks == {"processes": 4.0}
    assert found(jobs, kinds=["jobs"]) == []
    assert found(jobs, times=4.1) == []


def test_nothing_is_found_where_nobody_stands_out() -> None:
    assert found(ordinary()) == []


def test_flurries_do_not_make_themselves_usual() -> None:
    """Three of ten weeks are surges; the mean week would hide a fourth, smaller one."""
    surges = [one for n in (2, 4, 6) for one in surge(400, n * WEEK_S, 60, user=50 + n)]
    flurries = found([*ordinary(), *surges, *surge(25, 8 * WEEK_S, 60)])
    assert [flurry.user for flurry in flurries] == [52, 54, 56, 99]


def test_a_flurry_goes_on_over_the_end_of_a_week_and_two_are_two() -> None:
    begins_s = 3 * WEEK_S - 10 * 60
    first = surge(40, begins_s, 60)
    later = surge(30, 7 * WEEK_S, 60)
    apart = [job(20_000, 3 * WEEK_S - 2 * DAY_S, 99)]
    flurries = found(ordinary() + first + later + apart)
    assert [(one.since_s, one.jobs) for one in flurries] == [(begins_s, 40), (7 * WEEK_S, 30)]


def test_unknown_users_sizes_and_submits() -> None:
    jobs = ordinary() + surge(100, 4 * WEEK_S, 60, user=-1)
    jobs += [job(1, -1, 99)] * 50
    assert found(jobs) == []
    activity = Activity()
    activity.add(job(1, 5, 1, size=-1))
    assert (activity.jobs, activity.processes) == (1, 0)
    [flurry] = found(ordinary() + surge(40, 4 * WEEK_S, 30, size=-1))
    assert (flurry.processes, flurry.size) == (0, -1)


def test_processes_are_asked_for_also_by_jobs_that_never_got_any() -> None:
    """Thesis 6.3 speaks of processes submitted."""
    never_ran = [one._replace(allocated=-1, requested=16) for one in surge(10, 4 * WEEK_S, 600)]
    [flurry] = found(ordinary() + never_ran)
    assert (flurry.peaks, flurry.processes, flurry.size) == ({"processes": 4.0}, 160, 16)
    got_more = [one._replace(allocated=64, requested=1) for one in surge(10, 4 * WEEK_S, 600)]
    assert found(ordinary() + got_more) == []


def test_a_few_weeks_have_no_usual_one() -> None:
    with pytest.raises(NoUsualWeek, match="3 full weeks"):
        found(ordinary(weeks=3))
    assert found(ordinary(weeks=4)) == []


def test_where_most_weeks_are_empty_none_is_usual() -> None:
    """A single wrong submit time makes a trace of ten weeks one of thousands."""
    with pytest.raises(NoUsualWeek, match=r"in 7,092 of its 7,101 weeks .* is a submit time wrong"):
        found([*ordinary(weeks=9)[:-1], job(1, MOST, 1)])
    assert found([*ordinary(weeks=9)[:-1], job(1, 17 * WEEK_S, 1)]) == []


def test_without_sizes_no_week_is_a_surge_of_processes() -> None:
    jobs = ordinary(size=-1) + surge(10, 4 * WEEK_S, 600, size=16)
    assert found(jobs, times=0.1, kinds=["processes"]) == []


@given(
    st.lists(st.tuples(st.integers(0, 70 * DAY_S), st.integers(0, 3), st.integers(1, 40))),
    st.floats(0.2, 3),
)
def test_flurries_are_apart_and_each_holds_what_it_says(
    extra: list[tuple[int, int, int]], times: float
) -> None:
    jobs = ordinary() + [
        job(n, submit_s, 90 + user, size) for n, (submit_s, user, size) in enumerate(extra)
    ]
    flurries = found(jobs, times)
    for flurry in flurries:
        mine = [one for one in jobs if flurry.has(one.user, one.submit_s)]
        assert len(mine) == flurry.jobs
        assert sum(one.allocated for one in mine) == flurry.processes
        assert max(flurry.peaks.values()) >= times
    for at, one in enumerate(flurries):
        for other in flurries[at + 1 :]:
            assert one.user != other.user or one.until_s < other.since_s


def robots(jobs: Iterable[LogJob], zero_s: int = 0) -> list[Robot]:
    habits = Habits(zero_s)
    for one in jobs:
        habits.add(one)
    return habits.robots()


def test_who_comes_every_morning_is_a_robot() -> None:
    """The user has 16 jobs between 3:30 and 4:00 (Fig. 6.2), and a few at other times."""
    nightly = [
        job(n, day * DAY_S + int(3.5 * HOUR_S) + 30 * n, 7) for day in range(20) for n in range(16)
    ]
    by_day = [job(n, n * DAY_S + 11 * HOUR_S, 7) for n in range(20)]
    [robot] = robots(nightly + by_day)
    assert (robot.kind, robot.at_s, robot.jobs, robot.of_jobs, robot.days) == (
        "time of day",
        3.5 * HOUR_S,
        320,
        340,
        20,
    )
    assert robot.has(7, 3 * DAY_S + 4 * HOUR_S - 1, 0)
    assert not robot.has(7, 3 * DAY_S + 4 * HOUR_S, 0)
    assert not robot.has(8, 3 * DAY_S + 4 * HOUR_S - 1, 0)
    [robot] = robots(nightly + by_day, zero_s=2 * HOUR_S)
    assert robot.at_s == 5.5 * HOUR_S
    assert robot.has(7, int(3.5 * HOUR_S), 2 * HOUR_S)
    assert robots(nightly[: 9 * 16]) == []


def test_who_comes_at_intervals_is_a_robot() -> None:
    checks = [job(n, n * 7000 + (n % 5) * 10, 3) for n in range(60)]
    [robot] = robots([*checks, *checks])
    assert robot.kind == "interval"
    assert 6950 <= robot.at_s <= 7010
    assert robot.of_jobs == 59
    assert robot.share >= 0.5
    assert robot.has(3, 12345, 0)
    assert robots(checks[:20]) == []


def test_people_and_bursts_are_no_robots() -> None:
    draw = random.Random(1)
    person = [
        job(n, day * DAY_S + draw.randrange(8 * HOUR_S, 18 * HOUR_S), 1)
        for day in range(60)
        for n in range(draw.randrange(4))
    ]
    burst = [job(n, 5 * DAY_S + n * 12, 2) for n in range(500)]
    nobody = [job(n, n * 7000, -1) for n in range(60)]
    assert robots(person + burst + nobody) == []


def test_the_effect_of_a_part() -> None:
    """Averages apart add up to those of all, and without the part nobody waits for it."""
    trace = sample_trace(200, 32, seed=3)
    at_s = trace[100].submit_s
    flurry = [TraceJob(1000 + n, at_s + n, 60, 16, 300, "flurry", 1) for n in range(50)]
    jobs = sorted([*trace, *flurry], key=lambda one: one.submit_s)
    effect = effect_of(lambda one: one.user == "flurry", jobs, 32, PRESETS["easy"])
    assert [group.jobs for group in effect] == [250, 50, 200, 200]
    known = [group.bounded_slowdown for group in effect]
    assert None not in known
    everyone, part, others, without = (value or 0.0 for value in known)
    assert everyone == pytest.approx((50 * part + 200 * others) / 250)
    alone = effect_of(lambda one: one.user == "flurry", trace, 32, PRESETS["easy"])
    assert without == alone.everyone.bounded_slowdown
    assert alone.part.bounded_slowdown is None


def test_the_flurry_that_is_put_back() -> None:
    """By section 6.2.2, the flurry has 375 jobs over about ten hours, a month after the job."""
    trace = sample_trace(100, 128, seed=1)
    jobs = with_flurry(trace, after=trace[10].number)
    flurry = [one for one in jobs if one.user == FLURRY_USER]
    assert [one for one in jobs if one.user != FLURRY_USER] == trace
    assert len(flurry) == 375
    assert {(one.size, one.estimate_s) for one in flurry} == {(32, 300)}
    assert all(60 <= one.run_s <= 120 for one in flurry)
    assert flurry[0].submit_s == trace[10].submit_s + 30 * DAY_S
    assert 9.9 * HOUR_S < flurry[-1].submit_s - flurry[0].submit_s <= 10 * HOUR_S
    assert len({one.number for one in jobs}) == len(jobs)
    assert jobs == sorted(jobs, key=lambda one: one.submit_s)
    assert jobs == with_flurry(trace, after=trace[10].number)
    assert jobs != with_flurry(trace, after=trace[10].number, seed=2)


def test_one_run_time_is_changed() -> None:
    trace = sample_trace(20, 128, seed=1)
    number, run_s = trace[7].number, trace[7].run_s
    changed = with_run_changed(trace, number, 30)
    assert changed[7] == trace[7]._replace(run_s=run_s + 30)
    assert changed[:7] + changed[8:] == trace[:7] + trace[8:]
    with pytest.raises(ValueError, match="would run -1 s"):
        with_run_changed(trace, number, -run_s - 1)
    for change in (with_flurry, lambda jobs, absent: with_run_changed(jobs, absent, 1)):
        with pytest.raises(ValueError, match="there is no job 99"):
            change(trace, 99)
