"""Jobs of higher tiers preempt running jobs of lower ones, and no others do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.accounts import Policies, QosPolicy
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import (
    WAITING,
    ClaimedPlace,
    Claiming,
    Expired,
    Phase,
    Running,
    Stopping,
)
from rmsd_core.jobs.request import Component, Piece, Request, processors
from rmsd_core.lifecycle import preemption, victims
from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.effects import Await, Claim, Decision, End, Start, Stop, Unclaim
from rmsd_core.lifecycle.inputs import Input, NodeUp, SetPolicies, Submit
from rmsd_core.machine.nodes import Node
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import FOR_HIGHER_TIERS, Cause
from rmsd_lab.workloads.swf import TraceJob
from tests.core.divided import EXEMPT_US, NAMES, NODES, PARTITIONS, Divided, recipes
from tests.core.rebuilding import rebuilt
from tests.core.strategies import traces
from tests.core.world import Cluster
from tests.jobs import attempt_on

TIERS = {one.name: one.tier for one in PARTITIONS}


disturbances = st.lists(
    st.tuples(
        st.integers(0, 300), st.sampled_from(["cancel", "put-back", "drain"]), st.integers(0, 30)
    ),
    max_size=4,
)


class _Claims:
    """The places that jobs have claimed, and which jobs they still await there."""

    def __init__(self) -> None:
        self.awaits: dict[int, frozenset[int]] = {}

    def follow(self, core: Core, decided: list[Decision]) -> None:
        for one in decided:
            if isinstance(one, Claim):
                self.awaits[one.job_id] = one.awaits
            elif isinstance(one, Await):
                self.awaits[one.job_id] -= one.left
            elif isinstance(one, Unclaim | Start | End):
                self.awaits.pop(one.job_id, None)
        for job_id, awaits in self.awaits.items():
            assert awaits
            assert all(core.jobs[other].draining for other in awaits), f"job {job_id} is forgotten"


@pytest.fixture(scope="module", params=["whole", "cut"])
def most_looks(request: pytest.FixtureRequest) -> Iterator[int]:
    """Yield the bound of a pass. If there is one, each preemption takes as many calls as it can."""
    if request.param == "whole":
        yield NEVER_US
        return
    with pytest.MonkeyPatch.context() as patch:
        for bound in ("FEW_JOBS", "ENDS_OF_A_PORTION", "MOST_PORTIONS"):
            patch.setattr(preemption, bound, 1)
        patch.setattr(victims, "PORTION", 1)
        yield 10**6


@settings(max_examples=8)
@given(traces, recipes, st.sampled_from([0, 1, 7]), disturbances, st.integers(1, 60))
def test_jobs_are_preempted_for_higher_tiers_alone(
    most_looks: int,
    trace: list[TraceJob],
    recipe: str,
    exit_s: int,
    disturbed: list[tuple[int, str, int]],
    steps: int,
) -> None:
    """Each kill is for a job of a higher tier that claims what it awaits, and starts there once all
    of that is free. So it is over a restart after so many steps. `World.feed` checks after each
    call that the core does not contradict itself, and that all that changed is told."""
    trace = [job._replace(size=min(job.size, 4)) for job in trace]
    core = Core(parse_recipe(recipe), partitions=PARTITIONS, most_looks=most_looks)
    world = Divided(trace, Cluster("nodes", NODES, exit_s), [core], names=NAMES)
    for at_s, kind, which in disturbed:
        target = f"n{which % 3 + 1}" if kind == "drain" else which % len(trace)
        world.expect(at_s * SECOND_US, kind, target)
    for name in NODES:
        world.expect(300 * SECOND_US, "resume", name)
    world.feed(0, [("up", ())])
    begun: dict[int, tuple[int, str]] = {}
    claims = _Claims()
    for step in range(3000):
        if world.next_us is None:
            break
        now_us = world.step()
        decided = list(world.decided[0][:-1])
        if step == steps and core.recipe.why_not_live() is None:
            core = rebuilt(world, PARTITIONS)
            world.cores = [core]
            world.feed(now_us, [("up", ())])
            decided += world.decided[0][:-1]
        _check_stops(decided, begun, world, now_us, is_whole=most_looks == NEVER_US)
        claims.follow(core, decided)
    assert not core.jobs


def _check_stops(
    decided: list[Decision],
    begun: dict[int, tuple[int, str]],
    world: Divided,
    now_us: int,
    *,
    is_whole: bool,
) -> None:
    """Check the kills of a call. `is_whole`: whether the claim that they are for is among its
    decisions, and not perhaps among those of a later call."""
    claims = [one for one in decided if isinstance(one, Claim)]
    for one in decided:
        if isinstance(one, Start):
            begun[one.job_id] = now_us, world.stored[one.job_id]["partition"]
        elif isinstance(one, Stop) and one.cause in FOR_HIGHER_TIERS:
            start_us, partition = begun[one.job_id]
            assert partition in ("requeue", "high", "cancel")
            assert (one.cause is Cause.PREEMPT) == (partition == "cancel")
            assert partition != "cancel" or now_us - start_us >= EXEMPT_US
            assert partition == "cancel" or one.job_id % 5 != 3  # may be restarted
            if not is_whole:
                continue
            first = next(claim for claim in claims if one.job_id in claim.awaits)
            lowest = min(TIERS[name] for name in NAMES[first.job_id % len(NAMES)])
            assert lowest > TIERS[partition]


QOS = (
    QosPolicy("low", preempts=()),
    QosPolicy("cheap", preempt="cancel", preempt_exempt_us=EXEMPT_US),
    QosPolicy("high", preempts=("low", "cheap")),
    QosPolicy("highest", preempts=("high", "low")),
    QosPolicy("never", preempt="off"),
    QosPolicy("any", preempts=("never", "low")),
)
PREEMPTED_BY = {one.name: one.preempts for one in QOS}


@dataclass
class _OfQos(Divided):
    """A world whose jobs are of the QOS in turn, which are set at some time."""

    def inputs(self, kind: str, what: tuple[object, ...], now_us: int) -> list[Input]:
        if kind == "policies":
            return [SetPolicies(Policies((), QOS))]
        inputs = super().inputs(kind, what, now_us)
        for item in inputs:
            if isinstance(item, Submit):
                item.job.qos = QOS[item.job.id % len(QOS)].name
        return inputs


@settings(max_examples=8)
@given(
    traces,
    recipes,
    st.sampled_from([0, 7]),
    st.sampled_from(["divided", "nodes", "counted"]),
    st.integers(0, 100),
)
def test_jobs_are_preempted_for_qos_that_preempt_theirs_alone(
    trace: list[TraceJob], recipe: str, exit_s: int, kind: str, set_at_s: int
) -> None:
    """The cluster is divided into partitions, or has nodes alone, or counts processors."""
    trace = [job._replace(size=min(job.size, 4)) for job in trace]
    divided = kind == "divided"
    partitions = [one._replace(preempt="off") for one in PARTITIONS] if divided else []
    capacity: CapacityKind = "counted" if kind == "counted" else "nodes"
    core = Core(parse_recipe(recipe), capacity, partitions=partitions)
    names = NAMES if divided else ((),)
    world = _OfQos(trace, Cluster(capacity, NODES, exit_s), [core], names=names)
    world.expect(set_at_s * SECOND_US, "policies")
    world.feed(0, [("up", ())])
    begun: dict[int, int] = {}
    qos_of = {number: QOS[number % len(QOS)].name for number in range(len(trace) + 1)}
    for _ in range(3000):
        if world.next_us is None:
            break
        now_us = world.step()
        decided = list(world.decided[0][:-1])
        claims = [one for one in decided if isinstance(one, Claim)]
        for one in decided:
            if isinstance(one, Start):
                begun[one.job_id] = now_us
            elif isinstance(one, Stop) and one.cause in FOR_HIGHER_TIERS:
                own = qos_of[one.job_id]
                assert (one.cause is Cause.PREEMPT) == (own == "cheap")
                assert own != "cheap" or now_us - begun[one.job_id] >= EXEMPT_US
                first = next(claim for claim in claims if one.job_id in claim.awaits)
                assert own in PREEMPTED_BY[qos_of[first.job_id]]
                assert own != "never"
    assert not core.jobs


@pytest.mark.parametrize("capacity", ["nodes", "counted"])
def test_what_several_jobs_gave_up_is_taken_whole(capacity: CapacityKind) -> None:
    """The head claims what all of them still hold, and nothing is left over for others."""
    core = Core(parse_recipe("easy"), capacity)
    core.handle(0, [NodeUp("n1", 4, 1000), SetPolicies(Policies((), QOS))])
    jobs = [_job_of(1, "low", 1), _job_of(2, "low", 3), _job_of(3, "high", 4), _job_of(4, "low", 1)]
    core.handle(0, [Submit(job) for job in jobs[:2]])
    decided = core.handle(SECOND_US, [Submit(job) for job in jobs[2:]]).decisions
    claimed = [one for one in decided if isinstance(one, Claim)]
    assert [(one.job_id, one.awaits) for one in claimed] == [(3, {1, 2})]
    assert core.capacity.free == 0
    core.sanity_check()


def _job_of(number: int, qos: str, size: int) -> Job:
    job = Job(number, "ann", 0, Request((Component(size),)), 60 * SECOND_US)
    job.qos = qos
    return job


_ATTEMPT = attempt_on()
_CLAIM = ClaimedPlace((Piece("n1", 1, 0),), frozenset({2}))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Expired(_ATTEMPT, 9), Running(_ATTEMPT)),
        (Claiming(_CLAIM), Claiming(_CLAIM)),
        (Claiming(_CLAIM._replace(kind="trial")), WAITING),
    ],
)
def test_a_recipe_without_trials_restores_claims_and_no_trials(before: Phase, after: Phase) -> None:
    """Job 2 was being preempted when the daemon was killed. The recipe had trials before."""
    core = Core(parse_recipe("easy"), partitions=PARTITIONS)
    job = Job(1, "ann", 0, processors(1), 5, prediction_us=5, expected_end_us=6)
    other = Job(2, "ann", 0, processors(1), 5, prediction_us=5)
    job.tried, job.phase = True, before
    other.phase = Stopping(attempt_on(), Cause.DISPLACE, draining=True)
    core.restore([Node("n1", 4, 0, link="suspect")], [job, other], [])
    assert job.phase == after
    assert other.draining
    core.sanity_check()
