"""Tests of the sum of free cores: blocks of steps answer as one list of steps does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.machine import sum_steps
from rmsd_core.machine.counted_profile import Steps
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.sum_steps import SumSteps
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.recipes.text import parse_recipe
from tests.core.small_cluster import job

_changes = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 20), st.integers(-4, 9)), max_size=25
)
_releases = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), max_size=20)


@given(_releases, _changes, st.integers(0, 12), st.integers(0, 12), st.integers(1, 20))
def test_blocks_of_steps_answer_as_one_list(
    releases: list[tuple[int, int]],
    changes: list[tuple[int, int, int]],
    now_us: int,
    size: int,
    length_us: int,
) -> None:
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(sum_steps, "MOST_STEPS", 4)
        blocks, steps, at_us = SumSteps(0, 3, {}), Steps(0, 3), 0
        for later_us, more in releases:
            at_us += later_us
            blocks.release(more, at_us)
            steps.release(more, at_us)
        for start_us, lasts_us, taken in changes:
            blocks.take(taken, start_us, lasts_us)
            steps.take(taken, start_us, lasts_us)
        blocks = blocks.copy({})
        blocks.advance(now_us)
        steps.advance(now_us)
    assert list(blocks.times) == list(steps.times)
    assert blocks.step() == steps.step()
    for start_us in range(now_us, now_us + 70):
        assert blocks.holds(size, start_us, length_us) == steps.holds(size, start_us, length_us)
        found = next(steps.candidates(size, length_us, start_us), NEVER_US)
        assert blocks.first(size, length_us, start_us) == found
        for until_us in (start_us, start_us + 5, start_us + 30):
            most = max(-1, steps.most_free(start_us, until_us))
            assert blocks.most_free(start_us, until_us) == most
            asked = size, until_us, length_us, start_us, start_us + 17
            assert blocks.earlier(*asked) == steps.earlier(*asked)


@pytest.mark.slow
@settings(max_examples=20)
@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 2), st.integers(1, 20)), max_size=15),
    st.lists(st.integers(1, 6), min_size=3, max_size=8),
)
def test_the_node_with_the_fewest_cores_is_that_of_a_look_at_all_nodes(
    shapes: list[tuple[int, int, int]], nodes: list[int]
) -> None:
    plans = []
    for looks_at_all in (False, True):
        with pytest.MonkeyPatch.context() as patches:
            if looks_at_all:
                patches.setattr(NodeCapacity, "place_on_first", lambda *_: None)
            core = Core(parse_recipe("conservative"))
            # The order of the names is not that of the numbers.
            core.handle(0, [NodeUp(f"n{9 - at}", cores, 0) for at, cores in enumerate(nodes)])
            jobs = [
                job(at, units, cores, estimate_s=limit_s)
                for at, (units, cores, limit_s) in enumerate(shapes, 1)
            ]
            effects = core.handle(SECOND_US, [Submit(one) for one in jobs])
            core.sanity_check()
            plans.append((effects.decisions, effects.wake_us))
    assert plans[0] == plans[1]
