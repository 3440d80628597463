"""Fair shares that are divided by accounts, and by users within them."""

from __future__ import annotations

import math
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.accounts import AccountPolicy, JobLimits, Policies
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Cancel, Exited, NodeUp, SetPolicies, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.priorities import Priorities
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.swf import TraceJob

_DAY_S = 86_400
_RECIPE = "fair-share,by=account,half-life=86400"
_ALL = "all"


def policies(*accounts: AccountPolicy) -> Policies:
    return Policies(accounts=accounts)


TREE = policies(
    AccountPolicy("physics", shares=3),
    AccountPolicy("lab", parent="physics"),
    AccountPolicy("chemistry", shares=1),
)
WITH_ELSEWHERE = policies(*TREE.accounts, AccountPolicy("elsewhere"))


def machine(tree: Policies = TREE, recipe: str = _RECIPE, cores: int = 100) -> Core:
    core = Core(parse_recipe(recipe), "counted", policies=tree)
    core.handle(0, [NodeUp(_ALL, cores, 0)])
    return core


def job(job_id: int, at_s: int, user: str, account: str, size: int = 1) -> Job:
    request = processors(size)
    return Job(job_id, user, at_s * SECOND_US, request, 1000 * _DAY_S * SECOND_US, account=account)


def submit(core: Core, at_s: int, job_id: int, user: str, account: str, size: int = 1) -> None:
    core.handle(at_s * SECOND_US, [Submit(job(job_id, at_s, user, account, size))])


def leave(core: Core, at_s: int, job_id: int) -> None:
    at_us = at_s * SECOND_US
    outcome = Outcome(Cause.EXIT, 0)
    core.handle(at_us, [Exited(job_id, core.job(job_id).attempt, _ALL, at_us, outcome)])


def factor(core: Core, at_s: int, user: str, account: str) -> float:
    assert core.fair_shares is not None
    return core.fair_shares.factor_of(job(0, at_s, user, account), at_s * SECOND_US) / 1_000_000


def test_an_account_with_three_shares_may_use_three_times_as_much() -> None:
    core = machine()
    submit(core, 0, 1, "ann", "physics", 30)
    submit(core, 0, 2, "bob", "chemistry", 10)
    # Each has used what is its account's share, and is alone in the account.
    assert factor(core, _DAY_S, "ann", "physics") == pytest.approx(0.5)
    assert factor(core, _DAY_S, "bob", "chemistry") == pytest.approx(0.5)
    assert factor(core, _DAY_S, "eve", "physics") == pytest.approx(0.5)
    assert factor(core, _DAY_S, "eve", "elsewhere") == 1


def test_the_usage_of_an_account_lowers_the_factor_of_users_who_have_used_nothing() -> None:
    core = machine()
    submit(core, 0, 1, "ann", "lab", 30)
    submit(core, 0, 2, "bob", "chemistry", 10)
    submit(core, 0, 3, "cid", "lab", 10)
    heavy, light, new = [factor(core, _DAY_S, user, "lab") for user in ("ann", "cid", "eve")]
    assert heavy < light < new < 1
    # The accounts below physics count in it, and all of its users are lowered.
    assert factor(core, _DAY_S, "eve", "physics") == pytest.approx(2 ** (-0.8 / 0.75), abs=1e-6)


def test_an_account_that_has_used_nothing_takes_no_part_of_the_shares() -> None:
    core = machine()
    submit(core, 0, 1, "ann", "physics", 30)
    assert factor(core, _DAY_S, "ann", "physics") == pytest.approx(0.5)
    submit(core, _DAY_S, 2, "bob", "chemistry", 1)
    assert factor(core, _DAY_S, "ann", "physics") == pytest.approx(0.5)
    assert factor(core, _DAY_S + 1, "ann", "physics") < 0.41  # a share of three quarters


def test_other_shares_count_at_once_and_sort_the_waiting_jobs() -> None:
    core = machine(cores=40)
    submit(core, 0, 1, "ann", "physics", 30)
    submit(core, 0, 2, "bob", "chemistry", 10)
    submit(core, 10, 3, "ann", "physics", 40)
    submit(core, 10, 4, "bob", "chemistry", 40)
    leave(core, _DAY_S, 1)
    assert core.rank(core.job(3)) < core.rank(core.job(4))
    turned = policies(AccountPolicy("physics"), AccountPolicy("chemistry", shares=3))
    core.handle(_DAY_S * SECOND_US, [SetPolicies(turned)])
    assert core.rank(core.job(4)) < core.rank(core.job(3))
    leave(core, _DAY_S, 2)
    assert [core.job(one).start_us is not None for one in (3, 4)] == [False, True]


def test_a_restart_goes_on_with_the_usage_and_another_recipe_keeps_it() -> None:
    core = machine()
    submit(core, 0, 1, "ann", "lab", 30)
    submit(core, 50, 2, "bob", "chemistry", 10)
    leave(core, 70, 2)
    submit(core, 80, 3, "ann", "chemistry", 10)
    asked = [("ann", "lab"), ("ann", "chemistry"), ("bob", "chemistry"), ("eve", "physics")]
    expected = [factor(core, 5000, *one) for one in asked]

    def restored(earlier: Core, recipe: str) -> Core:
        later = Core(parse_recipe(recipe), "counted", policies=TREE)
        jobs = [job.copied() for job in earlier.jobs.values()]
        later.restore(earlier.nodes.values(), jobs, (), earlier.memory())
        return later

    again = restored(core, _RECIPE)
    assert [factor(again, 5000, *one) for one in asked] == expected
    for other in ("easy", "fair-share,half-life=86400"):
        between = restored(core, other)
        assert between.memory().used_in == core.memory().used_in
        again = restored(between, _RECIPE)
        assert [factor(again, 5000, *one) for one in asked] == expected


def test_users_and_accounts_without_usage_are_forgotten_at_the_end_of_a_half_life() -> None:
    core = machine()
    submit(core, 0, 1, "ann", "lab", 5)
    submit(core, 0, 2, "bob", "chemistry", 1)
    leave(core, 2, 2)
    assert set(core.take_changed_usage().in_accounts) == {
        ("lab", ""), ("lab", "ann"), ("chemistry", ""), ("chemistry", "bob")
    }  # fmt: skip
    leave(core, 2 * _DAY_S, 1)
    assert set(core.memory().used_in) == {"lab"}
    assert {("chemistry", ""), ("chemistry", "bob")} < set(core.take_changed_usage().in_accounts)


def test_a_question_about_a_later_time_changes_no_factor() -> None:
    """The levels that were found for the question did not know of a job that started before."""
    factors = []
    for asks in (False, True):
        core = machine()
        submit(core, 0, 1, "ann", "physics", 30)
        if asks:
            factor(core, 1000, "ann", "physics")
        submit(core, 10, 2, "bob", "chemistry", 30)
        factors.append(factor(core, 1000, "ann", "physics"))
    assert factors[0] == factors[1]


def test_an_account_that_is_not_configured_counts_as_none() -> None:
    """A user would have used nothing in each account of a new name, and a pass would look at all
    of the names."""
    core = machine()
    submit(core, 0, 1, "ann", "new-1", 30)
    submit(core, 0, 2, "ann", "new-2", 30)
    submit(core, 0, 3, "bob", "chemistry", 10)
    used = factor(core, _DAY_S, "ann", "")
    assert used < factor(core, _DAY_S, "bob", "chemistry") < 1
    assert [factor(core, _DAY_S, "ann", name) for name in ("new-1", "new-3")] == [used, used]
    leave(core, _DAY_S, 1)
    assert set(core.memory().used_in) == {"", "chemistry"}
    assert core.fair_shares is not None
    told = core.fair_shares.account_shares(_DAY_S * SECOND_US)
    assert [one.account for one in told] == ["chemistry", "lab", "physics"]
    order = Priorities(parse_recipe(_RECIPE).weights, core.fair_shares)
    names = ("new-1", "new-3", "", "lab")
    alike = [order.alike(job(9, 0, "ann", name)) for name in names]
    assert alike == [("", "ann"), ("", "ann"), ("", "ann"), ("lab", "ann")]


def test_jobs_wait_in_order_while_their_accounts_come_and_go() -> None:
    """One job waits for processors, one for a limit. The usage stays with the account that a job
    was counted for at its start."""
    core = machine()
    submit(core, 0, 1, "ann", "new", 100)
    one_each = JobLimits(max_running_per_user=1)
    for at_s, tree in enumerate((policies(AccountPolicy("new", limits=one_each)), TREE), 10):
        submit(core, at_s, 2 * at_s, "ann", "new", 10)
        submit(core, at_s, 2 * at_s + 1, "bob", "chemistry", 10)
        core.handle(at_s * SECOND_US, [SetPolicies(tree)])
    core.handle(12 * SECOND_US, [Cancel(20), Cancel(23)])
    leave(core, _DAY_S, 1)
    assert [core.job(one).start_us is not None for one in (21, 22)] == [True, True]
    assert set(core.memory().used_in) == {"", "chemistry"}


class _Held(NamedTuple):
    user: str
    account: str
    size: int
    run_s: int


_ACCOUNTS = ("physics", "lab", "chemistry", "elsewhere", "")
_held = st.builds(
    _Held, st.sampled_from("ab"), st.sampled_from(_ACCOUNTS), st.integers(1, 3), st.integers(1, 900)
)


def _expected(jobs: list[_Held], ends: list[int], now_s: int, user: str, account: str) -> float:
    """Return the factor by the formulas of Slurm's documentation, from the top down."""
    decay = math.log(2) / _DAY_S

    def used(at: int) -> float:
        left = [math.exp(-decay * (now_s - since_s)) for since_s in (at, ends[at])]
        return jobs[at].size / decay * (left[1] - left[0])

    parents = {"lab": "physics"}
    shares = {"physics": 3}

    def inside(name: str, top: str) -> bool:
        return name == top or (name in parents and inside(parents[name], top))

    total = sum(used(at) for at in range(len(jobs)))

    def usage(name: str, person: str | None) -> float:
        """Return UA: the part of all usage of an account, or of a user in it."""
        found = [
            used(at)
            for at, one in enumerate(jobs)
            if (one.account, one.user) == (name, person)
            or (person is None and inside(one.account, name))
        ]
        return sum(found) / total

    def siblings(above: str) -> int:
        users = {one.user for one in jobs if one.account == above}
        names = [
            name
            for name in _ACCOUNTS
            if name and parents.get(name, "") == above and usage(name, None) > 0
        ]
        return len(users) + sum(shares.get(name, 1) for name in names)

    effective, normalized, above = 0.0, 1.0, ""
    way = [one for one in (parents.get(account), account) if one]
    for name in way:
        if usage(name, None) == 0:
            break
        part = shares.get(name, 1) / siblings(above)
        own = usage(name, None)
        effective = own if not above else own + (effective - own) * part
        normalized, above = normalized * part, name
    if (own := usage(account, user)) > 0:
        part = 1 / siblings(account)
        effective = own if not account else own + (effective - own) * part
        normalized *= part
    return 2 ** -(effective / normalized)


@given(st.lists(_held, min_size=1, max_size=10))
def test_factors_are_those_of_the_classic_formula(jobs: list[_Held]) -> None:
    core = machine(WITH_ELSEWHERE)
    ends = [max(at + one.run_s, len(jobs)) for at, one in enumerate(jobs)]
    for at, one in enumerate(jobs):
        submit(core, at, at + 1, one.user, one.account, one.size)
    for end_s, at in sorted((end_s, at) for at, end_s in enumerate(ends)):
        leave(core, end_s, at + 1)
    for user in "abc":
        for account in _ACCOUNTS:
            expected = _expected(jobs, ends, 2000, user, account)
            assert factor(core, 2000, user, account) == pytest.approx(expected, abs=2e-6)


def test_the_shares_of_users_and_accounts_are_told() -> None:
    core = machine()
    submit(core, 0, 1, "ann", "lab", 30)
    submit(core, 0, 2, "ann", "chemistry", 10)
    found = core.fair_shares
    assert found is not None
    told = found.shares(_DAY_S * SECOND_US, "ann")
    assert [(one.account, round(one.part, 3)) for one in told] == [
        ("chemistry", 0.25),
        ("lab", 0.75),
    ]
    assert found.shares(_DAY_S * SECOND_US, "eve") == []
    accounts = {one.account: one for one in found.account_shares(_DAY_S * SECOND_US)}
    assert {name: one.share for name, one in accounts.items()} == pytest.approx(
        {"physics": 0.75, "lab": 0.75, "chemistry": 0.25}
    )
    assert accounts["physics"].part == pytest.approx(0.75)
    used = found.lately_used(job(0, _DAY_S, "ann", "physics"), _DAY_S * SECOND_US)
    assert used.by_account_s == pytest.approx(accounts["lab"].used_s)
    assert used.by_user_s == pytest.approx(used.by_account_s / 0.75)


def test_groups_of_a_trace_are_accounts_in_a_simulation() -> None:
    """The group of ann and eve has used the machine; eve has not, and comes after bob."""
    jobs = [
        TraceJob(1, 0, 1000, 8, 1000, "ann", 1, group="1"),
        TraceJob(2, 10, 100, 8, 100, "eve", 1, group="1"),
        TraceJob(3, 20, 100, 8, 100, "bob", 1, group="2"),
    ]
    starts = {
        recipe: {
            one.job_id: one.start_us // SECOND_US
            for one in simulate(jobs, 8, parse_recipe(recipe)).jobs
        }
        for recipe in ("fair-share", "fair-share,by=account")
    }
    assert starts["fair-share"] == {1: 0, 2: 1000, 3: 1100}
    assert starts["fair-share,by=account"] == {1: 0, 3: 1000, 2: 1100}
