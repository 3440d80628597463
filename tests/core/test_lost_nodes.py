"""Nodes are lost, leave, come back smaller or are drained, and the core's jobs go on."""

from __future__ import annotations

import sys

import pytest

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.lifecycle.effects import End, Requeue, Start, Stop
from rmsd_core.lifecycle.inputs import (
    Cancel,
    Drain,
    Exited,
    Input,
    NodeDead,
    NodeGone,
    NodeLeaving,
    NodeSuspect,
    NodeUp,
    Resume,
    Submit,
)
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import Cause, JobState
from tests.core.small_cluster import cluster, exited, job, kinds


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
    "news",
    [
        NodeUp("n1", 2, 8000, ()),
        NodeUp("n1", 4, 8000, (), unable="its disk is full"),
        Drain("n1", "new disk"),
        NodeLeaving("n1"),
    ],
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


def calls_to_lose(nodes: int, recipe: str) -> int:
    """Return how many functions are called when all nodes are lost at once, each with a job."""
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
