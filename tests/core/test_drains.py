"""Drains of nodes, and what a call that hears of one says of the node's failures."""

from __future__ import annotations

import pytest

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Failures
from rmsd_core.lifecycle.inputs import (
    Drain,
    Exited,
    Input,
    NodeDead,
    NodeGone,
    NodeUp,
    Resume,
    Submit,
)
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, Fault


@pytest.mark.parametrize(
    ("heard", "reason"), [(Resume("n1", "root"), None), (Drain("n1", "a test", "root"), "a test")]
)
def test_failures_tell_the_drain_that_an_operator_leaves(heard: Input, reason: str | None) -> None:
    """The node was drained for two failed launches in the call that heard of an operator's word. In
    the record the failures come last, and told a drain that was over."""
    core = Core(parse_recipe("easy"), "nodes", drain_after=2)
    jobs = [Job(at, f"u{at}", 0, processors(1), SECOND_US) for at in (1, 2)]
    core.handle(0, [NodeUp("n1", 2, 0), *map(Submit, jobs)])
    failed = Outcome(Cause.LAUNCH, fault=Fault.NODE)
    effects = core.handle(1, [*(Exited(at, 1, "n1", 1, failed) for at in (1, 2)), heard])
    told = [one for one in effects.decisions if isinstance(one, Failures)]
    assert len(told) > 1
    assert {(one.drain_reason, one.drain_by) for one in told} == {(reason, "root")}
    assert core.nodes["n1"].drain_reason == reason


def test_nothing_is_told_of_the_failures_of_a_node_that_is_forgotten() -> None:
    """A node of the same name comes in the same call. In the record the failures come last, and
    told a drain of it."""
    core = Core(parse_recipe("easy"), "nodes", drain_after=1)
    core.handle(0, [NodeUp("n1", 2, 0), Submit(Job(1, "u1", 0, processors(1), SECOND_US))])
    failed = Outcome(Cause.LAUNCH, fault=Fault.NODE)
    core.handle(1, [Exited(1, 1, "n1", 1, failed)])
    assert core.nodes["n1"].failures
    core.handle(2, [NodeDead("n1")])
    effects = core.handle(3, [NodeGone("n1"), NodeUp("n1", 2, 0)])
    assert not any(isinstance(one, Failures) for one in effects.decisions)
    assert core.nodes["n1"].drain_reason is None
