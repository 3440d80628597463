"""The life of a job in the core: allocations, cancels, lost nodes, restarts."""

from __future__ import annotations

import copy
import heapq
import random
import sys
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core, Node
from rmsd_core.lifecycle.effects import (
    Correct,
    Decision,
    Effects,
    End,
    Requeue,
    Start,
    Stop,
)
from rmsd_core.lifecycle.inputs import (
    Cancel,
    Drain,
    Exited,
    Input,
    Launched,
    NodeDead,
    NodeGone,
    NodeLeaving,
    NodeSuspect,
    NodeUp,
    Resume,
    Submit,
)
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.model_time import NEVER_US, SECOND_US, UNLIMITED_US
from rmsd_core.planning.planner import Planner
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, JobState


def cluster(recipe: str = "easy", nodes: int = 2, cores: int = 4) -> Core:
    core = Core(parse_recipe(recipe), "nodes")
    core.handle(0, [NodeUp(f"n{at}", cores, 1000, ("real",)) for at in range(1, nodes + 1)])
    return core


def job(
    job_id: int,
    units: int = 1,
    cores: int = 1,
    *,
    spread: bool = False,
    mem_mib: int = 0,
    estimate_s: int = 60,
    feature: str | None = None,
    user: str = "ann",
) -> Job:
    request = Request((Component(units, cores, mem_mib, spread, feature),))
    return Job(job_id, user, 0, request, estimate_s * SECOND_US)


def exited(job: Job, node: str, at_s: int, cause: Cause = Cause.EXIT, code: int = 0) -> Exited:
    return Exited(job.id, job.attempt, node, at_s * SECOND_US, Outcome(cause, code))


def kinds(effects: Effects) -> list[type[Decision]]:
    return [type(decision) for decision in effects.decisions]


def test_a_job_starts_runs_and_ends() -> None:
    core, one = cluster(), job(1)
    assert kinds(core.handle(0, [Submit(one)])) == [Start]
    assert one.state is JobState.CONFIGURING
    core.handle(1, [Launched(1, 1)])
    assert one.state is JobState.RUNNING
    assert kinds(core.handle(9, [exited(one, one.allocation[0].node, 9)])) == [End]
    assert one.state is JobState.COMPLETED
    assert core.jobs == {}
    assert all(core.used_on(name).cores == 0 for name in core.nodes)


def test_a_small_job_goes_to_the_tightest_node_that_holds_it() -> None:
    core, first, second = cluster(), job(1, 2), job(2, 2)
    core.handle(0, [Submit(first), Submit(second)])
    assert first.allocation[0].node == second.allocation[0].node


def test_emulated_nodes_are_taken_when_asked_for_or_when_the_others_cannot() -> None:
    core = Core(parse_recipe("easy"), "nodes")
    core.handle(0, [NodeUp("e1", 1, 0, ("emulated",)), NodeUp("e2", 4, 0, ("emulated",))])
    core.handle(0, [NodeUp("n1", 4, 0, ("real",))])
    small, asks, wide, spread = job(1), job(2, feature="emulated"), job(3, 4), job(4, 2, 1)
    core.handle(0, [Submit(small), Submit(asks), Submit(wide), Submit(spread)])
    hosts = [[piece.node for piece in one.allocation] for one in (small, asks, wide, spread)]
    assert hosts == [["n1"], ["e1"], ["e2"], ["n1"]]


def test_tasks_without_a_node_count_pack_and_with_one_spread() -> None:
    core, packed = cluster(), job(1, 6)
    core.handle(0, [Submit(packed)])
    assert [(p.node, p.cores) for p in packed.allocation] == [("n1", 4), ("n2", 2)]
    core, spread = cluster(), job(1, 2, 3, spread=True)
    core.handle(0, [Submit(spread)])
    assert [(p.node, p.cores) for p in spread.allocation] == [("n1", 3), ("n2", 3)]


def test_memory_and_features_are_respected() -> None:
    core = cluster()
    core.handle(0, [NodeUp("e1", 4, 8000, ("emulated",))])
    big, marked, other = job(1, mem_mib=700), job(2, feature="emulated"), job(3, mem_mib=700)
    core.handle(0, [Submit(big), Submit(marked), Submit(other)])
    assert marked.allocation[0].node == "e1"
    assert {big.allocation[0].node, other.allocation[0].node} <= {"n1", "n2", "e1"}
    assert all(core.used_on(name).mem_mib <= node.mem_mib for name, node in core.nodes.items())


def test_the_other_nodes_are_stopped_when_the_script_ends() -> None:
    """The processors come back node by node, as each confirms; the job is over with the last."""
    core, wide, waits = cluster(), job(1, 2, 4, spread=True), job(2, 1, 4)
    core.handle(0, [Submit(wide), Submit(waits)])
    effects = core.handle(5, [exited(wide, "n1", 5, code=3)])
    stop, start = effects.decisions
    assert isinstance(stop, Stop)
    assert stop.nodes == ("n2",)
    assert isinstance(start, Start)
    assert waits.allocation[0].node == "n1"
    assert wide.state is JobState.COMPLETING
    effects = core.handle(6, [exited(wide, "n2", 6)])
    assert kinds(effects) == [End]
    assert wide.state is JobState.FAILED
    assert wide.end_us == 5 * SECOND_US


def test_cancelling_a_running_job_frees_its_processors_only_when_confirmed() -> None:
    core, one, two = cluster(nodes=1), job(1, 4), job(2, 4)
    core.handle(0, [Submit(one), Submit(two)])
    assert kinds(core.handle(1, [Cancel(1)])) == [Stop]
    assert kinds(core.handle(2, [Cancel(1)])) == []
    assert two.state is JobState.PENDING
    assert kinds(core.handle(3, [exited(one, "n1", 3, Cause.USER)])) == [End, Start]
    assert one.state is JobState.CANCELLED


def test_a_job_that_ended_by_itself_before_the_cancel_arrived_is_completed() -> None:
    core, one = cluster(nodes=1), job(1)
    core.handle(0, [Submit(one)])
    core.handle(1, [Cancel(1)])
    core.handle(2, [exited(one, "n1", 2)])
    assert one.state is JobState.COMPLETED


def test_cancelling_a_waiting_job_lets_the_next_one_pass() -> None:
    core = cluster("fcfs", nodes=1)
    running, head, behind = job(1, 2), job(2, 4), job(3, 2)
    core.handle(0, [Submit(running), Submit(head), Submit(behind)])
    assert core.reason(head) == "Resources"
    assert core.reason(behind) == "Priority"
    assert kinds(core.handle(1, [Cancel(2)])) == [End, Start]
    assert head.state is JobState.CANCELLED


def test_the_head_of_the_queue_is_looked_for_once_between_two_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By LXF that is a walk over the queue, and a list asks for the reason of every job in it."""
    core = Core(parse_recipe("lxfw"), "counted")
    core.handle(0, [NodeUp("n", 1, 0)])
    jobs = [Job(i, "u", 0, Request((Component(1),)), (1 + i) * SECOND_US) for i in range(1, 5)]
    core.handle(0, [Submit(job) for job in jobs])
    looks: list[int] = []
    heads = Planner.heads

    def look(planner: Planner, now_us: int) -> list[Job]:
        looks.append(now_us)
        return heads(planner, now_us)

    monkeypatch.setattr(Planner, "heads", look)
    waits = [job for job in jobs if job.state is JobState.PENDING]
    assert [core.reason(job) for job in waits] == ["Resources", "Priority", "Priority"]
    assert looks == [0]
    core.handle(SECOND_US, [Cancel(waits[0].id)])
    assert [core.reason(job) for job in waits[1:]] == ["Resources", "Priority"]
    assert looks == [0, SECOND_US]


def test_a_job_that_waits_for_its_trial_waits_for_no_other_job() -> None:
    core = cluster("timed-easy,trial=10", nodes=1)
    jobs = [job(job_id, 4, estimate_s=60) for job_id in (1, 2, 3)]
    once = job(4, 4)
    once.restartable = False
    core.handle(0, [Submit(one) for one in [*jobs, once]])
    assert [core.reason(one) for one in jobs] == ["Trial", "Resources", "Resources"]
    assert core.reason(once) == "Priority"
    core.handle(1, [Launched(1, 1)])
    core.handle(10 * SECOND_US, [])
    core.handle(10 * SECOND_US, [exited(jobs[0], "n1", 10, Cause.TRIAL)])
    assert [core.reason(one) for one in jobs] == ["Resources", "Trial", "Resources"]


def test_the_state_comes_from_the_cause_and_not_from_the_exit_code() -> None:
    core, one = cluster(), job(1)
    core.handle(0, [Submit(one)])
    core.handle(1, [exited(one, one.allocation[0].node, 1, Cause.LIMIT, code=0)])
    assert one.state is JobState.TIMEOUT


def test_a_suspect_node_keeps_its_jobs_and_a_dead_one_loses_them() -> None:
    core, one, two = cluster(nodes=1), job(1), job(2)
    core.handle(0, [Submit(one)])
    core.handle(1, [NodeSuspect("n1")])
    core.handle(2, [Submit(two)])
    assert two.state is JobState.PENDING
    assert core.reason(two) == "ReqNodeNotAvail"
    effects = core.handle(3, [NodeDead("n1")])
    (requeue,) = effects.decisions
    assert isinstance(requeue, Requeue)
    assert requeue.attempt == 1
    assert requeue.outcome.cause is Cause.NODE
    assert one.state is JobState.PENDING
    effects = core.handle(4, [NodeUp("n1", 4, 1000)])
    assert kinds(effects) == [Start, Start]
    assert one.attempt == 2
    late = Exited(1, 1, "n1", 5, Outcome(Cause.EXIT, 0))
    assert core.handle(5, [late]).decisions == ()
    assert one.state is JobState.CONFIGURING


def test_a_leaving_node_keeps_its_job_takes_none_and_is_forgotten_when_empty() -> None:
    core, runs, waits = cluster(nodes=1), job(1, 2), job(2)
    core.handle(0, [Submit(runs)])
    core.handle(1, [NodeLeaving("n1")])
    assert kinds(core.handle(2, [Submit(waits)])) == []
    assert core.reason(waits) == "ReqNodeNotAvail"
    core.handle(3, [NodeGone("n1")])
    assert (list(core.nodes), core.left()) == (["n1"], [])
    assert kinds(core.handle(4, [exited(runs, "n1", 0)])) == [End]
    assert core.left() == ["n1"]
    core.handle(5, [NodeGone("n1")])
    assert (core.nodes, core.left()) == ({}, [])
    assert kinds(core.handle(6, [NodeUp("n1", 1, 0)])) == [Start]


def test_a_forgotten_node_does_not_count_for_what_fits() -> None:
    core = cluster(nodes=2, cores=4)
    core.handle(1, [NodeUp("n2", 8, 1000)])
    assert core.never_fits(job(1, 1, 8).request) is None
    effects = core.handle(2, [too_early := NodeGone("n2")])  # the node is up
    assert effects.refused == (too_early,)
    assert core.never_fits(job(1, 1, 8).request) is None
    core.handle(3, [NodeDead("n2"), NodeGone("n2")])
    assert core.never_fits(job(1, 1, 8).request) == (
        "1 x 8 cores asked for; the cluster has one such node, with 4 cores and 1000 MiB"
    )


def test_a_node_can_be_forgotten_and_come_back_in_one_instant() -> None:
    core = cluster(nodes=1)
    core.handle(1, [Drain("n1", "old"), NodeDead("n1")])
    effects = core.handle(2, [NodeGone("n1"), NodeUp("n1", 8, 1000)])
    assert effects.refused == ()
    assert (core.nodes["n1"].cores, core.nodes["n1"].drain_reason) == (8, None)


def test_a_job_that_may_not_be_requeued_fails_with_its_node() -> None:
    core, one = cluster(nodes=1), job(1)
    one.requeue = False
    core.handle(0, [Submit(one)])
    assert kinds(core.handle(3, [NodeDead("n1")])) == [End]
    assert one.state is JobState.NODE_FAIL


def test_a_cancelled_job_is_not_requeued_when_its_node_dies() -> None:
    core, one = cluster(nodes=1), job(1)
    core.handle(0, [Submit(one)])
    core.handle(1, [Cancel(1)])
    core.handle(2, [NodeDead("n1")])
    assert one.state is JobState.CANCELLED


def test_losing_one_of_two_nodes_stops_the_other_and_requeues() -> None:
    core, wide = cluster(), job(1, 2, 4, spread=True)
    core.handle(0, [Submit(wide)])
    (stop,) = core.handle(1, [NodeDead("n2")]).decisions
    assert isinstance(stop, Stop)
    assert stop.nodes == ("n1",)
    assert stop.cause is Cause.NODE
    assert kinds(core.handle(2, [exited(wide, "n1", 2, Cause.NODE)])) == [Requeue]
    assert wide.state is JobState.PENDING


def test_what_an_attempt_used_is_that_of_all_its_nodes() -> None:
    core, wide = cluster(), job(1, 2, 4, spread=True)
    core.handle(0, [Submit(wide)])

    def over(node: str, cause: Cause, cpu_s: float | None, max_rss_mib: int | None) -> Effects:
        outcome = Outcome(cause, 0, None, cpu_s, max_rss_mib)
        return core.handle(1, [Exited(1, wide.attempt, node, SECOND_US, outcome)])

    over("n2", Cause.NODE, 0.1, 100)
    (requeue, start) = over("n1", Cause.NODE, 0.2, 40).decisions
    assert isinstance(requeue, Requeue)
    assert (requeue.outcome.cpu_s, requeue.outcome.max_rss_mib) == (0.3, 100)
    assert isinstance(start, Start)
    over("n1", Cause.EXIT, 1.5, 30)
    over("n2", Cause.EXIT, None, None)
    assert wide.outcome == Outcome(Cause.EXIT, 0, None, 1.5, 30)


def test_a_drained_node_takes_nothing_new_and_holds_up_nobody() -> None:
    core = cluster("fcfs")
    core.handle(0, [Drain("n2", "new disk")])
    wide, small = job(1, 2, 4, spread=True), job(2)
    effects = core.handle(1, [Submit(wide), Submit(small)])
    assert [type(d) for d in effects.decisions] == [Start]
    assert small.state is JobState.CONFIGURING
    assert core.reason(wide) == "ReqNodeNotAvail"
    core.handle(2, [exited(small, "n1", 2)])
    assert kinds(core.handle(3, [Resume("n2")])) == [Start]


def test_what_can_never_fit_is_said_with_the_numbers() -> None:
    core = cluster()
    message = core.never_fits(job(1, 9).request)
    assert message is not None
    assert "9 x 1 core" in message
    assert "8 cores" in message
    assert core.never_fits(job(1, 8).request) is None
    assert core.never_fits(job(1, 1, 5).request) is not None
    assert core.never_fits(job(1, mem_mib=1001).request) is not None
    assert core.never_fits(job(1, feature="gpu").request) is not None
    core.handle(1, [NodeSuspect("n1")])
    assert core.never_fits(job(1, 8).request) is None


def test_an_expired_prediction_becomes_the_estimate_and_then_grows() -> None:
    """Thesis 4.4: one minute beyond the estimate, then 15, 30, 60... from now."""
    core = cluster("easy++", nodes=1)
    for number, run_s in ((1, 10), (2, 20)):
        done = job(number, estimate_s=100)
        core.handle(0, [Submit(done)])
        core.handle(run_s * SECOND_US, [exited(done, "n1", run_s)])
    one = job(3, estimate_s=100)
    effects = core.handle(100 * SECOND_US, [Submit(one)])
    assert one.prediction_us == 15 * SECOND_US
    seen = []
    for _ in range(5):
        assert effects.wake_us is not None
        now_us = effects.wake_us
        effects = core.handle(now_us, [])
        assert kinds(effects) == [Correct]
        seen.append((now_us // SECOND_US - 100, one.prediction_us // SECOND_US))
    assert seen == [(15, 100), (100, 160), (160, 1060), (1060, 2860), (2860, 6460)]
    assert one.record.corrections == 5


@pytest.mark.parametrize(
    ("recipe", "expected"),
    [
        # to the double of the estimate, and only then by minutes, counted from the double
        ("easy+,times=2,correct=multiplied", [(30, 200), (200, 260), (260, 1160), (1160, 2960)]),
        ("thesis-x2++", [(30, 200), (200, 260), (260, 1160), (1160, 2960)]),
        ("easy+,times=3,correct=multiplied", [(45, 300), (300, 360), (360, 1260), (1260, 3060)]),
        # the rules' X2+: to the estimate itself
        ("x2+", [(30, 100), (100, 160), (160, 1060), (1060, 2860)]),
        ("easy+,correct=multiplied", [(15, 100), (100, 160), (160, 1060), (1060, 2860)]),
    ],
)
def test_a_multiplied_correction_goes_to_the_multiplied_estimate(
    recipe: str, expected: list[tuple[int, int]]
) -> None:
    """Thesis 4.4: X2 doubles the estimates themselves, so that X2+ corrects to the double."""
    core = cluster(recipe, nodes=1)
    for number, run_s in ((1, 10), (2, 20)):
        done = job(number, estimate_s=100)
        core.handle(0, [Submit(done)])
        core.handle(run_s * SECOND_US, [exited(done, "n1", run_s)])
    one = job(3, estimate_s=100)
    effects = core.handle(100 * SECOND_US, [Submit(one)])
    seen = []
    for _ in expected:
        assert effects.wake_us is not None
        now_us = effects.wake_us
        effects = core.handle(now_us, [])
        seen.append((now_us // SECOND_US - 100, one.prediction_us // SECOND_US))
    assert seen == expected


def test_easy_backfills_on_nodes_only_what_leaves_the_head_its_nodes() -> None:
    core = cluster(nodes=2)
    running = job(1, 1, 4, estimate_s=100)
    head = job(2, 2, 4, spread=True, estimate_s=100)
    long_one, short_one = job(3, 1, 4, estimate_s=200), job(4, 1, 4, estimate_s=90)
    core.handle(0, [Submit(running)])
    core.handle(1, [Submit(head), Submit(long_one), Submit(short_one)])
    assert head.state is JobState.PENDING
    assert long_one.state is JobState.PENDING
    assert short_one.state is JobState.CONFIGURING
    assert short_one.record.backfilled


def test_jobs_without_a_limit_do_not_promise_room_to_the_head() -> None:
    core = cluster(nodes=1)
    endless = job(1, 2)
    endless.estimate_us = UNLIMITED_US
    head, short_one = job(2, 4), job(3, 1, estimate_s=10)
    core.handle(0, [Submit(endless), Submit(head), Submit(short_one)])
    assert short_one.state is JobState.CONFIGURING


@pytest.mark.parametrize("recipe", ["conservative", "selective,threshold=1", "timed-conservative"])
@pytest.mark.parametrize("late_us", [0, 1, 500_000, 3_700_000])
def test_a_planned_start_is_not_missed_by_a_pass_that_is_late(recipe: str, late_us: int) -> None:
    """A daemon's passes come some time after they were due."""
    core = cluster(recipe, nodes=1)
    running, second = job(1, 4), job(2, 4)
    core.handle(0, [Submit(running), Submit(second)])
    core.handle(60 * SECOND_US + late_us, [])
    ended_us = 70 * SECOND_US + 2 * late_us
    core.handle(ended_us, [exited(running, "n1", 70)])
    assert second.start_us == ended_us


@pytest.mark.parametrize(("ended", "order"), [("n2", ("n1", "n2")), ("n1", ("n2", "n1"))])
def test_nothing_starts_on_a_node_that_dies_at_the_same_instant(
    ended: str, order: tuple[str, str]
) -> None:
    """What a lost trial was killed for does not begin on the other lost node."""
    core = cluster("timed-easy,trial=10", nodes=2)
    core.handle(0, [Submit(wide := job(1, 2, 4, spread=True, estimate_s=600))])
    core.handle(20 * SECOND_US, [Submit(claiming := job(2, 1, 4))])
    assert (wide.stop_cause, bool(claiming.claim)) == (Cause.TRIAL, True)
    core.handle(21 * SECOND_US, [exited(wide, ended, 21, Cause.TRIAL)])
    effects = core.handle(22 * SECOND_US, [NodeDead(name) for name in order])
    assert Start not in kinds(effects)
    assert wide.state is claiming.state is JobState.PENDING


def test_what_a_trial_has_run_that_an_earlier_daemon_has_killed_is_lost() -> None:
    """After a restore the core has not ordered the kill, and the end of the trial comes all the
    same."""
    core = cluster("timed-easy,trial=10", nodes=1)
    core.handle(0, [Submit(trial := job(1, 4, estimate_s=600))])
    core.handle(7 * SECOND_US, [exited(trial, "n1", 7, Cause.TRIAL)])
    assert (trial.attempt, trial.record.lost_us) == (2, 7 * SECOND_US)


def test_nothing_starts_on_more_than_a_node_has_that_comes_back_smaller() -> None:
    """A claim is of the node as it was: the job is planned again."""
    core = cluster("timed-easy,trial=10", nodes=1)
    core.handle(0, [Submit(trial := job(1, 4, estimate_s=600))])
    core.handle(20 * SECOND_US, [Submit(claiming := job(2, 4))])
    assert (trial.stop_cause, bool(claiming.claim)) == (Cause.TRIAL, True)
    core.handle(21 * SECOND_US, [NodeUp("n1", 2, 8000, ())])
    assert not claiming.claim
    core.handle(22 * SECOND_US, [exited(trial, "n1", 22, Cause.TRIAL)])
    assert claiming.state is JobState.PENDING
    core.handle(23 * SECOND_US, [NodeUp("n1", 4, 8000, ())])
    assert JobState.CONFIGURING in (trial.state, claiming.state)


@pytest.mark.parametrize(
    "news", [NodeUp("n1", 2, 8000, ()), Drain("n1", "new disk"), NodeLeaving("n1")]
)
def test_nothing_starts_where_it_was_claimed_on_a_node_that_takes_less_at_once(news: Input) -> None:
    """The end that the claim waits for is of the same instant."""
    core = cluster("timed-easy,trial=10", nodes=1)
    core.handle(0, [Submit(trial := job(1, 4, estimate_s=600))])
    core.handle(20 * SECOND_US, [Submit(claiming := job(2, 4))])
    assert (trial.stop_cause, bool(claiming.claim)) == (Cause.TRIAL, True)
    core.handle(21 * SECOND_US, [exited(trial, "n1", 21, Cause.TRIAL), news])
    assert claiming.state is JobState.PENDING
    assert not claiming.claim


def test_a_prediction_is_not_corrected_before_its_run_begins() -> None:
    """What is killed for a job may take longer to leave than the job is predicted to run."""
    core = cluster("timed-easy++,trial=10", nodes=1)
    for at_s, short in ((0, job(1, 4)), (2, job(2, 4))):
        core.handle(at_s * SECOND_US, [Submit(short)])
        core.handle((at_s + 2) * SECOND_US, [exited(short, "n1", at_s + 2)])
    core.handle(5 * SECOND_US, [Submit(first := job(3, 4))])
    core.handle(6 * SECOND_US, [Submit(stubborn := job(4, 4, user="bob"))])
    core.handle(15 * SECOND_US, [])  # the first is on trial no more, and gives way
    core.handle(16 * SECOND_US, [exited(first, "n1", 16, Cause.TRIAL)])
    core.handle(26 * SECOND_US, [])
    assert (stubborn.stop_cause, bool(first.claim)) == (Cause.TRIAL, True)
    predicted_us = first.prediction_us
    assert predicted_us == 2 * SECOND_US
    effects = core.handle(29 * SECOND_US, [])
    assert (effects.decisions, effects.wake_us) == ((), None)
    core.handle(36 * SECOND_US, [exited(stubborn, "n1", 36, Cause.TRIAL)])
    assert (first.start_us, first.prediction_us) == (36 * SECOND_US, predicted_us)
    assert kinds(core.handle(38 * SECOND_US, [])) == [Correct]
    assert predicted_us < first.prediction_us <= first.estimate_us


def test_what_ends_while_its_other_nodes_are_being_killed_for_a_trial_runs_again() -> None:
    core = cluster("timed-easy,trial=10", nodes=2)
    core.handle(0, [Submit(wide := job(1, 2, 4, spread=True, estimate_s=600))])
    core.handle(20 * SECOND_US, [Submit(job(2, 1, 4))])
    core.handle(21 * SECOND_US, [exited(wide, "n1", 21, code=1)])
    core.handle(22 * SECOND_US, [exited(wide, "n2", 22, Cause.TRIAL)])
    assert wide.state is JobState.PENDING


LATE_US = 40_000


@given(
    jobs=st.lists(st.tuples(st.integers(1, 60), st.integers(1, 8)), min_size=1, max_size=12),
    recipe=st.sampled_from(["conservative", "selective,threshold=1"]),
    rng=st.randoms(use_true_random=False),
)
def test_a_live_promise_is_kept_though_everything_comes_late(
    jobs: list[tuple[int, int]], recipe: str, rng: random.Random
) -> None:
    """Every job is killed at its estimate, and every pass and report comes some milliseconds late:
    nobody is later than promised by more than that and the slip. Who fits into the second that a
    plan gives an overdue job may start in it, so that others wait up to a second more."""

    def late_us() -> int:
        return rng.randint(0, LATE_US)

    slip_us = 2 * SECOND_US
    core = Core(parse_recipe(recipe), "counted", slip_us=slip_us)
    core.handle(0, [NodeUp("n1", 8, 1000, ("real",))])
    waiting = [job(at, 1, size, estimate_s=s) for at, (s, size) in enumerate(jobs)]
    due: list[tuple[int, int, Job]] = []
    inputs: list[Input] = [Submit(one) for one in waiting]
    now_us = 0
    while inputs or due:
        effects = core.handle(now_us, inputs)
        for start in effects.decisions:
            if isinstance(start, Start):
                started = core.jobs[start.job_id]
                end_us = now_us + started.estimate_us + late_us()
                heapq.heappush(due, (end_us, started.id, started))
        wake_us = NEVER_US if effects.wake_us is None else effects.wake_us + late_us()
        if due:
            now_us = max(now_us, min(wake_us, due[0][0]))
        inputs = []
        while due and due[0][0] <= now_us:
            end_us, _, ended = heapq.heappop(due)
            inputs.append(Exited(ended.id, ended.attempt, "n1", end_us, Outcome(Cause.EXIT, 0)))
    for one in waiting:
        assert one.start_us is not None
        if (reserved_us := one.record.reserved_us) is not None:
            assert one.start_us <= reserved_us + slip_us + 2 * LATE_US * len(jobs)


# ---------------------------------------------------------------- properties over many steps

NODES = ["n1", "n2", "n3"]

steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("submit"),
            st.integers(1, 5),
            st.integers(1, 3),
            st.booleans(),
            st.sampled_from([0, 300, 900]),
            st.integers(1, 50),
        ),
        st.tuples(st.just("exit"), st.integers(0, 50)),
        st.tuples(st.just("cancel"), st.integers(0, 50)),
        st.tuples(st.just("launched"), st.integers(0, 50)),
        st.tuples(st.sampled_from(["up", "suspect", "dead", "drain", "resume"]), st.integers(0, 2)),
        st.tuples(st.just("restart")),
    ),
    max_size=60,
)


class Harness:
    """Feeds a core as a daemon would and checks the invariants after every step."""

    def __init__(self, recipe: str) -> None:
        self.recipe = recipe
        self.now_us = 0
        self.next_id = 1
        self.ended: dict[int, JobState] = {}
        self.core = Core(parse_recipe(recipe), "nodes")
        self.feed([NodeUp(name, 4, 1000) for name in NODES])

    def feed(self, inputs: list[Input]) -> list[Decision]:
        self.now_us += SECOND_US
        effects = self.core.handle(self.now_us, inputs)
        for decision in effects.decisions:
            if isinstance(decision, End):
                assert decision.job_id not in self.ended
                assert decision.state.terminal
                self.ended[decision.job_id] = decision.state
        self.check()
        self.core.sanity_check()
        return effects.decisions

    def check(self) -> None:
        for name, node in self.core.nodes.items():
            assert 0 <= self.core.used_on(name).cores <= node.cores
            assert 0 <= self.core.used_on(name).mem_mib <= node.mem_mib
        for live in self.core.jobs.values():
            assert live.id not in self.ended
            assert (live.state is JobState.PENDING) == (not live.open_nodes)
        assert len(self.core.jobs) + len(self.ended) == self.next_id - 1

    def step(self, what: str, *with_: int) -> None:
        live = sorted(self.core.jobs.values(), key=lambda job: job.id)
        held = [job for job in live if job.open_nodes]
        if what == "submit":
            units, cores, spread, mem_mib, estimate_s = with_
            asked = job(
                self.next_id,
                units,
                cores,
                spread=bool(spread),
                mem_mib=mem_mib,
                estimate_s=estimate_s,
                user=f"u{self.next_id % 2}",
            )
            asked.submit_us = self.now_us
            if self.core.never_fits(asked.request) is None:
                self.next_id += 1
                self.feed([Submit(asked)])
        elif what == "exit" and held:
            one = held[with_[0] % len(held)]
            held_on = [piece.node for piece in one.holding()]
            node = held_on[with_[0] % len(held_on)]
            cause = one.stop_cause or Cause.EXIT
            self.feed([exited(one, node, self.now_us // SECOND_US, cause)])
        elif what == "cancel" and live:
            self.feed([Cancel(live[with_[0] % len(live)].id)])
        elif what == "launched" and held:
            one = held[with_[0] % len(held)]
            self.feed([Launched(one.id, one.attempt)])
        elif what in ("up", "suspect", "dead", "drain", "resume"):
            name = NODES[with_[0]]
            self.feed(
                [
                    {
                        "up": NodeUp(name, 4, 1000),
                        "suspect": NodeSuspect(name),
                        "dead": NodeDead(name),
                        "drain": Drain(name, "test"),
                        "resume": Resume(name),
                    }[what]
                ]
            )


def restored(core: Core, history: list[tuple[str, int, int, int, int]]) -> Core:
    """What a restart makes of the same facts."""
    again = Core(core.recipe, "nodes")
    nodes = [
        Node(n.name, n.cores, n.mem_mib, n.features, n.link, n.drain_reason)
        for n in core.nodes.values()
    ]
    again.restore(nodes, copy.deepcopy(list(core.jobs.values())), history, core.memory())
    return again


_LOSES_A_NODE_AS_IT_EXPIRES = [
    *[("submit", 1, 1, False, 0, 1), ("exit", 0)],
    *[("submit", 1, 1, False, 0, 1), ("submit", 1, 1, False, 0, 1), ("exit", 0)],
    *[("submit", 3, 1, True, 0, 1), ("suspect", 0), ("exit", 1)],
]


@settings(max_examples=150)
@example(_LOSES_A_NODE_AS_IT_EXPIRES, "timed-easy++,trial=1")
@given(
    steps,
    st.sampled_from(
        [
            "fcfs",
            "easy",
            "easy++",
            "conservative",
            "selective,threshold=2",
            "timed-easy,trial=3",
            "timed-easy++,trial=1",
            "timed-conservative,trial=2",
        ]
    ),
)
def test_invariants_hold_after_every_step(script, recipe) -> None:  # type: ignore[no-untyped-def]
    harness = Harness(recipe)
    for what, *with_ in script:
        if what == "restart":
            harness.core = restored(harness.core, [])
            harness.check()
            up = [n.name for n in harness.core.nodes.values() if n.link == "suspect"]
            harness.feed([NodeUp(name, 4, 1000) for name in up])
        else:
            harness.step(what, *with_)
    for name in NODES:
        harness.feed([Resume(name), NodeUp(name, 4, 1000)])
    while harness.core.jobs:
        held = [job for job in harness.core.jobs.values() if job.open_nodes]
        assert held, "jobs wait on an idle cluster that could hold them"
        harness.step("exit", 0)
    assert len(harness.ended) == harness.next_id - 1


@pytest.mark.parametrize("cause", [Cause.MEMORY, Cause.QUOTA])
def test_what_one_node_kills_for_what_it_used_there_ends_the_whole_job(cause: Cause) -> None:
    """Though its script, on the other node, ends in its own way; and it is not run again."""
    core, wide = cluster(), job(1, 2, 4, spread=True)
    core.handle(0, [Submit(wide)])
    core.handle(1, [Launched(1, 1)])
    told = Outcome(cause, message="it used too much on node n2")
    [stop] = core.handle(5, [Exited(1, 1, "n2", 5, told)]).decisions
    assert isinstance(stop, Stop)
    assert (stop.nodes, stop.cause) == (("n1",), cause)
    [end] = core.handle(6, [exited(wide, "n1", 6, code=137)]).decisions
    assert isinstance(end, End)
    assert wide.state is {
        Cause.MEMORY: JobState.OUT_OF_MEMORY, Cause.QUOTA: JobState.FAILED
    }[cause]  # fmt: skip
    assert wide.outcome is not None
    assert wide.outcome.message == told.message


def test_whoever_waits_behind_jobs_without_an_end_has_no_start() -> None:
    """Nor one that no database could hold."""
    core = Core(parse_recipe("conservative"), "counted")
    core.handle(0, [NodeUp("n1", 1, 0, ("real",))])
    chain = [job(number) for number in range(1, 1200)]
    for one in chain:
        one.estimate_us = one.prediction_us = UNLIMITED_US
    core.handle(SECOND_US, [Submit(one) for one in chain])
    assert chain[0].state is JobState.CONFIGURING
    assert all((one.record.reserved_us or 0) < NEVER_US for one in chain)
    core.handle(2 * SECOND_US, [exited(chain[0], "n1", 2)])
    assert chain[1].state is JobState.CONFIGURING


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.integers(1, 8)), max_size=60))
def test_what_is_free_is_that_of_the_nodes_that_are_up(
    changes: list[tuple[int, bool, int]],
) -> None:
    capacity = NodeCapacity()
    up: dict[str, bool] = {}
    cores: dict[str, int] = {}
    for number, available, count in changes:
        name = f"n{number}"
        cores[name], up[name] = count, available
        capacity.set_node(name, count, 0, ("real",))
        capacity.set_available(name, available)
        assert capacity.free == sum(cores[name] for name in up if up[name])
        placed = capacity.place(Request((Component(capacity.free or 1),)))
        assert (placed is not None) == any(up.values())
        if placed is not None:
            assert {piece.node for piece in placed} == {name for name in up if up[name]}


def calls_to_lose(nodes: int, recipe: str) -> int:
    """How many functions are called when all nodes are lost at once, each with a job."""
    core = cluster(recipe, nodes)
    core.handle(1, [Submit(job(at, cores=4)) for at in range(1, 2 * nodes + 1)])
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    names = list(core.nodes)
    sys.setprofile(count)
    try:
        core.handle(2, [one for name in names for one in (NodeDead(name), NodeGone(name))])
    finally:
        sys.setprofile(None)
    assert not core.nodes
    assert all(one.state is JobState.PENDING for one in core.jobs.values())
    return calls


@pytest.mark.parametrize("recipe", ["easy", "conservative", "timed-easy"])
def test_losing_many_nodes_costs_for_each_node_the_same(recipe: str) -> None:
    assert calls_to_lose(200, recipe) < 3 * calls_to_lose(100, recipe)


@pytest.mark.parametrize("recipe", ["fcfs", "easy", "conservative", "timed-easy"])
def test_a_node_that_comes_back_smaller_than_its_job_takes_nothing_from_others(
    recipe: str,
) -> None:
    core = cluster(recipe, nodes=1)
    core.handle(1, [NodeUp("shrinks", 1000, 1000)])
    core.handle(2, [Submit(job(1, cores=1000))])
    core.handle(3, [NodeUp("shrinks", 1, 1000)])
    core.handle(4, [Submit(waits := job(2))])
    assert [piece.node for piece in waits.allocation] == ["n1"]


class Growing(NodeCapacity):
    """A capacity that gives no number of a forgotten node to another one."""

    def forget_node(self, name: str) -> None:
        self.set_available(name, False)
        self.set_node(name, 0, 0, ())


def step_inputs(core: Core, step: tuple[str, int], known: int, now_s: int) -> list[Input]:
    """What happens to a core; `known` is how often something has happened to it before."""
    kind, number = step
    jobs, nodes = list(core.jobs.values()), list(core.nodes)
    match kind:
        case "up":
            features = ("emulated",) if number % 3 == 0 else ("real",)
            return [NodeUp(f"{'zyxw'[number % 4]}{known}", 1 + number % 5, 1000, features)]
        case "submit":
            new = job(known, 1 + number % 4, 1 + number % 2, estimate_s=5 + 10 * (number % 3))
            return [Submit(replace(new, user="ann" if number % 2 else "bob"))]
        case "replace" if nodes:
            name = nodes[number % len(nodes)]
            again = NodeUp(f"again{known}", 1 + number % 4, 1000, ("real",))
            return [NodeDead(name), NodeGone(name), again]
        case "cancel" if jobs:
            return [Cancel(jobs[number % len(jobs)].id)]
        case "end":
            return [
                exited(one, node, now_s)
                for one in jobs[number % 3 :]
                for node in sorted(one.open_nodes)
            ]
    return []


@pytest.mark.parametrize(
    "recipe", ["easy", "conservative", "timed-easy,trial=5", "timed-conservative,trial=5"]
)
@given(
    steps=st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(["up", "submit", "submit", "replace", "cancel", "end"]),
                st.integers(0, 60),
            ),
            min_size=1,
            max_size=4,
        ),
        max_size=25,
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_numbers_of_forgotten_nodes_are_used_again_and_nothing_else_changes(
    recipe: str, steps: list[list[tuple[str, int]]]
) -> None:
    reusing, growing = cluster(recipe), cluster(recipe)
    for core, kind in ((reusing, NodeCapacity), (growing, Growing)):
        assert type(core.capacity) is NodeCapacity
        core.capacity.__class__ = kind
    known, most = 10, 2
    for now_s, batch in enumerate(steps, 1):
        inputs: list[list[Input]] = [[], []]
        for step in batch:
            known += 1
            for core, of_core in zip((reusing, growing), inputs, strict=True):
                of_core += step_inputs(core, step, known, 4 * now_s)
        effects = [
            core.handle(4 * now_s * SECOND_US, of_core)
            for core, of_core in zip((reusing, growing), inputs, strict=True)
        ]
        assert effects[0].decisions == effects[1].decisions
        assert effects[0].wake_us == effects[1].wake_us
        assert reusing.capacity.free == growing.capacity.free
        most = max(most, len(reusing.nodes) + sum(type(one) is NodeGone for one in inputs[0]))
    assert isinstance(reusing.capacity, NodeCapacity)
    assert reusing.capacity.numbers <= most
