"""Limits of accounts and QOS: none is passed, no recipe lets jobs wait for them without need."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings

from rmsd_core.jobs.accounts import (
    NO_POLICIES,
    AccountPolicy,
    JobLimits,
    License,
    Policies,
    QosPolicy,
    chain,
)
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.gres import Demands
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Start
from rmsd_core.lifecycle.inputs import Cancel, Exited, Input, NodeUp, SetPolicies, Submit
from rmsd_core.lifecycle.sanity import Insane
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning import limits as limits_of_jobs
from rmsd_core.planning.limits import LimitIndex
from rmsd_core.planning.meters import JobKind
from rmsd_core.planning.queue import Queue
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, JobState
from rmsd_lab.workloads.swf import TraceJob
from tests.core.limits import passed_limits
from tests.core.strategies import traces
from tests.core.world import Cluster, World, recipe_texts

NODES = {"n1": 4, "n2": 4, "n3": 4}
KINDS = (("normal", "top"), ("normal", "left"), ("night", "right"), ("night", ""))
HAS = ((), (("cad", 1),), (), (("cad", 2), ("sim", 1)), (("sim", 1),))
LIMITED = Policies(
    (
        AccountPolicy("top", None, JobLimits(max_running=3, max_cpus_per_user=6)),
        AccountPolicy("left", "top", JobLimits(max_cpus=4)),
        AccountPolicy("right", "top", JobLimits(max_running_per_user=1)),
    ),
    (QosPolicy("night", JobLimits(max_running=2, max_cpus=7, max_running_per_user=1)),),
    (License("cad", 3), License("sim", 1)),
)
recipes = recipe_texts.filter(lambda text: parse_recipe(text).predict != "perfect")


@dataclass
class Limited(World):
    """A world whose jobs have QOS, accounts and licenses, by their numbers."""

    def inputs(self, kind: str, what: tuple[object, ...], now_us: int) -> list[Input]:
        inputs = super().inputs(kind, what, now_us)
        for item in inputs:
            if isinstance(item, Submit):
                item.job.qos, item.job.account = KINDS[item.job.id % len(KINDS)]
                item.job.licenses = HAS[item.job.id % len(HAS)]
        return inputs


def _run(trace: list[TraceJob], recipe: str, policies: Policies) -> Limited:
    core = Core(parse_recipe(recipe), "nodes", policies=policies)
    world = Limited(trace, Cluster("nodes", NODES, 1), [core])
    world.feed(0, [("up", ())])
    for _ in range(3000):
        if world.next_us is None:
            break
        world.step()
        assert passed_limits(policies, core.jobs.values()) == []
    return world


@pytest.mark.slow
@settings(max_examples=40)
@given(traces, recipes)
def test_no_limit_is_passed_and_all_jobs_come_to_their_end(
    trace: list[TraceJob], recipe: str
) -> None:
    """`sanity_check` looks at the meters, and at the jobs that are held back, after each call."""
    trace = [job._replace(size=min(job.size, 4), user=f"u{at % 3}") for at, job in enumerate(trace)]
    world = _run(trace, recipe, LIMITED)
    assert not world.cores[0].jobs


@pytest.mark.long  # 40 examples, each of which is run twice, compute for half a minute
@settings(max_examples=40)
@given(traces, recipes)
def test_limits_that_are_never_reached_change_no_decision(
    trace: list[TraceJob], recipe: str
) -> None:
    wide = Policies(
        (),
        (
            QosPolicy("night", JobLimits(max_running=1000, max_cpus_per_user=10**6)),
            QosPolicy("normal"),
        ),
        (License("cad", 10**6),),
    )
    free, limited = _run(trace, recipe, NO_POLICIES), _run(trace, recipe, wide)
    assert free.decided == limited.decided
    assert free.stored == limited.stored


# ---------------------------------------------------------------- step by step


def _job(job_id: int, cores: int = 1, user: str = "ann", estimate_s: int = 10) -> Submit:
    request = Request((Component(1, cores),))
    return Submit(Job(job_id, user, 0, request, estimate_s * SECOND_US, qos="night"))


def _core(limits: JobLimits, recipe: str = "easy") -> Core:
    core = Core(parse_recipe(recipe), policies=Policies((), (QosPolicy("night", limits),)))
    core.handle(0, [NodeUp("n1", 8, 0)])
    return core


def _states(core: Core) -> dict[int, str]:
    return {
        job.id: core.reason(job) if job.state is JobState.PENDING else "R"
        for job in core.jobs.values()
    }


def _exit(core: Core, job_id: int) -> Exited:
    job = core.job(job_id)
    return Exited(job_id, job.attempt, "n1", 0, Outcome(Cause.EXIT, 0))


def test_a_job_waits_for_licenses_that_others_have() -> None:
    core = Core(parse_recipe("easy"), policies=Policies(licenses=(License("cad", 3),)))
    core.handle(0, [NodeUp("n1", 8, 0)])
    jobs = [_job(at) for at in (1, 2, 3, 4)]
    for submit, each in zip(jobs, (2, 2, 1, 4), strict=True):
        submit.job.licenses = (("cad", each),)
    core.handle(0, jobs)
    assert _states(core) == {1: "R", 2: "Licenses", 3: "R", 4: "Licenses"}
    core.handle(1, [_exit(core, 3)])
    assert _states(core) == {1: "R", 2: "Licenses", 4: "Licenses"}
    core.handle(2, [SetPolicies(Policies(licenses=(License("cad", 4),)))])
    core.handle(2, [])
    assert _states(core) == {1: "R", 2: "R", 4: "Licenses"}
    core.handle(3, [SetPolicies(NO_POLICIES)])  # licenses that are not configured are not counted
    core.handle(3, [])
    assert _states(core) == {1: "R", 2: "R", 4: "R"}
    core.sanity_check()


@pytest.mark.parametrize(
    "recipe", ["fcfs", "easy", "conservative", "selective,after=1h", "timed-easy"]
)
@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (JobLimits(max_running=2), "QOSGrpJobsLimit"),
        (JobLimits(max_cpus=2), "QOSGrpCpuLimit"),
        (JobLimits(max_running_per_user=2), "QOSMaxJobsPerUserLimit"),
        (JobLimits(max_cpus_per_user=2), "QOSMaxCpuPerUserLimit"),
    ],
)
def test_a_job_beyond_a_limit_waits_for_the_end_of_another(
    recipe: str, limits: JobLimits, reason: str
) -> None:
    core = _core(limits, recipe)
    core.handle(0, [_job(1), _job(2), _job(3), _job(4)])
    core.handle(0, [])
    core.sanity_check()
    assert _states(core) == {1: "R", 2: "R", 3: reason, 4: reason}
    core.handle(1, [_exit(core, 2)])
    core.sanity_check()
    assert _states(core) == {1: "R", 3: "R", 4: reason}


def test_a_job_that_a_limit_holds_back_is_no_head() -> None:
    core = _core(JobLimits(max_cpus_per_user=4))
    core.handle(0, [_job(1, 4), _job(2, 4), _job(3, 4, "bob"), _job(4, 8, "cid")])
    assert _states(core) == {
        1: "R",
        2: "QOSMaxCpuPerUserLimit",
        3: "R",
        4: "QOSMaxCpuPerUserLimit",
    }


def test_a_smaller_job_starts_where_a_limit_has_room_for_it() -> None:
    core = _core(JobLimits(max_cpus=4))
    core.handle(0, [_job(1, 2), _job(2, 4), _job(3, 2)])
    assert _states(core) == {1: "R", 2: "QOSGrpCpuLimit", 3: "R"}


def test_a_job_that_leaves_the_queue_makes_room_for_others() -> None:
    """The job joined the queue when a limit had room, and waited for processors."""
    core = _core(JobLimits(max_running_per_user=1))
    other = Job(99, "bob", 0, Request((Component(1, 8),)), SECOND_US)
    core.handle(0, [_job(1, 8), Submit(other), *(_job(at, 8) for at in range(2, 30))])
    core.handle(1, [_exit(core, 1)])
    for job_id in range(2, 29):
        core.handle(job_id, [Cancel(job_id)])
        core.sanity_check()
    assert _states(core) == {99: "R", 29: "Resources"}
    core.handle(30, [_exit(core, 99)])
    assert _states(core) == {29: "R"}


def _core_with_many_sizes(others: int) -> Core:
    """One user's jobs of 299 sizes are behind a job that runs; another user holds `others`
    processors."""
    core = Core(
        parse_recipe("easy"),
        policies=Policies((), (QosPolicy("night", JobLimits(max_running_per_user=1)),)),
    )
    core.handle(0, [NodeUp("n1", 1000, 0)])
    other = Job(999, "bob", 0, Request((Component(1, others),)), SECOND_US)
    core.handle(0, [_job(1), Submit(other), *(_job(at, 301 - at) for at in range(2, 301))])
    return core


def test_of_many_sizes_the_first_join_the_queue_and_the_next_one_starts() -> None:
    core = _core_with_many_sizes(1)
    for job_id in range(1, 5):
        effects = core.handle(job_id, [_exit(core, job_id)])
        core.sanity_check()
        assert [one.job_id for one in effects.decisions if isinstance(one, Start)] == [job_id + 1]
        assert effects.wake_us == job_id
        assert core.handle(job_id, []).wake_us != job_id  # there is no room for the others


def test_of_many_sizes_the_last_one_joins_the_queue_with_a_later_call() -> None:
    """There are processors for the job of that size alone."""
    core = _core_with_many_sizes(999)
    calls = [core.handle(1, [_exit(core, 1)])]
    while calls[-1].wake_us == 1:
        core.sanity_check()
        calls.append(core.handle(1, []))
    started = [one.job_id for call in calls for one in call.decisions if isinstance(one, Start)]
    assert (len(calls), started) == (3, [300])


def test_a_job_longer_than_the_longest_limit_waits_until_that_changes() -> None:
    core = _core(JobLimits(max_time_us=5 * SECOND_US))
    core.handle(0, [_job(1)])
    assert _states(core) == {1: "QOSMaxWallDurationPerJobLimit"}
    core.handle(1, [SetPolicies(Policies((), (QosPolicy("night", JobLimits(max_running=1)),)))])
    core.handle(1, [_job(2)])
    assert _states(core) == {1: "R", 2: "QOSGrpJobsLimit"}
    core.handle(2, [SetPolicies(NO_POLICIES)])
    assert _states(core) == {1: "R", 2: "R"}


def test_the_limits_of_an_account_hold_for_those_below_it() -> None:
    policies = Policies(
        (AccountPolicy("a", None, JobLimits(max_running=1)), AccountPolicy("b", "a"))
    )
    core = Core(parse_recipe("easy"), policies=policies)
    core.handle(0, [NodeUp("n1", 8, 0)])
    jobs = [_job(1), _job(2), _job(3)]
    for one, account in zip(jobs, ("b", "a", "c"), strict=True):
        one.job.account = account
    core.handle(0, jobs)
    assert _states(core) == {1: "R", 2: "AssocGrpJobsLimit", 3: "R"}


def test_a_restart_counts_what_runs() -> None:
    core = _core(JobLimits(max_running_per_user=1))
    core.handle(0, [_job(1), _job(2), _job(3)])
    again = Core(
        parse_recipe("easy"),
        policies=Policies((), (QosPolicy("night", JobLimits(max_running_per_user=1)),)),
    )
    again.restore(
        core.nodes.values(), [job.copied() for job in core.jobs.values()], [], core.memory()
    )
    again.handle(1, [NodeUp("n1", 8, 0)])
    again.sanity_check()
    assert _states(again) == {1: "R", 2: "QOSMaxJobsPerUserLimit", 3: "QOSMaxJobsPerUserLimit"}
    again.handle(2, [_exit(again, 1)])
    assert _states(again) == {2: "R", 3: "QOSMaxJobsPerUserLimit"}


def test_a_job_that_is_held_back_without_need_is_found() -> None:
    core = _core(JobLimits(max_running_per_user=1))
    core.handle(0, [_job(1), _job(2)])
    core.job(1).account = "moved"  # the meters count the job as before
    core.sanity_check()
    core.job(2).user = "bob"
    with pytest.raises(Insane, match="job 2 is held back, and would pass no limit"):
        core.sanity_check()


def test_a_circle_of_accounts_ends() -> None:
    accounts = {"a": AccountPolicy("a", "b"), "b": AccountPolicy("b", "a")}
    assert [one.name for one in chain(accounts, "a")] == ["a", "b"]


@pytest.mark.parametrize("recipe", ["easy", "conservative", "timed-easy,trial=5"])
def test_a_job_with_whole_nodes_counts_with_all_of_their_processors(recipe: str) -> None:
    """A job with `--exclusive` counted with the processors that it asked for: one for a node."""
    core = _core(JobLimits(max_cpus_per_user=9), recipe)
    core.handle(0, [NodeUp("n2", 8, 0)])
    whole = Request((Component(1, 1, needs=Demands(exclusive=True)),))
    core.handle(0, [Submit(Job(1, "ann", 0, whole, 10 * SECOND_US, qos="night"))])
    core.handle(0, [_job(2), _job(3), _job(4, user="bob")])
    assert _states(core) == {1: "R", 2: "R", 3: "QOSMaxCpuPerUserLimit", 4: "R"}
    core.sanity_check()
    core.handle(SECOND_US, [_exit(core, 1)])
    assert _states(core) == {2: "R", 3: "R", 4: "R"}
    core.sanity_check()


def _no_queue() -> Queue:
    raise AssertionError("no job is held back")


def test_names_that_limit_nothing_are_not_kept() -> None:
    """Without `[accounts]` the account of a job is any text. Each text that a user made up stayed
    in the memory of the daemon, also after the job."""
    limits = LimitIndex(_no_queue)
    limits.set_policies(Policies((), (QosPolicy("normal", JobLimits(max_running_per_user=1)),)), ())
    for job_id in range(1, 101):
        request = Request((Component(1, 1),))
        job = Job(job_id, "ann", 0, request, 1, qos="normal", account=f"a{job_id}")
        assert limits.refusal(job) is None
    assert limits.kinds == 1


def _licensed(job_id: int) -> Submit:
    """Return a job with other licenses than all others, and with two of them."""
    submit = _job(job_id)
    submit.job.qos, submit.job.licenses = (
        "",
        (("cad", 3 + job_id // 100), ("sim", 1 + job_id % 100)),
    )
    return submit


def test_licenses_that_nobody_asks_for_any_more_are_not_kept() -> None:
    """All licenses that a user had asked for together were a kind of jobs, which stayed in the
    memory of the daemon until the configuration changed."""
    limits = LimitIndex(_no_queue)
    limits.set_policies(Policies(licenses=(License("cad", 1000), License("sim", 1000))), ())
    for job_id in range(1, 9001):
        assert limits.refusal(_licensed(job_id).job) is None
    assert limits.kinds <= 2000


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["easy", "fair-share"])
def test_a_call_looks_at_a_bounded_number_of_kinds(
    recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When a license was given back, all kinds and sizes of jobs that waited for some were looked
    at in one call. A user could have 100,000."""

    def story() -> tuple[int, list[int]]:
        """Return the most looks of a call, and the jobs that have started, in order."""
        licenses = Policies(licenses=(License("cad", 100), License("sim", 1000)))
        core = Core(parse_recipe(recipe), policies=licenses)
        first = _job(1)
        first.job.licenses = (("cad", 100),)
        core.handle(0, [NodeUp("n1", 8, 0), first])
        core.handle(1, [_licensed(job_id) for job_id in range(2, 500)])
        most, started, wake_us = 0, [], 2
        inputs: list[Input] = [_exit(core, 1)]
        while wake_us == 2:
            looked.clear()
            effects = core.handle(2, inputs)
            most, inputs, wake_us = max(most, len(looked)), [], effects.wake_us or 0
            started += [one.job_id for one in effects.decisions if isinstance(one, Start)]
            core.sanity_check()
        return most, started

    looked: list[JobKind] = []
    spare = JobKind.spare

    def counted(kind: JobKind, size: int) -> int:
        looked.append(kind)
        return spare(kind, size)

    monkeypatch.setattr(JobKind, "spare", counted)
    most, started = story()
    assert most > 400
    assert len(started) == 8
    monkeypatch.setattr(limits_of_jobs, "MOST_LOOKED_AT", 20)
    most_in_parts, started_in_parts = story()
    assert most_in_parts <= 60
    assert started_in_parts == started


@pytest.mark.parametrize("recipe", ["easy", "fair-share", "timed-easy", "conservative"])
def test_no_job_takes_licenses_while_others_are_looked_at(
    recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the kinds of jobs that waited for a license were looked at, some in a call, passes gave
    it to jobs that had come later."""
    monkeypatch.setattr(limits_of_jobs, "MOST_LOOKED_AT", 20)
    core = Core(parse_recipe(recipe), policies=Policies(licenses=(License("cad", 100),)))
    first = _job(1)
    first.job.licenses = (("cad", 100),)
    core.handle(0, [NodeUp("n1", 8, 0), first])
    waiting = [_job(job_id) for job_id in range(2, 60)]
    for at, submit in enumerate(waiting):
        submit.job.qos, submit.job.licenses = "", (("cad", 100 - at),)
    core.handle(1, waiting)
    late = _job(1000)
    late.job.qos, late.job.licenses = "", (("cad", 100),)
    inputs: list[Input] = [_exit(core, 1), late]
    started: list[int] = []
    while not started:
        effects = core.handle(2, inputs)
        inputs = []
        started = [one.job_id for one in effects.decisions if isinstance(one, Start)]
        core.sanity_check()
        assert started or effects.wake_us == 2
    assert started == [2]
