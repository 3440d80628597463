"""Jobs of which a number of the nodes must have a feature (`-C "gpu*2&fast*1"`)."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.gres import Amounts, Demands
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Start
from rmsd_core.lifecycle.inputs import Drain, NodeUp, Resume, Submit
from rmsd_core.lifecycle.sanity import Insane
from rmsd_core.machine import node_capacity
from rmsd_core.machine.features import FeaturesError, counted
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from tests.core.small_cluster import exited
from tests.core.strategies import OF_EACH_PLAN

NODES = {
    "n1": ("real", "gpu"),
    "n2": ("real", "gpu", "fast"),
    "n3": ("real", "fast"),
    "n4": ("real",),
    "n5": ("real", "gpu", "big"),
    "n6": ("emulated", "fast"),
}


@pytest.mark.parametrize(
    ("text", "features", "counts"),
    [
        ("gpu*2&fast*1", None, (("gpu", 2), ("fast", 1))),
        ("[rack1*2&rack2*1]", None, (("rack1", 2), ("rack2", 1))),
        ("big & gpu*2 & real", "big&real", (("gpu", 2),)),
        ("a&b|c", "a&b|c", ()),
    ],
)
def test_counts_are_read(text: str, features: str | None, counts: Amounts) -> None:
    assert counted(text) == (features, counts)


@pytest.mark.parametrize(
    "text", ["a*2|b*1", "a*0", "a*", "*2", "a*2&a*1", "[a|b]", "[a*1", "a**2", "a*x", "(a&b)*2"]
)
def test_what_is_no_count(text: str) -> None:
    with pytest.raises(FeaturesError):
        counted(text)


def counting(job_id: int, units: int, counts: Amounts, cores: int = 1, estimate_s: int = 10) -> Job:
    component = Component(units, cores, 0, True, needs=Demands(counts=counts))
    return Job(job_id, "ann", 0, Request((component,)), estimate_s * SECOND_US)


def cluster(recipe: str) -> Core:
    core = Core(parse_recipe(recipe), "nodes")
    core.handle(0, [NodeUp(name, 4, 0, features) for name, features in NODES.items()])
    return core


def can_ever(units: int, counts: Amounts) -> bool:
    """Return whether some set of nodes is as asked for."""
    return any(
        all(sum(feature in NODES[name] for name in names) >= count for feature, count in counts)
        for names in combinations(NODES, units)
    )


@pytest.mark.parametrize("recipe", OF_EACH_PLAN)
def test_nodes_with_the_features_are_among_those_of_the_job(recipe: str) -> None:
    core = cluster(recipe)
    job = counting(1, 3, (("big", 1), ("fast", 2)))
    core.handle(0, [Submit(job)])
    nodes = [piece.node for piece in job.allocation]
    assert (len(nodes), "n5" in nodes) == (3, True)
    assert sum("fast" in NODES[name] for name in nodes) == 2


@pytest.mark.parametrize("recipe", ["easy", "conservative"])
def test_a_job_waits_for_its_features_and_holds_up_no_others(recipe: str) -> None:
    core = cluster(recipe)
    holder = counting(1, 2, (("gpu", 1), ("big", 1)), cores=4, estimate_s=20)
    waiting, other = counting(2, 3, (("gpu", 3),), cores=4), counting(3, 1, (("fast", 1),), 4, 5)
    core.handle(0, [Submit(holder), Submit(waiting), Submit(other)])
    core.handle(0, [])
    assert [job.start_us for job in (holder, waiting, other)] == [0, None, 0]
    assert waiting.record.reserved_us == 20 * SECOND_US
    for job in (holder, other):
        for piece in job.allocation:
            core.handle(9 * SECOND_US, [exited(job, piece.node, 9)])
    assert waiting.start_us == 9 * SECOND_US


def test_what_can_never_be_met_is_said() -> None:
    core = cluster("easy")
    said = core.never_fits(counting(1, 4, (("gpu", 4),)).request)
    assert said is not None
    assert "4 of the nodes with feature 'gpu'" in said


def tell(recipe: str, seed: int) -> int:
    """Feed a core with random jobs. Return how many started."""
    rng, core, started = random.Random(seed), cluster(recipe), 0
    drained: set[str] = set()
    for number in range(1, 60):
        at_us = number * 3 * SECOND_US
        counts = {name: rng.randint(1, 2) for name in rng.sample(["gpu", "fast", "big"], 2)}
        units, asked = rng.randint(sum(counts.values()), 5), tuple(counts.items())
        job = counting(number, units, asked, rng.choice((1, 2, 4)), rng.choice((5, 30)))
        assert (core.never_fits(job.request) is None) == can_ever(units, asked)
        running = [one for one in core.jobs.values() if one.open_nodes]
        over = rng.sample(running, min(len(running), 2))
        name = rng.choice(list(NODES))
        news: Drain | Resume = Resume(name)
        if name not in drained and len(drained) < 2:
            news = Drain(name, "repair")
        drained ^= {name} if isinstance(news, Drain) or name in drained else set()
        inputs = [
            *[Submit(job)] * can_ever(units, asked),
            *[exited(one, node, number * 3) for one in over for node in sorted(one.open_nodes)],
            news,
        ]
        for _ in range(20):
            answer = core.handle(at_us, inputs)
            core.sanity_check()
            started += sum(isinstance(one, Start) for one in answer.decisions)
            if answer.wake_us is None or answer.wake_us > at_us:
                break
            inputs = []
    return started


@pytest.mark.slow
@pytest.mark.parametrize("recipe", OF_EACH_PLAN)
@settings(max_examples=20)
@given(seed=st.integers(0, 1 << 32))
def test_every_start_has_the_features_that_it_counts(recipe: str, seed: int) -> None:
    tell(recipe, seed)


def test_random_jobs_with_counts_start() -> None:
    assert tell("easy", 1) > 15


def test_stories_find_a_core_that_counts_no_features(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_capacity, "with_nodes", lambda _space, component, *_: component)
    with pytest.raises(Insane, match="and asks for"):
        tell("easy", 1)
