"""Whole nodes, all memory and devices, with every kind of planner."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.gres import Amounts, Demands, Share, serves
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Piece, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Stop
from rmsd_core.lifecycle.inputs import Exited, NodeUp, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause
from tests.core.strategies import OF_EACH_PLAN

GPUS = (Share("gpu:a", 2, (0, 1)), Share("gpu:b", 2, (2, 3)))
NODES = {
    "n1": NodeUp("n1", 8, 8000, ("real",), GPUS),
    "n2": NodeUp("n2", 4, 4000, ("real",), (Share("gpu:a", 4, (0, 1, 2, 3)),)),
    "n3": NodeUp("n3", 4, 2000, ("real",), (Share("fpga", 1, (0,)),)),
    "n4": NodeUp("n4", 6, 6000, ("real",)),
}


class Site:
    """A core whose decisions are checked as they are taken."""

    def __init__(self, recipe: str) -> None:
        self.core = Core(parse_recipe(recipe), "nodes")
        self.ends: dict[tuple[int, int], int] = {}
        self.core.handle(0, list(NODES.values()))

    def call(self, now_us: int, inputs: list[Submit | Exited]) -> None:
        answer = self.core.handle(now_us, inputs)
        self.core.sanity_check()
        check(self.core)
        for decision in answer.decisions:
            if isinstance(decision, Stop):
                self.ends[decision.job_id, decision.attempt] = now_us

    def run(self, jobs: list[tuple[int, Job, int]]) -> list[int]:
        """Submit the jobs at their times, end them after their run times, and return the numbers
        in the order of their starts."""
        runs_us = {job.id: run_us for _, job, run_us in jobs}
        coming, now_us, started = sorted(jobs, key=lambda one: one[0]), 0, []
        while coming or self.core.jobs:
            inputs: list[Submit | Exited] = []
            for job in list(self.core.jobs.values()):
                if job.start_us is None or not job.open_nodes:
                    continue
                stopped_us = self.ends.get((job.id, job.attempt))
                end_us = job.start_us + runs_us[job.id]
                cause = Cause.EXIT if stopped_us is None or end_us <= stopped_us else Cause.TRIAL
                if end_us <= now_us or stopped_us is not None:
                    inputs += [
                        Exited(job.id, job.attempt, node, now_us, Outcome(cause, 0))
                        for node in sorted(job.open_nodes)
                    ]
            while coming and coming[0][0] <= now_us:
                inputs.append(Submit(coming.pop(0)[1]))
            before = {job.id for job in self.core.jobs.values() if job.open_nodes}
            self.call(now_us, inputs)
            started += sorted(
                job.id for job in self.core.jobs.values() if job.open_nodes and job.id not in before
            )
            now_us += SECOND_US
            assert now_us < 20_000 * SECOND_US, "jobs wait for ever"
        return started


def check(core: Core) -> None:
    """Check that nothing is given twice."""
    given: Counter[tuple[str, str, int]] = Counter()
    cores: Counter[str] = Counter()
    mem_mib: Counter[str] = Counter()
    alone: set[str] = set()
    holders: Counter[str] = Counter()
    for job in core.jobs.values():
        needs = job.request.components[0].needs
        for piece in job.holding():
            node = NODES[piece.node]
            cores[piece.node] += piece.cores
            mem_mib[piece.node] += piece.mem_mib
            holders[piece.node] += 1
            for share in piece.gres:
                assert len(share.numbers) == share.amount
                kind = next(one for one in node.gres if one.kind == share.kind)
                assert set(share.numbers) <= set(kind.numbers)
                name = share.kind.partition(":")[0]
                given.update((piece.node, name, number) for number in share.numbers)
            if needs is not None:
                assert_served(needs, piece, node)
                alone |= {piece.node} if needs.exclusive else set()
    assert not [device for device, times in given.items() if times > 1], "a device is given twice"
    assert not [name for name in alone if holders[name] > 1], "a whole node is shared"
    assert all(cores[name] <= node.cores for name, node in NODES.items())
    assert all(mem_mib[name] <= node.mem_mib for name, node in NODES.items())


def assert_served(needs: Demands, piece: Piece, node: NodeUp) -> None:
    if needs.exclusive:
        assert piece.cores == node.cores
    if needs.all_mem:
        assert piece.mem_mib == node.mem_mib
    for kind, count in needs.all_gres:
        assert sum(one.amount for one in piece.gres if serves(one.kind, kind)) >= count


def some_needs(rng: random.Random) -> Demands | None:
    gres: Amounts = ((rng.choice(("gpu", "gpu:a", "gpu:b", "fpga")), rng.choice((1, 1, 2))),)
    if gres[0][0] == "fpga":
        gres = (("fpga", 1),)
    return rng.choice(
        (
            None,
            None,
            Demands(exclusive=True, all_mem=True),
            Demands(all_mem=True),
            Demands(node_gres=gres),
            Demands(unit_gres=gres),
            Demands(unit_mem=True),
            Demands(unit_gres=gres, unit_mem=True),
            Demands(exclusive=True, all_mem=True, node_gres=gres),
        )
    )


def some_job(number: int, rng: random.Random, core: Core) -> Job:
    while True:
        spread = rng.random() < 0.4
        component = Component(
            rng.choice((1, 1, 2, 3)),
            rng.choice((1, 1, 2, 4)),
            rng.choice((0, 0, 500, 1500)),
            spread,
            needs=some_needs(rng),
        )
        request = Request((component,))
        if core.never_fits(request) is None:
            break
    estimate_us = rng.randint(1, 60) * SECOND_US
    return Job(number, rng.choice(("ann", "bob")), 0, request, estimate_us)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", OF_EACH_PLAN)
def test_no_device_is_given_twice_and_no_whole_node_is_shared(recipe: str, fresh_seed: int) -> None:
    rng = random.Random(fresh_seed)
    site = Site(recipe)
    jobs = []
    for number in range(1, 80):
        job = some_job(number, rng, site.core)
        job.submit_us = rng.randint(0, 200) * SECOND_US
        jobs.append((job.submit_us, job, rng.randint(1, job.estimate_us // SECOND_US) * SECOND_US))
    started = site.run(jobs)
    assert set(started) == {job.id for _, job, _ in jobs}


def started_on(request: Component, *, before: tuple[Component, ...] = ()) -> list[Piece]:
    core = Core(parse_recipe("easy"), "nodes")
    core.handle(0, list(NODES.values()))
    jobs = [
        Job(at, "ann", 0, Request((one,)), 60 * SECOND_US)
        for at, one in enumerate((*before, request), 1)
    ]
    core.handle(0, [Submit(job) for job in jobs])
    return list(jobs[-1].allocation)


def test_an_exclusive_job_has_all_that_a_node_has() -> None:
    [piece] = started_on(Component(5, needs=Demands(exclusive=True, all_mem=True)))
    assert piece == Piece("n4", 6, 6000)
    gpus = Demands(exclusive=True, all_mem=True, node_gres=(("gpu:b", 1),))
    [piece] = started_on(Component(1, needs=gpus))
    assert piece == Piece("n1", 8, 8000, GPUS)


def test_devices_without_a_type_are_of_one_type_on_a_node() -> None:
    [piece] = started_on(Component(1, needs=Demands(node_gres=(("gpu", 3),))))
    assert piece.gres == (Share("gpu:a", 3, (0, 1, 2)),)
    assert piece.node == "n2"
    one_of_b = Component(1, needs=Demands(node_gres=(("gpu:b", 1),)))
    [piece] = started_on(one_of_b, before=(one_of_b,))
    assert piece.gres == (Share("gpu:b", 1, (3,)),)
    assert not started_on(one_of_b, before=(one_of_b, one_of_b))


def test_what_no_node_has_is_said() -> None:
    core = Core(parse_recipe("easy"), "nodes")
    core.handle(0, list(NODES.values()))
    never = core.never_fits(Request((Component(1, needs=Demands(node_gres=(("gpu:a", 5),))),)))
    assert never is not None
    assert "gpu:a:5 on each node asked for" in never
    assert "at most gpu:a:4 on one" in never
    assert core.never_fits(Request((Component(1, needs=Demands(node_gres=(("tpu", 1),))),)))


def test_a_node_that_has_lost_a_device_gives_out_those_that_are_left() -> None:
    core = Core(parse_recipe("easy"), "nodes")
    core.handle(0, [NODES["n2"]])
    one = Request((Component(1, needs=Demands(node_gres=(("gpu", 1),))),))
    jobs = [Job(at, "ann", 0, one, 60 * SECOND_US) for at in (1, 2, 3, 4)]
    core.handle(0, [Submit(jobs[0])])
    left = (Share("gpu:a", 3, (1, 2, 3)),)  # the running job has the one that vanished
    core.handle(1, [NodeUp("n2", 4, 4000, ("real",), left), *map(Submit, jobs[1:])])
    core.sanity_check()
    assert [job.allocation[0].gres[0].numbers for job in jobs[:3]] == [(0,), (1,), (2,)]
    assert not jobs[3].allocation


def test_a_device_that_is_another_kind_now_is_given_once() -> None:
    core = Core(parse_recipe("easy"), "nodes")
    core.handle(0, [NODES["n2"]])
    jobs = [
        Job(at, "ann", 0, Request((Component(1, needs=Demands(node_gres=((kind, count),))),)), 60)
        for at, kind, count in ((1, "gpu:a", 1), (2, "gpu:b", 4), (3, "gpu:b", 3))
    ]
    core.handle(0, [Submit(jobs[0])])
    other = NodeUp("n2", 4, 4000, ("real",), (Share("gpu:b", 4, (0, 1, 2, 3)),))
    core.handle(1, [other, *map(Submit, jobs[1:])])
    core.sanity_check()
    assert not jobs[1].allocation
    assert jobs[2].allocation[0].gres == (Share("gpu:b", 3, (1, 2, 3)),)


@pytest.mark.parametrize("recipe", OF_EACH_PLAN)
@pytest.mark.parametrize("spread", [False, True])
def test_a_node_that_is_short_of_devices_takes_no_job_for_them(recipe: str, spread: bool) -> None:
    """A node that holds more devices than it has counted as one for a job with devices for each
    task, and each pass ended in an error: a GPU that vanished, or an agent that lied, stopped all.
    """
    core = Core(parse_recipe(recipe), "nodes")
    core.handle(0, [NODES["n2"]])
    holds = Request((Component(1, needs=Demands(node_gres=(("gpu:a", 4),))),))
    asks = Request((Component(1, spread=spread, needs=Demands(unit_gres=(("gpu", 2),))),))
    jobs = [Job(at, "ann", 0, one, 60 * SECOND_US) for at, one in enumerate((holds, asks), 1)]
    core.handle(0, [Submit(jobs[0])])
    left = (Share("gpu:a", 2, (0, 1)),)
    core.handle(1, [NodeUp("n2", 4, 4000, ("real",), left), Submit(jobs[1])])
    core.sanity_check()
    assert not jobs[1].allocation
    core.handle(2, [Exited(1, 1, "n2", 2, Outcome(Cause.EXIT, 0))])
    assert jobs[1].allocation[0].gres == (Share("gpu:a", 2, (0, 1)),)


def test_a_node_that_is_short_of_devices_takes_nothing_from_others() -> None:
    """What the node was short of counted against the devices of the others, and a job could get
    fewer than none of them."""
    core = Core(parse_recipe("easy"), "nodes")
    few = (Share("gpu:a", 2, (0, 1)),)
    others = [NodeUp(name, 4, 4000, ("real",), few) for name in ("n5", "n6")]
    core.handle(0, [NodeUp("n2", 8, 4000, ("real",), (Share("gpu:a", 4, (0, 1, 2, 3)),)), *others])
    holds = Request((Component(1, needs=Demands(node_gres=(("gpu:a", 4),))),))
    asks = Request((Component(3, needs=Demands(unit_gres=(("gpu", 1),))),))
    jobs = [Job(at, "ann", 0, one, 60 * SECOND_US) for at, one in enumerate((holds, asks), 1)]
    core.handle(0, [Submit(jobs[0])])
    for left in (few, few[:0], (Share("gpu:a", 3, (0, 1, 2)),)):
        core.handle(1, [NodeUp("n2", 8, 4000, ("real",), left)])
    core.handle(1, [Submit(jobs[1])])
    core.sanity_check()
    assert {piece.node: piece.gres[0].amount for piece in jobs[1].allocation} == {"n5": 2, "n6": 1}
