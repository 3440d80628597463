"""The life of a job in the core: its start, its end and its cancel."""

from __future__ import annotations

import pytest

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Effects, End, Requeue, Start, Stop
from rmsd_core.lifecycle.inputs import Cancel, Exited, Launched, NodeUp, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.planner import Planner
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, JobState
from tests.core.small_cluster import cluster, exited, job, kinds


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
    """By LXF the search is a walk over the queue, and a list asks for the reason of every job in
    it."""
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


def test_what_ends_while_its_other_nodes_are_being_killed_for_a_trial_runs_again() -> None:
    core = cluster("timed-easy,trial=10", nodes=2)
    core.handle(0, [Submit(wide := job(1, 2, 4, spread=True, estimate_s=600))])
    core.handle(20 * SECOND_US, [Submit(job(2, 1, 4))])
    core.handle(21 * SECOND_US, [exited(wide, "n1", 21, code=1)])
    core.handle(22 * SECOND_US, [exited(wide, "n2", 22, Cause.TRIAL)])
    assert wide.state is JobState.PENDING


@pytest.mark.parametrize("cause", [Cause.MEMORY, Cause.QUOTA])
def test_what_one_node_kills_for_what_it_used_there_ends_the_whole_job(cause: Cause) -> None:
    """The job is over although its script, on the other node, ends in its own way. The job is not
    run again."""
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
