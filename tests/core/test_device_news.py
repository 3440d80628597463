"""Nodes whose devices change under jobs, as agents tell of them: truly, wrongly or by chance."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.gres import Demands, Share, Shares, serves
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Piece, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Stop
from rmsd_core.lifecycle.inputs import Cancel, Exited, Input, NodeDead, NodeSuspect, NodeUp, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause
from tests.core.strategies import OF_EACH_PLAN

NAMES = ("n1", "n2")
KINDS = ("gpu:a", "gpu:b")


def some_devices(rng: random.Random) -> Shares:
    """Return the devices of a node: each of three numbers is of some kind, or not there."""
    kinds = [rng.choice((*KINDS, *KINDS, None)) for _ in range(3)]
    told = [(kind, [at for at, one in enumerate(kinds) if one == kind]) for kind in KINDS]
    return tuple([Share(kind, len(at), tuple(at)) for kind, at in told if at])


def some_component(rng: random.Random) -> Component:
    gres = ((rng.choice(("gpu", *KINDS)), rng.choice((1, 1, 1, 2, 3))),)
    needs = rng.choice(
        (
            Demands(node_gres=gres),
            Demands(node_gres=gres),
            Demands(unit_gres=gres),
            Demands(exclusive=True, all_mem=True, node_gres=gres),
        )
    )
    return Component(rng.choice((1, 1, 2)), spread=rng.random() < 0.3, needs=needs)


class Site:
    """A core that hears news of nodes, and what its nodes tell of. present: the devices that each
    node has told of last."""

    def __init__(self, recipe: str) -> None:
        self.core = Core(parse_recipe(recipe), "nodes")
        self.present: dict[str, Shares] = {}
        self.at_us = 0
        self.jobs = 0
        self.stopped: list[tuple[int, int]] = []

    def hear(self, rng: random.Random) -> None:
        """Hear of something that happens."""
        self.at_us += SECOND_US
        for item in self._inputs(rng):
            if isinstance(item, NodeUp):
                self.present[item.name] = item.gres
            before = {job.id: job.attempt for job in self.core.jobs.values()}
            answer = self.core.handle(self.at_us, [item])
            self.core.sanity_check()
            self._check(before)
            self.stopped += [
                (one.job_id, one.attempt) for one in answer.decisions if isinstance(one, Stop)
            ]

    def _inputs(self, rng: random.Random) -> list[Input]:
        name, live = rng.choice(NAMES), list(self.core.jobs.values())
        running = [job for job in live if job.open_nodes]
        match rng.choice(("up", "up", "submit", "submit", "submit", "end", "cancel", "lost")):
            case "submit":
                self.jobs += 1
                request = Request((some_component(rng),))
                estimate_us = rng.randint(1, 60) * SECOND_US
                job = Job(self.jobs, "ann", self.at_us, request, estimate_us)
                return [] if self.core.never_fits(request) is not None else [Submit(job)]
            case "end" if running:
                return self._ends(rng.choice(running))
            case "cancel" if live:
                return [Cancel(rng.choice(live).id)]
            case "lost" if name in self.present:
                return [rng.choice((NodeSuspect(name), NodeDead(name)))]
        return [NodeUp(name, 6, 6000, ("real",), some_devices(rng))]

    def _ends(self, job: Job) -> list[Input]:
        """Return the reports of all nodes that an attempt has ended."""
        is_stopped = (job.id, job.attempt) in self.stopped
        cause = (job.stop_cause or Cause.TRIAL) if is_stopped else Cause.EXIT
        return [
            Exited(job.id, job.attempt, node, self.at_us, Outcome(cause, 0))
            for node in sorted(job.open_nodes)
        ]

    def _check(self, before: dict[int, int]) -> None:
        """Check that no device is given twice, and that a new attempt has devices that its nodes
        have told of, as many as it asked for."""
        given: Counter[tuple[str, str, int]] = Counter()
        for job in self.core.jobs.values():
            for piece in job.holding():
                for share in piece.gres:
                    assert share.amount == len(set(share.numbers)) > 0
                    name = share.kind.partition(":")[0]
                    given.update((piece.node, name, number) for number in share.numbers)
                if job.open_nodes and before.get(job.id, 0) != job.attempt:
                    self._check_new(job, piece)
        assert [device for device, times in given.items() if times > 1] == []

    def _check_new(self, job: Job, piece: Piece) -> None:
        present = {
            (share.kind, number) for share in self.present[piece.node] for number in share.numbers
        }
        has = {(share.kind, number) for share in piece.gres for number in share.numbers}
        assert has <= present
        needs = job.request.components[0].needs
        assert needs is not None
        for kind, count in needs.node_gres:
            assert sum(one.amount for one in piece.gres if serves(one.kind, kind)) >= count


@pytest.mark.slow
@pytest.mark.parametrize("recipe", OF_EACH_PLAN)
@settings(max_examples=40)
@given(seed=st.integers(0, 1 << 32))
@example(seed=50_000)  # fewer devices of one kind are left than a job holds
def test_devices_that_change_under_jobs_are_given_once(recipe: str, seed: int) -> None:
    site, rng = Site(recipe), random.Random(seed)
    for _ in range(60):
        site.hear(rng)
