"""Numbers of forgotten nodes are used again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Cancel, Input, NodeDead, NodeGone, NodeUp, Submit
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.model_time import SECOND_US
from tests.core.small_cluster import cluster, exited, job


class Growing(NodeCapacity):
    """A capacity that gives no number of a forgotten node to another one."""

    def forget_node(self, name: str) -> None:
        self.set_available(name, False)
        self.set_node(name, 0, 0, ())


def step_inputs(core: Core, step: tuple[str, int], known: int, now_s: int) -> list[Input]:
    """Return the inputs of a step; `known` is the number of steps of the core before it."""
    kind, number = step
    jobs, nodes = list(core.jobs.values()), list(core.nodes)
    match kind:
        case "up":
            features = ("emulated",) if number % 3 == 0 else ("real",)
            return [NodeUp(f"{'zyxw'[number % 4]}{known}", 1 + number % 5, 1000, features)]
        case "submit":
            new = job(known, 1 + number % 4, 1 + number % 2, estimate_s=5 + 10 * (number % 3))
            return [Submit(replace(new, user="ann" if number % 2 else "bob"))]
        case "replace" if nodes:
            name = nodes[number % len(nodes)]
            again = NodeUp(f"again{known}", 1 + number % 4, 1000, ("real",))
            return [NodeDead(name), NodeGone(name), again]
        case "cancel" if jobs:
            return [Cancel(jobs[number % len(jobs)].id)]
        case "end":
            return [
                exited(one, node, now_s)
                for one in jobs[number % 3 :]
                for node in sorted(one.open_nodes)
            ]
    return []


@pytest.mark.slow
@pytest.mark.parametrize(
    "recipe", ["easy", "conservative", "timed-easy,trial=5", "timed-conservative,trial=5"]
)
@given(
    steps=st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(["up", "submit", "submit", "replace", "cancel", "end"]),
                st.integers(0, 60),
            ),
            min_size=1,
            max_size=4,
        ),
        max_size=25,
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_numbers_of_forgotten_nodes_are_used_again_and_nothing_else_changes(
    recipe: str, steps: list[list[tuple[str, int]]]
) -> None:
    reusing, growing = cluster(recipe), cluster(recipe)
    for core, kind in ((reusing, NodeCapacity), (growing, Growing)):
        assert type(core.capacity) is NodeCapacity
        core.capacity.__class__ = kind
    known, most = 10, 2
    for now_s, batch in enumerate(steps, 1):
        inputs: list[list[Input]] = [[], []]
        for step in batch:
            known += 1
            for core, of_core in zip((reusing, growing), inputs, strict=True):
                of_core += step_inputs(core, step, known, 4 * now_s)
        effects = [
            core.handle(4 * now_s * SECOND_US, of_core)
            for core, of_core in zip((reusing, growing), inputs, strict=True)
        ]
        assert effects[0].decisions == effects[1].decisions
        assert effects[0].wake_us == effects[1].wake_us
        assert reusing.capacity.free == growing.capacity.free
        most = max(most, len(reusing.nodes) + sum(type(one) is NodeGone for one in inputs[0]))
    assert isinstance(reusing.capacity, NodeCapacity)
    assert reusing.capacity.numbers <= most
