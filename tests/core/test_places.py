"""Nodes that jobs ask for by name or feature."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.machine.features import FeaturesError, alternatives, matches
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.portions import whole
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import JobState
from tests.core.strategies import traces
from tests.core.world import Cluster, World, recipe_texts

NODES = {"n1": 4, "n2": 4, "n3": 4}


@pytest.mark.parametrize(
    ("text", "features", "found"),
    [
        ("fast", {"fast"}, True),
        ("fast&big", {"fast"}, False),
        ("fast&big", {"fast", "big"}, True),
        ("fast|big", {"big"}, True),
        ("a&b|c", {"c"}, True),
        ("a&b|c", {"a"}, False),
        ("a & b", {"a", "b"}, True),
    ],
)
def test_features(text: str, features: set[str], *, found: bool) -> None:
    assert matches(text, features) is found


@pytest.mark.parametrize("text", ["a*2", "[a|b]", "a&", "|", "a b", "x" * 65, "x" * 2000])
def test_what_is_no_expression_of_features(text: str) -> None:
    with pytest.raises(FeaturesError):
        alternatives(text)
    assert not matches(text, {"a", "b"})


def _core(recipe: str) -> Core:
    core = Core(parse_recipe(recipe))
    core.handle(0, [NodeUp(name, cores, 0, ("real",)) for name, cores in NODES.items()])
    return core


def _submit(job_id: int, component: Component, estimate_s: int = 10) -> Submit:
    return Submit(Job(job_id, "ann", 0, Request((component,)), estimate_s * SECOND_US))


@pytest.mark.parametrize("recipe", ["easy", "conservative", "fcfs"])
def test_a_job_gets_the_nodes_that_it_names_and_waits_for_them(recipe: str) -> None:
    core = _core(recipe)
    named = Component(2, 4, spread=True, require=("n3",))
    core.handle(0, [_submit(1, Component(1, 1, spread=True, require=("n3",)), 50)])
    core.handle(0, [_submit(2, named), _submit(3, Component(1, 1, exclude=("n1", "n2")), 100)])
    assert [piece.node for piece in core.job(1).allocation] == ["n3"]
    assert core.job(2).state is JobState.PENDING
    starts = whole(core.projection(0)).starts.expected
    assert starts[2].start_us == 50 * SECOND_US
    if recipe != "fcfs":
        assert core.job(3).state is JobState.PENDING  # job 2 would be late on n3


def test_a_job_is_on_no_node_that_it_excludes() -> None:
    core = _core("easy")
    core.handle(0, [_submit(1, Component(8, exclude=("n2",)))])
    assert {piece.node for piece in core.job(1).allocation} == {"n1", "n3"}


@pytest.mark.parametrize(
    ("component", "why"),
    [
        (Component(1, 1, spread=True, require=("n9",)), "among them n9 asked for"),
        (Component(9, exclude=("n1",)), "and not on n1 asked for; the cluster has 2 such nodes"),
        (Component(1, feature="a&b"), "on nodes with feature 'a&b' asked for"),
    ],
)
def test_what_can_never_be_met(component: Component, why: str) -> None:
    assert why in (_core("easy").never_fits(Request((component,))) or "")


@pytest.mark.parametrize(
    ("asked", "has"),
    [
        ({"mem_mib": 2048}, "at most 8 cores and 4096 MiB on one; n2 has 2 cores and 1024 MiB"),
        ({"feature": "big"}, "2 such nodes with 16 cores, at most 8 cores and 4096 MiB on one; "
         "n2 not among them"),
    ],
)  # fmt: skip
def test_a_node_that_a_job_names_is_told_with_what_it_has(asked: dict[str, Any], has: str) -> None:
    """The numbers were those of the largest node, whatever the one has that the job must have."""
    core = Core(parse_recipe("easy"))
    large = [NodeUp(name, 8, 4096, ("real", "big")) for name in ("n1", "n3")]
    core.handle(0, [*large, NodeUp("n2", 2, 1024, ("real",))])
    named = Component(1, 1, spread=True, require=("n2",))._replace(**asked)
    assert (core.never_fits(Request((named,))) or "").endswith(has)


_wishes = st.sampled_from(
    [{}, {}, {"require": ("n2",)}, {"exclude": ("n1",)}, {"exclude": ("n3",)}]
)


class Choosy(World):
    """A world in which some jobs ask for nodes by name."""

    wishes: list[dict[str, tuple[str, ...]]]

    def inputs(self, kind: str, what: tuple[object, ...], now_us: int) -> list[object]:  # type: ignore[override]
        inputs = super().inputs(kind, what, now_us)
        for item in inputs:
            if isinstance(item, Submit):
                wish = self.wishes[item.job.id % len(self.wishes)]
                [asked] = item.job.request.components
                if "require" in wish:
                    asked = Component(1, min(4, asked.units), spread=True)
                item.job.request = Request((asked._replace(**wish),))  # type: ignore[arg-type]
        return list(inputs)


@pytest.mark.slow
@settings(max_examples=30)
@given(
    traces,
    recipe_texts.filter(lambda text: parse_recipe(text).predict != "perfect"),
    st.lists(_wishes, min_size=1, max_size=7),
)
def test_every_recipe_keeps_to_the_nodes_that_jobs_ask_for(
    trace: list[object], recipe: str, wishes: list[dict[str, tuple[str, ...]]]
) -> None:
    trace = [job._replace(size=min(job.size, 8)) for job in trace]  # type: ignore[attr-defined]
    core = Core(parse_recipe(recipe), "nodes")
    world = Choosy(trace, Cluster("nodes", NODES, 1), [core])  # type: ignore[arg-type]
    world.wishes = wishes
    world.feed(0, [("up", ())])
    for _ in range(3000):
        if world.next_us is None:
            break
        world.step()
        for job in core.jobs.values():
            nodes = {piece.node for piece in job.allocation}
            [asked] = job.request.components
            assert not nodes.intersection(asked.exclude)
            assert not nodes or nodes.issuperset(asked.require)
    assert not core.jobs
