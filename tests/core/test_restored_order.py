"""A core that was restored decides what the core before would have decided, in the same order."""

from __future__ import annotations

from dataclasses import replace

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Avoid, Promise
from rmsd_core.lifecycle.inputs import Drain, Exited, Input, NodeUp, Resume, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.starvation import Promotions
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, Fault
from tests.core.small_cluster import cluster, exited, job

_URGENT = "easy,order=wfp3,starve=virtual-easy,fraction=0.5,floor=20"


def _restored(core: Core) -> Core:
    """Return a core that takes up where this one is, from what is stored."""
    again = Core(core.recipe, "nodes")
    nodes = [replace(node) for node in core.nodes.values()]
    again.restore(nodes, list(core.jobs.values()), [], core.memory())
    again.pass_over_seqs(core.next_seq)
    return again


def test_a_resumed_node_is_forgiven_by_jobs_in_the_order_of_their_numbers() -> None:
    """The order in which it had refused them is not stored."""
    core = cluster(nodes=2, cores=1)
    refused = Outcome(Cause.LAUNCH, fault=Fault.NODE)
    for number in (2, 1):
        core.handle(0, [Submit(job(number))])
        assert [piece.node for piece in core.jobs[number].allocation] == ["n1"]
        core.handle(0, [Exited(number, 1, "n1", 0, refused)])
    decided = core.handle(0, [Resume("n1")]).decisions
    assert [one.job_id for one in decided if isinstance(one, Avoid)] == [1, 2]


def test_jobs_that_no_available_node_can_hold_become_urgent_after_a_restart_too() -> None:
    core = cluster(_URGENT, nodes=1, cores=4)
    first, second = job(1, 4, estimate_s=10), job(2, 4, estimate_s=10)
    core.handle(0, [Submit(first), Submit(second)])
    core.handle(SECOND_US, [Drain("n1", "a test")])
    core.handle(5 * SECOND_US, [exited(first, "n1", 5)])
    restored = _restored(core)
    up: list[Input] = [NodeUp("n1", 4, 1000, ("real",))]
    restored.handle(5 * SECOND_US, up)
    promised = restored.handle(60 * SECOND_US, [Submit(job(3))]).decisions
    urgent = [one.job_id for one in promised if isinstance(one, Promise) and one.promoted_us]
    assert 2 in urgent


def test_jobs_that_two_passes_of_one_instant_promote_keep_the_order_of_the_passes() -> None:
    """Job 1 arrived sooner, and is promoted by the second pass."""
    first, second = job(1, estimate_s=10), job(2, estimate_s=10)
    first.seq, second.seq = 1, 2
    first.prediction_us = second.prediction_us = 10 * SECOND_US
    starvation = parse_recipe("selective,threshold=2").starvation
    promotions, restored = Promotions(starvation), Promotions(starvation)
    promotions.watch(second)
    assert promotions.promote_due(60 * SECOND_US) == [second]
    promotions.watch(first)
    assert promotions.promote_due(60 * SECOND_US) == [first]
    assert list(promotions.promoted()) == [second, first]
    for one in (first, second):
        restored.watch(one)
    assert list(restored.promoted()) == [second, first]
