"""A history under another recipe."""

from __future__ import annotations

import pytest

from rmsd_core.jobs.accounts import (
    NO_POLICIES,
    AccountPolicy,
    JobLimits,
    License,
    Policies,
    QosPolicy,
)
from rmsd_core.jobs.request import Component, Request, processors
from rmsd_core.lifecycle.core import CapacityKind
from rmsd_core.lifecycle.inputs import NodeUp
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.model_time import NEVER_US, SECOND_US, UNLIMITED_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.schedule import Scheduled
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.simulation.what_if import (
    Course,
    PastCluster,
    PastJob,
    PastReservation,
    assumed_run_us,
    what_if,
)
from rmsd_lab.workloads.sample import sample_trace

COUNTED = PastCluster([NodeUp("a", 40, 0), NodeUp("b", 24, 0)], "counted")
MATLAB = License("matlab", 1)
TRACE = sample_trace(300, 64, seed=5)


def history(recipe: str) -> list[PastJob]:
    """Return what a cluster under this recipe has done with the trace."""
    schedule = simulate(TRACE, 64, parse_recipe(recipe))
    return [
        PastJob(
            job.job_id,
            job.user,
            job.submit_us,
            processors(job.size),
            job.estimate_us,
            job.run_us,
            job.start_us,
            job.end_us,
        )
        for job in schedule
    ]


def under(
    recipe: str, jobs: list[PastJob], cluster: PastCluster, since_us: int, until_us: int = NEVER_US
) -> Course:
    return what_if(jobs, cluster, parse_recipe(recipe), since_us, until_us)


def starts_us(course: Course) -> dict[int, int]:
    return {number: job.start_us for number, job in course.jobs.items()}


def really_us(jobs: list[PastJob]) -> dict[int, int]:
    return {job.number: job.start_us for job in jobs if job.start_us is not None}


@pytest.mark.parametrize("recipe", ["easy", "easy++", "conservative", "sjf-easy", "timed-easy"])
def test_the_same_recipe_does_the_same_again(recipe: str) -> None:
    jobs = history(recipe)
    again = under(recipe, jobs, COUNTED, jobs[0].submit_us)
    assert starts_us(again) == really_us(jobs)


@pytest.mark.parametrize("recipe", ["easy", "sjf-easy", "fcfs"])
def test_what_was_before_is_kept_and_the_queue_handed_over(recipe: str) -> None:
    """A recipe that remembers nothing goes on in the middle as if it had been there."""
    jobs = history(recipe)
    middle_us = jobs[150].submit_us + 1
    waiting = [job for job in jobs if job.submit_us < middle_us <= job.start_us]
    assert len(waiting) > 5
    again = under(recipe, jobs, COUNTED, middle_us)
    assert starts_us(again) == really_us(jobs)


def test_another_recipe_changes_only_what_comes_later() -> None:
    jobs = history("fcfs")
    middle_us = jobs[150].submit_us + 1
    other = starts_us(under("easy", jobs, COUNTED, middle_us))
    really = really_us(jobs)
    changed = [number for number in really if really[number] != other[number]]
    assert changed
    assert all(really[number] >= middle_us for number in changed)
    assert all(other[number] >= middle_us for number in changed)


def test_a_learning_recipe_has_learnt_from_what_was_over() -> None:
    """User a's jobs ran a tenth of their estimates, so two of them are predicted to fit before the
    head, whose reservation estimates alone would have them delay."""
    one = processors(1)
    past = [
        PastJob(n, "a", n * SECOND_US, one, 100 * SECOND_US, 10 * SECOND_US, n * SECOND_US, 0)
        for n in (1, 2)
    ]
    past = [job._replace(end_us=job.start_us + job.run_us) for job in past]
    now_us = 1000 * SECOND_US
    since_us = now_us - 10 * SECOND_US
    runs = PastJob(3, "b", since_us, one, 60 * SECOND_US, 60 * SECOND_US, since_us)
    head = PastJob(4, "b", since_us, processors(2), SECOND_US, SECOND_US)
    fills = PastJob(5, "a", since_us, one, 100 * SECOND_US, 10 * SECOND_US)
    cluster = PastCluster([NodeUp("n", 2, 0)], "counted")
    jobs = [*past, runs, head, fills]
    assert starts_us(under("easy+", jobs, cluster, now_us))[5] == now_us
    assert starts_us(under("easy", jobs, cluster, now_us))[5] > now_us


def test_limits_hold_from_when_the_recipe_takes_over() -> None:
    """Two jobs of one user run since before. From then on one may run, so a third waits for both,
    though a processor is idle, and that of another user does not."""
    one_each = Policies(qos=(QosPolicy("normal", JobLimits(max_running_per_user=1)),))
    cluster = PastCluster([NodeUp("n", 4, 0)], "counted", policies=one_each)
    hour = 3600 * SECOND_US
    jobs = [
        PastJob(1, "ann", 0, processors(1), hour, hour, 0, hour),
        PastJob(2, "ann", 1, processors(1), 3 * hour, 2 * hour, 1, 2 * hour + 1),
        PastJob(3, "ann", 2, processors(1), hour, hour),
        PastJob(4, "bob", 3, processors(1), hour, hour),
        PastJob(5, "bob", 4, processors(1), hour, hour, account="", qos=""),
    ]
    assert starts_us(under("easy", jobs, cluster, 10)) == {
        1: 0, 2: 1, 3: 2 * hour + 1, 4: 10, 5: 10,
    }  # fmt: skip
    assert starts_us(under("easy", jobs, cluster._replace(policies=NO_POLICIES), 10)) == {
        1: 0, 2: 1, 3: 10, 4: 10, 5: hour,
    }  # fmt: skip


def test_what_was_used_before_counts_for_its_account() -> None:
    """The account of ann and bob has used the machine, so that of cid comes first."""
    tree = Policies(accounts=(AccountPolicy("lab"), AccountPolicy("new")))
    cluster = PastCluster([NodeUp("n", 4, 0)], "counted", policies=tree)
    hour = 3600 * SECOND_US
    jobs = [
        PastJob(1, "ann", 0, processors(4), hour, hour, 0, hour, account="lab"),
        PastJob(2, "bob", 1, processors(4), hour, hour, account="lab"),
        PastJob(3, "cid", 2, processors(4), hour, hour, account="new"),
    ]
    course = under("fair-share,by=account,age=0", jobs, cluster, hour // 2)
    assert starts_us(course) == {1: 0, 2: 2 * hour, 3: hour}


def test_jobs_that_run_on_drained_nodes_hold_nothing_else() -> None:
    """Jobs 1 and 2 ran beside each other, one of them on a node that is drained by now. Job 3 waits
    for the one node that is left, and 4, which ran on the drained one later, comes after it."""
    hour = 3600 * SECOND_US
    jobs = [
        PastJob(1, "a", 0, processors(2), hour, hour, 0, hour, nodes=("drained",)),
        PastJob(2, "a", 1, processors(2), hour, hour // 2, 1, hour // 2 + 1, nodes=("stays",)),
        PastJob(3, "a", 2, processors(2), hour, hour),
        PastJob(4, "a", 3, processors(2), hour, hour, hour, 2 * hour, nodes=("drained",)),
    ]
    expected = {1: 0, 2: 1, 3: hour // 2 + 1, 4: hour // 2 + 1 + hour}
    cluster = PastCluster([NodeUp("stays", 2, 0)], "nodes", drained=[NodeUp("drained", 2, 0)])
    for recipe in ("easy", "conservative", "fcfs"):
        assert starts_us(under(recipe, jobs, cluster, 10)) == expected
    counted = cluster._replace(capacity="counted")
    assert starts_us(under("easy", jobs, counted, 10)) == {**expected, 3: hour, 4: 2 * hour}


def test_a_job_that_needs_drained_nodes_takes_part_while_it_runs() -> None:
    cluster = PastCluster([NodeUp("a", 2, 0)], "nodes", drained=[NodeUp("b", 2, 0)])
    hour = 3600 * SECOND_US
    wide = Request((Component(2, 1, 0, True),))
    runs = PastJob(1, "a", 0, wide, hour, hour, 0, hour, nodes=("a", "b"))
    jobs = [runs, PastJob(2, "a", 1, wide, hour, hour), PastJob(3, "a", 1, processors(2), 1, 1)]
    assert [job.number for job in cluster.holds(jobs)] == [3]
    assert cluster.held(jobs) == [runs]
    assert cluster._replace(drained=()).held(jobs) == []
    assert starts_us(under("easy", [runs, jobs[2]], cluster, 5)) == {1: 0, 3: hour}


def test_jobs_wait_for_licenses() -> None:
    cluster = PastCluster([NodeUp("n", 4, 0)], "counted", policies=Policies((), (), (MATLAB,)))
    hour = 3600 * SECOND_US
    jobs = [
        PastJob(n, "ann", n, processors(1), hour, hour, licenses=(("matlab", 1),)) for n in (1, 2)
    ]
    jobs.append(PastJob(3, "ann", 3, processors(1), hour, hour))
    assert starts_us(under("easy", jobs, cluster, 0)) == {1: 1, 2: hour + 1, 3: 3}


@pytest.mark.parametrize("capacity", ["counted", "nodes"])
def test_qos_preempt_when_the_recipe_takes_over(capacity: CapacityKind) -> None:
    preempting = Policies(qos=(QosPolicy("low"), QosPolicy("high", preempts=("low",))))
    cluster = PastCluster([NodeUp("n", 4, 0)], capacity, policies=preempting)
    hour = 3600 * SECOND_US
    jobs = [
        PastJob(1, "ann", 0, processors(4), 2 * hour, 2 * hour, 0, 2 * hour, qos="low"),
        PastJob(2, "bob", 20, processors(4), hour, hour, qos="high"),
    ]
    assert starts_us(under("easy", jobs, cluster, 10)) == {1: 20 + hour, 2: 20}
    plain = cluster._replace(policies=NO_POLICIES)
    assert starts_us(under("easy", jobs, plain, 10)) == {1: 0, 2: 2 * hour}


@pytest.mark.parametrize("capacity", ["counted", "nodes"])
@pytest.mark.parametrize("recipe", ["easy", "easy++", "conservative,depth=50", "rmsd-gentle"])
def test_jobs_keep_off_the_reservations_that_there_were(
    recipe: str, capacity: CapacityKind
) -> None:
    """One was there when the recipe takes over, and repeats; one is made later, and deleted. Job 4
    runs inside the first, beside job 1, which began before it was made."""
    hour = 3600 * SECOND_US
    on = {"nodes": ("b",)} if capacity == "nodes" else {"cores": 4}
    daily = AdvanceReservation("daily", hour, 3 * hour, users=("dan",), every_us=24 * hour, **on)
    repair = AdvanceReservation("repair", 4 * hour, 9 * hour, is_maintenance=True, **on)
    changes = [
        PastReservation(5, "daily", daily),
        PastReservation(6, "void", daily),
        PastReservation(7, "void", None),
        PastReservation(2 * hour, "repair", repair),
        PastReservation(5 * hour, "repair", None),
    ]
    machine = [NodeUp("a", 4, 0), NodeUp("b", 4, 0)]
    cluster = PastCluster(machine, capacity, reservations=changes)
    two = 2 * hour
    jobs = [
        PastJob(1, "ann", 0, processors(4), two, two, 0, two, nodes=("a",)),
        PastJob(2, "bob", 20, processors(4), two, two),
        PastJob(3, "bob", 30, processors(4), two, two),
        PastJob(4, "dan", 40, processors(4), hour, hour, reservation="daily"),
        PastJob(5, "dan", 50, processors(4), hour, hour, reservation="daily"),
        PastJob(6, "dan", 5 * hour, processors(4), hour, hour, reservation="daily"),
    ]
    found = starts_us(under(recipe, jobs, cluster, 10))
    # On node b, job 3 would reach into the repair. Of 8 processors it may have 4 as long as job 2.
    third = 4 * hour if capacity == "nodes" else 3 * hour
    expected = {1: 0, 2: two, 3: third, 4: hour, 5: two, 6: 25 * hour}
    assert found == expected
    without = starts_us(under(recipe, jobs[:3], cluster._replace(reservations=()), 10))
    assert without == {1: 0, 2: 20, 3: two}


def test_nice_jobs_come_later() -> None:
    cluster = PastCluster([NodeUp("n", 1, 0)], "counted")
    hour = 3600 * SECOND_US
    jobs = [PastJob(n, "ann", n, processors(1), hour, hour) for n in (1, 2, 3)]
    jobs[1] = jobs[1]._replace(nice=1_000_000)
    assert starts_us(under("fair-share", jobs, cluster, 0)) == {1: 1, 2: 2 * hour + 1, 3: hour + 1}


def test_jobs_that_were_cancelled_in_the_queue() -> None:
    """Number 2 holds up number 3 until it is cancelled, where nothing passes the head; where it
    starts before, it is cancelled at the same time; before `since_us` it has no part."""
    cluster = PastCluster([NodeUp("n", 2, 0)], "counted")
    hour = 3600 * SECOND_US
    runs = PastJob(1, "a", 0, processors(1), hour, hour, 0, hour)
    gone = PastJob(2, "a", 1, processors(2), hour, hour, None, hour // 2)
    last = PastJob(3, "a", 2, processors(1), hour, hour)
    jobs = [runs, gone, last]
    course = under("fcfs", jobs, cluster, 0)
    assert starts_us(course) == {1: 0, 2: -1, 3: hour // 2}
    assert course.utilization(2, 0, hour) == pytest.approx(0.75)
    narrow = [runs, gone._replace(request=processors(1)), last]
    course = under("fcfs", narrow, cluster, 0)
    assert starts_us(course) == {1: 0, 2: 1, 3: hour // 2}
    assert course.jobs[2].end_us == hour // 2
    assert 2 not in under("fcfs", jobs, cluster, hour // 2).jobs


def test_nodes_with_several_pieces_and_what_no_nodes_hold() -> None:
    cluster = PastCluster([NodeUp(name, 4, 1000) for name in "abc"], "nodes")
    second = SECOND_US
    wide = Request((Component(3, 2, 100, True),))
    jobs = [
        PastJob(1, "a", 0, wide, 10 * second, 10 * second),
        PastJob(2, "a", 1, wide, 10 * second, 10 * second),
        PastJob(3, "a", 2, wide, 10 * second, 10 * second),
        PastJob(4, "a", 3, Request((Component(1, 5),)), second, second),
        PastJob(5, "a", 3, Request((Component(1, 1, 0, False, "gpu"),)), second, second),
    ]
    held = cluster.holds(jobs)
    assert [job.number for job in held] == [1, 2, 3]
    course = under("conservative", held, cluster, 0)
    assert starts_us(course) == {1: 0, 2: 1, 3: 10 * second}


def test_killed_trials_count_as_held() -> None:
    """Both are tried; the first to expire goes when the head is owed its processors."""
    second = SECOND_US
    jobs = [
        PastJob(1, "a", 0, processors(2), 100 * second, 100 * second),
        PastJob(2, "a", 1, processors(2), 1000 * second, 1000 * second),
    ]
    cluster = PastCluster([NodeUp("n", 3, 0)], "counted")
    course = under("timed-sjf-easy,trial=10", jobs, cluster, 0)
    assert course.lost
    held_us = sum(2 * (one.end_us - one.start_us) for one in course.lost)
    last_us = sum(2 * (job.end_us - job.start_us) for job in course.jobs.values())
    end_us = max(job.end_us for job in course.jobs.values())
    found = course.utilization(3, 0, end_us)
    assert found == pytest.approx((held_us + last_us) / (3 * end_us))


def test_utilization_is_cut_to_the_time_asked_for() -> None:
    job = Scheduled(1, 0, 10, 30, 20, 2)
    waits = Scheduled(2, 0, -1, 15, 0, 2)
    course = Course({1: job, 2: waits}, [])
    assert course.utilization(4, 0, 40) == 0.25
    assert course.utilization(4, 20, 40) == 0.25
    assert course.utilization(4, 15, 25) == 0.5
    assert course.utilization(4, 40, 40) is None


def test_assumed_run_times() -> None:
    assert assumed_run_us(100, None, 1000) == 100
    assert assumed_run_us(100, 950, 1000) == 100
    assert assumed_run_us(100, 850, 1000) == 150


def test_waits_go_on_up_to_the_present() -> None:
    second = SECOND_US
    starts = {1: 5, 2: 50, 3: -1}
    jobs = [PastJob(n, "a", n * second, processors(1), 0, 20 * second) for n in (1, 2, 3, 4)]
    held = {n: Scheduled(n, n * second, start * second, 0, 0, 1) for n, start in starts.items()}
    waits_us = Course(held, []).waits_us(jobs, 30 * second)
    assert waits_us == [4 * second, 28 * second, 27 * second, 26 * second]
    assert [job.bounded_slowdown(wait) for job, wait in zip(jobs, waits_us, strict=True)] == [
        1.2,
        2.4,
        2.35,
        2.3,
    ]
    brief = jobs[0]._replace(run_us=second)
    assert brief.bounded_slowdown(29 * second) == 3
    assert brief.bounded_slowdown(0) == 1


@pytest.mark.parametrize("recipe", ["easy", "conservative", "timed-easy", "easy++"])
def test_jobs_without_a_limit_have_no_end_and_those_behind_them_no_start(recipe: str) -> None:
    """Three in a row would end after more time than there is."""
    endless = processors(2), UNLIMITED_US, UNLIMITED_US
    jobs = [PastJob(n, "a", n, *endless) for n in (1, 2, 3)]
    jobs.append(PastJob(4, "b", 4, processors(1), 30 * SECOND_US, 30 * SECOND_US))
    cluster = PastCluster([NodeUp("n", 3, 0)], "counted")
    until_us = 10**15
    course = under(recipe, jobs, cluster, 0, until_us)
    starts = starts_us(course)
    assert starts.keys() == {1, 2, 3, 4}
    assert sorted(starts.values())[:2] == [-1, -1]
    assert 0 <= starts[4] <= 100 * SECOND_US
    assert course.waits_us(jobs[2:3], 100) == [97]
    runs = next(number for number in (1, 2, 3) if starts[number] >= 0)
    assert course.jobs[runs].end_us == until_us
