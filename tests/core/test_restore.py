"""A core that is rebuilt from what the daemon stores goes on as if nothing had happened."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import (
    WAITING,
    ClaimedPlace,
    Claiming,
    Expired,
    OnTrial,
    Phase,
    Preempted,
    Running,
    Stopping,
)
from rmsd_core.jobs.request import Piece, processors
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Effects, Promise, Unclaim
from rmsd_core.lifecycle.inputs import Exited, Input, NodeUp, Submit
from rmsd_core.machine.nodes import Node
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.records import Row, changing_columns, given_columns, job_of
from rmsd_lab.workloads.swf import TraceJob
from tests.core.rebuilding import rebuilt
from tests.core.strategies import traces
from tests.core.world import (
    Cluster,
    World,
    clusters,
    conditions_of,
    drawn_conditions,
    recipe_texts,
)
from tests.jobs import attempt_on

_END_S = 300
"""The time by which drains have ended."""


disturbances = st.lists(
    st.tuples(
        st.integers(0, _END_S),
        st.sampled_from(
            ["cancel", "drain", "resume", "hold", "release", "put-back", "put-back-held", "update"]
        ),
        st.integers(0, 30),
    ),
    max_size=8,
)


@pytest.mark.long  # 300 examples, each with two cores
@settings(max_examples=300, deadline=None)
@given(
    traces,
    drawn_conditions,
    clusters,
    recipe_texts,
    st.integers(0, 40),
    disturbances,
    st.dictionaries(st.integers(0, 30), st.integers(0, 100)),
)
def test_a_rebuilt_core_decides_the_same(
    trace: list[TraceJob],
    conditions: list[Any],
    cluster: Cluster,
    text: str,
    steps: int,
    disturbed: list[tuple[int, str, int]],
    may_wait_s: dict[int, int],
) -> None:
    """The core is rebuilt after so many steps, in the middle of trials, kills, claims, plans,
    conditions and deadlines."""
    recipe = parse_recipe(text)
    if recipe.why_not_live():
        return
    core = Core(recipe, cluster.capacity)
    world = World(trace, cluster, [core], conditions_of(conditions), may_wait_s)
    names = list(cluster.nodes)
    for at_s, kind, which in disturbed:
        of_node = kind in ("drain", "resume")
        target = names[which % len(names)] if of_node else which % len(trace)
        world.expect(at_s * SECOND_US, kind, target)
    for at in range(len(trace)):
        world.expect(_END_S * SECOND_US, "release", at)
    for name in names:
        world.expect(_END_S * SECOND_US, "resume", name)
    now_us = passes = 0
    world.feed(now_us, [("up", ())])
    while world.next_us is not None:
        if steps <= 0 and core.jobs and core.passes > passes:  # a pass has left a plan
            break
        passes = core.passes
        now_us = world.step()
        steps -= 1
    world.cores.append(rebuilt(world))
    world.feed(now_us, [("up", ())])  # a change of capacity for the one is one for the other
    while world.next_us is not None:
        assert world.decided[0] == world.decided[1]
        world.step()
    assert world.decided[0] == world.decided[1]
    assert [one.jobs for one in world.cores] == [{}, {}]


_PLACE = (Piece("n1", 1, 0),)
_ATTEMPT = attempt_on()
_CLAIM = ClaimedPlace(_PLACE, frozenset({7}))
_OF_A_TRIAL = _CLAIM._replace(kind="trial", trial_end_us=9)


@pytest.mark.parametrize(
    ("recipe", "before", "after"),
    [
        ("timed-easy", Expired(_ATTEMPT, 9), OnTrial(_ATTEMPT, 9)),
        ("timed-easy", Claiming(_CLAIM), WAITING),
        ("timed-easy", Claiming(_OF_A_TRIAL), WAITING),
        ("timed-easy", Preempted(_ATTEMPT, _CLAIM), Preempted(_ATTEMPT)),
        ("easy", Claiming(_OF_A_TRIAL), WAITING),
        ("easy", OnTrial(_ATTEMPT, 9), Running(_ATTEMPT)),
        ("easy", Expired(_ATTEMPT, 9), Running(_ATTEMPT)),
        ("easy", Preempted(_ATTEMPT, _CLAIM), Stopping(_ATTEMPT, Cause.TRIAL)),
        ("easy", Stopping(_ATTEMPT, Cause.USER, True), Stopping(_ATTEMPT, Cause.USER)),
        ("easy", Running(_ATTEMPT), Running(_ATTEMPT)),
    ],
)
def test_a_restore_ends_what_cannot_go_on(recipe: str, before: Phase, after: Phase) -> None:
    """Job 7, which the claims await, is gone. A trial that never began is still to come."""
    core = Core(parse_recipe(recipe))
    job = Job(1, "ann", 0, processors(1), 5, prediction_us=5, expected_end_us=6)
    job.tried, job.phase = True, before
    core.restore([Node("n1", 4, 0, link="suspect")], [job], [])
    assert job.phase == after
    assert job.tried == (before != Claiming(_OF_A_TRIAL))
    core.sanity_check()
    had_claim = isinstance(before, Claiming) or (isinstance(before, Preempted) and before.claim)
    decided = core.handle(10, [])
    assert decided.decisions == ((Unclaim(1),) if had_claim else ())
    assert not had_claim or 1 in decided.changed  # the job's row is stored then
    assert core.handle(11, []).decisions == ()


def test_a_job_that_no_node_can_hold_becomes_urgent_over_a_restart_as_well() -> None:
    core = Core(parse_recipe("easy,starve=virtual-easy,fraction=1,floor=5"))
    core.handle(0, [NodeUp("n1", 4, 0), Submit(_job(1, 8, 10))])
    again = Core(core.recipe)
    nodes = [replace(one) for one in core.nodes.values()]
    again.restore(nodes, core.jobs.values(), [], core.memory())
    urgent = again.handle(6 * SECOND_US, [NodeUp("n1", 4, 0)]).decisions
    assert urgent == (Promise(1, None, 6 * SECOND_US),)


def test_a_claim_that_a_recipe_without_trials_has_dropped_stays_dropped() -> None:
    """Job 4 starts in the place of the claim, before a third core has trials again."""
    core, rows = Core(parse_recipe("timed-easy,trial=5")), dict[int, Row]()
    node = NodeUp("n1", 10, 0, ("real",))

    def feed(now_s: int, *inputs: Input) -> Effects:
        effects = core.handle(now_s * SECOND_US, inputs)
        for job in map(core.job, effects.changed):
            rows[job.id] = given_columns(job, Details("job")) | changing_columns(job)
        return effects

    def restart(recipe: str) -> Core:
        again, stored = Core(parse_recipe(recipe)), json.loads(json.dumps(list(rows.values())))
        jobs = [job_of(row)[0] for row in stored if row["live"]]
        again.restore([replace(one) for one in core.nodes.values()], jobs, [], core.memory())
        return again

    feed(0, node, *[Submit(_job(*one)) for one in ((1, 4, 100), (2, 4, 1000), (3, 5, 100))])
    feed(1, Submit(_job(5, 2, 1000, restartable=True)))
    feed(6)
    feed(50, Exited(1, 1, "n1", 50 * SECOND_US, Outcome(Cause.EXIT, 0)))
    assert core.jobs[3].awaits == {5}
    core = restart("easy")
    assert feed(51, node).decisions == (Unclaim(3),)
    feed(52, Submit(_job(4, 4, 10)))
    assert core.jobs[4].open_nodes
    core = restart("timed-easy,trial=5")
    feed(53, node)
    feed(54, Exited(5, 1, "n1", 54 * SECOND_US, Outcome(Cause.TRIAL)))
    assert core.used_on("n1").cores <= 10
    assert not core.jobs[3].open_nodes


def _job(number: int, cores: int, estimate_s: int, *, restartable: bool = False) -> Job:
    request = processors(cores)
    return Job(number, "ann", 0, request, estimate_s * SECOND_US, restartable=restartable)
