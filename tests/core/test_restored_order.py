"""A core that was restored decides what the core before would have decided, in the same order."""

from __future__ import annotations

from dataclasses import replace

from rmsd_core.jobs.accounts import NO_POLICIES, JobLimits, Policies, QosPolicy
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.conditions import Conditions, Dependency
from rmsd_core.jobs.phase import Ineligible
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Admit, Avoid, Promise
from rmsd_core.lifecycle.inputs import Drain, Exited, Input, NodeUp, Resume, SetPolicies, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.starvation import Promotions
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, Fault, Relation
from tests.core.small_cluster import cluster, exited, job

_URGENT = "easy,order=wfp3,starve=virtual-easy,fraction=0.5,floor=20"


def _restored(core: Core, policies: Policies = NO_POLICIES) -> Core:
    """Return a core that takes up where this one is, from what is stored."""
    again = Core(core.recipe, "nodes", policies=policies)
    nodes = [replace(node) for node in core.nodes.values()]
    again.restore(nodes, [job.copied() for job in core.jobs.values()], [], core.memory())
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
    for one in (second, first):
        promotions.watch(one)
        assert promotions.due(60 * SECOND_US) == [one]
        promotions.promote([one], 60 * SECOND_US)
    assert list(promotions.promoted()) == [second, first]
    for one in (first, second):
        restored.watch(one)
    assert list(restored.promoted()) == [second, first]


def test_who_awaits_no_name_is_looked_at_in_its_turn_after_a_singleton_too() -> None:
    """A core that has had a singleton knows the names of all jobs, and a restored one does not."""
    core = cluster(nodes=1, cores=8)
    conditions = {
        1: (),
        2: (Dependency(Relation.AFTER_NOT_OK, 1),),
        3: (Dependency(Relation.AFTER_ANY, 2),),
        4: (Dependency(Relation.AFTER_OK, 1),),
        5: (Dependency(Relation.SINGLETON),),
    }
    for number, dependencies in conditions.items():
        one = job(number)
        one.name = "same" if number in (1, 3) else f"name-{number}"
        if dependencies:
            one.phase = Ineligible(Conditions(dependencies=dependencies, ends_if_never=True))
        core.handle(0, [Submit(one)])
    assert [core.jobs[number].attempt for number in (1, 5)] == [1, 1]
    up = NodeUp("n1", 8, 1000, ("real",))
    end = exited(core.jobs[1], "n1", 1)
    restored = _restored(core)
    for each in (core, restored):
        decided = each.handle(SECOND_US, [up, end]).decisions
        assert [one.job_id for one in decided if isinstance(one, Admit)] == [4, 3]


def test_a_job_that_a_limit_refuses_is_not_promoted_in_a_pass_that_meets_it_first() -> None:
    """No earlier pass had looked at the job, since there were no processors. A restored core holds
    it back from the beginning."""
    policies = Policies((), (QosPolicy("one", JobLimits(max_running_per_user=1)),))
    core = cluster("selective,threshold=2", nodes=1, cores=2)
    core.handle(0, [SetPolicies(policies)])
    jobs = [job(number, 2, estimate_s=10) for number in (1, 2)]
    for one in jobs:
        one.qos = "one"
    core.handle(0, [Submit(one) for one in jobs])
    restored = _restored(core, policies)
    for each in (core, restored):
        decided = each.handle(100 * SECOND_US, [NodeUp("n1", 2, 1000, ("real",))]).decisions
        assert not any(isinstance(one, Promise) and one.job_id == 2 for one in decided)
        assert each.reason(each.jobs[2]) == "QOSMaxJobsPerUserLimit"
