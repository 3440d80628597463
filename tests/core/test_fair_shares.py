"""The decayed usage of users, and the priorities that come from it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.gres import Demands
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request, processors
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Exited, NodeUp, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause

DAY_S = 86_400
ALL = "all"


def machine(recipe: str = "fair-share,half-life=86400", cores: int = 10) -> Core:
    core = Core(parse_recipe(recipe), "counted")
    core.handle(0, [NodeUp(ALL, cores, 0)])
    return core


def submit(core: Core, at_s: int, job_id: int, user: str, size: int = 10) -> None:
    job = Job(job_id, user, at_s * SECOND_US, processors(size), 1000 * DAY_S * SECOND_US)
    core.handle(at_s * SECOND_US, [Submit(job)])


def leave(core: Core, at_s: int, job_id: int, *, told_s: int | None = None) -> None:
    """Have the job end, and its agent report that then, or at `told_s`."""
    outcome = Outcome(Cause.EXIT, 0)
    now_us = (at_s if told_s is None else told_s) * SECOND_US
    exited = Exited(job_id, core.job(job_id).attempt, ALL, at_s * SECOND_US, outcome)
    core.handle(now_us, [exited])


def used_s(core: Core, user: str, at_s: int) -> float:
    job = Job(0, user, 0, processors(1), SECOND_US)
    priority = core.priority(job, at_s * SECOND_US)
    assert priority is not None
    return priority[1].by_user_s


def share(core: Core, user: str, at_s: int) -> float:
    job = Job(0, user, 0, processors(1), SECOND_US)
    priority = core.priority(job, at_s * SECOND_US)
    assert priority is not None
    return priority[0].share


def test_usage_grows_while_a_job_runs_and_halves_in_each_half_life() -> None:
    core = machine()
    submit(core, 0, 1, "ann")
    assert used_s(core, "ann", 0) == 0
    grown = 10 * DAY_S / math.log(2) * (1 - 0.5)
    assert used_s(core, "ann", DAY_S) == pytest.approx(grown)
    leave(core, DAY_S, 1)
    assert used_s(core, "ann", 2 * DAY_S) == pytest.approx(grown / 2)
    assert used_s(core, "ann", 4 * DAY_S) == pytest.approx(grown / 8)
    assert used_s(core, "bob", 4 * DAY_S) == 0


def test_the_factor_is_half_for_the_mean_user_and_one_without_usage() -> None:
    core = machine()
    submit(core, 0, 1, "ann", 5)
    submit(core, 0, 2, "bob", 5)
    assert [share(core, user, DAY_S) for user in ("ann", "bob", "eve")] == [5000, 5000, 10_000]
    leave(core, DAY_S, 2)
    assert share(core, "ann", 2 * DAY_S) < 5000 < share(core, "bob", 2 * DAY_S) < 10_000


def test_a_user_who_starts_first_in_an_instant_changes_no_factor_in_it() -> None:
    core = machine(cores=20)
    submit(core, 0, 1, "ann", 5)
    before = share(core, "ann", 100)
    submit(core, 100, 2, "bob", 5)
    assert share(core, "ann", 100) == before
    assert share(core, "ann", 101) < before


@pytest.mark.parametrize("by", ["", ",by=account"])
def test_an_end_that_is_reported_late_is_no_usage_meanwhile(by: str) -> None:
    """A weekend without the daemon was charged to those whose jobs had ended on Friday."""
    late, prompt = (machine(f"fair-share,half-life=86400{by}", cores=20) for _ in range(2))
    for core in (late, prompt):
        submit(core, 0, 1, "ann", 4)
        submit(core, 50, 2, "ann", 3)
        submit(core, 60, 3, "bob", 2)
    leave(prompt, 100, 1)
    leave(late, 100, 1, told_s=2 * DAY_S)
    leave(prompt, 2 * DAY_S, 2)
    leave(late, 2 * DAY_S, 2)
    for at_s in (2 * DAY_S, 3 * DAY_S):
        assert used_s(late, "ann", at_s) == pytest.approx(used_s(prompt, "ann", at_s))
        for user in ("ann", "bob", "eve"):
            assert share(late, user, at_s) == pytest.approx(share(prompt, user, at_s), abs=0.1)


def test_an_end_that_is_reported_late_sorts_the_waiting_jobs_in_the_same_instant() -> None:
    core = machine(cores=20)
    submit(core, 0, 1, "ann", 10)
    submit(core, 0, 2, "bob", 8)
    submit(core, 0, 3, "eve", 2)
    leave(core, 100, 2)
    for number, user in enumerate(("bob", "ann"), 4):
        submit(core, DAY_S, number, user, 20)
    assert share(core, "bob", DAY_S) > share(core, "ann", DAY_S)  # bob's job is the head so far
    leave(core, 1, 1, told_s=DAY_S)
    leave(core, DAY_S, 3)
    assert [core.job(number).attempt for number in (4, 5)] == [0, 1]


def test_users_without_usage_are_forgotten_at_the_end_of_a_half_life() -> None:
    core = machine(cores=20)
    submit(core, 0, 1, "ann", 5)
    submit(core, 0, 2, "bob", 1)
    leave(core, 2, 2)
    assert set(core.memory().used) == {"ann", "bob"}
    submit(core, DAY_S - 1, 3, "eve", 1)
    assert set(core.memory().used) == {"ann", "bob", "eve"}
    core.take_changed_usage()
    leave(core, 2 * DAY_S, 3)  # 2 processor-seconds are 0.5 now, and a day of ann's goes on
    assert set(core.memory().used) == {"ann", "eve"}
    assert set(core.take_changed_usage().users) == {"bob", "eve"}


_held = st.tuples(st.sampled_from("ab"), st.integers(1, 3), st.integers(0, 5000))


@given(st.lists(_held, max_size=12))
def test_usage_is_the_integral_of_what_was_held(jobs: list[tuple[str, int, int]]) -> None:
    core = machine(cores=100)
    ends = {number: max(number + run_s, len(jobs)) for number, (_, _, run_s) in enumerate(jobs, 1)}
    for number, (user, size, _) in enumerate(jobs, 1):
        submit(core, number, number, user, size)
    for end_s, number in sorted((end_s, number) for number, end_s in ends.items()):
        leave(core, end_s, number)
    now_s, decay = 20_000, math.log(2) / DAY_S

    def left(since_s: int) -> float:
        return math.exp(-decay * (now_s - since_s))

    for user in "ab":
        expected = sum(
            size / decay * (left(ends[number]) - left(number))
            for number, (one, size, _) in enumerate(jobs, 1)
            if one == user
        )
        assert used_s(core, user, now_s) == pytest.approx(expected)


@pytest.mark.parametrize("recipe", ["fair-share", "timed-fair-share,trial=5"])
def test_a_job_with_whole_nodes_uses_all_of_their_processors(recipe: str) -> None:
    """A job with `--exclusive` was charged for the processors that it asked for: one for a node."""
    core = Core(parse_recipe(recipe), "nodes")
    core.handle(0, [NodeUp("n1", 8, 0), NodeUp("n2", 8, 0)])
    whole = Request((Component(1, 1, needs=Demands(exclusive=True)),))
    core.handle(0, [Submit(Job(1, "eve", 0, whole, DAY_S * SECOND_US))])
    core.handle(0, [Submit(Job(2, "ann", 0, processors(8), DAY_S * SECOND_US))])
    assert used_s(core, "eve", 1000) == used_s(core, "ann", 1000) == pytest.approx(8000, rel=0.01)
    later = Core(parse_recipe(recipe), "nodes")
    jobs = [job.copied() for job in core.jobs.values()]
    later.restore(core.nodes.values(), jobs, (), core.memory())
    assert used_s(later, "eve", 1000) == used_s(core, "eve", 1000)
    outcome = Outcome(Cause.EXIT, 0)
    for one in (core, later):
        [node] = one.job(1).open_nodes
        one.handle(1000 * SECOND_US, [Exited(1, 1, node, 1000 * SECOND_US, outcome)])
        assert used_s(one, "eve", 2000) < 8000 < 15_000 < used_s(one, "ann", 2000)


def test_a_restart_goes_on_with_the_usage_and_another_recipe_keeps_it() -> None:
    core = machine()
    submit(core, 0, 1, "ann", 5)
    submit(core, 50, 2, "bob", 5)
    leave(core, 70, 2)
    submit(core, 80, 3, "ann", 10)
    expected = [share(core, user, 5000) for user in ("ann", "bob")]

    def restored(earlier: Core, recipe: str) -> Core:
        later = Core(parse_recipe(recipe), "counted")
        jobs = [job.copied() for job in earlier.jobs.values()]
        later.restore(earlier.nodes.values(), jobs, (), earlier.memory())
        return later

    again = restored(core, "fair-share,half-life=86400")
    assert [share(again, user, 5000) for user in ("ann", "bob")] == expected
    between = restored(core, "easy")
    assert between.memory().used == core.memory().used
    again = restored(between, "fair-share,half-life=86400")
    assert [share(again, user, 5000) for user in ("ann", "bob")] == expected


def test_a_job_that_started_without_fair_shares_counts_from_its_start() -> None:
    core = Core(parse_recipe("easy"), "counted")
    core.handle(0, [NodeUp(ALL, 10, 0)])
    submit(core, 1000, 1, "ann", 10)
    later = Core(parse_recipe("fair-share,half-life=86400"), "counted")
    later.restore(core.nodes.values(), list(core.jobs.values()), (), core.memory())
    assert used_s(later, "ann", 1000) == 0
    assert used_s(later, "ann", 1100) == pytest.approx(1000, rel=0.001)


def test_the_parts_of_a_priority_are_its_sum() -> None:
    core = machine("fair-share,age=100,size=3,share=1000")
    job = Job(7, "ann", 0, processors(4), SECOND_US)
    priority = core.priority(job, 2 * DAY_S * SECOND_US)
    assert priority is not None
    job.nice = 30
    lower = core.priority(job, 2 * DAY_S * SECOND_US)
    assert lower is not None
    assert (lower[0].nice, lower[0].total) == (-30, 1182)
    assert priority[0] == (200, 12, 1000, 0, 0, 0)
    assert priority[0].total == 1212
    assert Core(parse_recipe("easy"), "counted").priority(job, 0) is None
