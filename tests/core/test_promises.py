"""Starts that the core has planned are kept, and no other job delays them."""

from __future__ import annotations

import heapq
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Start
from rmsd_core.lifecycle.inputs import Exited, Input, NodeUp, Submit
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import NEVER_US, SECOND_US, UNLIMITED_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, JobState
from tests.core.small_cluster import cluster, exited, job


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
    no job is later than promised by more than that and the slip. A job that fits into the second
    that a plan gives an overdue job may start in it, so that others wait up to a second more."""

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


def test_whoever_waits_behind_jobs_without_an_end_has_no_start() -> None:
    """No job has a start that no database could hold, either."""
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


@pytest.mark.parametrize("partitions", [(), (Partition("p"),)])
def test_a_job_that_starts_at_once_was_promised_nothing(partitions: tuple[Partition, ...]) -> None:
    """A live daemon hears of a submit some microseconds later, and the start is no reserved one."""
    core = Core(parse_recipe("easy"), "nodes", partitions=partitions)
    core.handle(0, [NodeUp("n1", 4, 0)])

    def submitted(job_id: int, at_us: int, cores: int) -> Job:
        partition = partitions[0].name if partitions else None
        request = Request((Component(1, cores, partition=partition),))
        return Job(job_id, "ann", at_us, request, 100 * SECOND_US)

    first, second, third = submitted(1, 10, 4), submitted(2, 20, 2), submitted(3, 30, 2)
    core.handle(15, [Submit(first)])
    core.handle(35, [Submit(second), Submit(third)])
    core.handle(40 * SECOND_US, [exited(first, "n1", 40)])
    promised = [one.record.reserved_us for one in (first, second, third)]
    assert promised == [None, 15 + 100 * SECOND_US, 40 * SECOND_US]
    assert third.attempt == 1
