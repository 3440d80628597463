"""A core that skips passes decides what a core decides that makes all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rmsd_core.lifecycle.core import Core
from rmsd_core.planning import plan
from rmsd_core.planning.repeated_passes import RepeatedPasses, Starts
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.workloads.swf import TraceJob
from tests.core.strategies import preset_texts, timed, traces
from tests.core.world import Cluster, World, clusters

_PLANS = preset_texts(("conservative", "sjf-conservative", "dynp", "selective", "selective-a"))
_SLIP_US = 1_050_000


class Unrepeated(RepeatedPasses):
    """Passes of which none is skipped."""

    def passed(self, now_us: int, starts_us: Starts) -> None:
        """Note nothing."""


@dataclass
class Untimely(World):
    """A world in which nothing but the passes keeps to whole seconds."""

    late_us: int = 0

    def expect(self, at_us: int, kind: str, *what: Any) -> None:
        number = next(self.numbers)
        super().expect(at_us + number * self.late_us % 1_000_003, kind, *what)


_cases = given(
    traces,
    clusters,
    _PLANS | timed(_PLANS),
    st.sampled_from([0, _SLIP_US, 6_000_000]),
    st.sampled_from([0, 0, 137_731]),
)


@pytest.mark.slow
@settings(max_examples=25)
@_cases
def test_nothing_is_decided_otherwise_because_passes_are_skipped(
    trace: list[TraceJob], cluster: Cluster, text: str, slip_us: int, late_us: int
) -> None:
    decides_the_same(trace, cluster, text, slip_us, late_us)


@pytest.mark.long  # 200 examples, each with two cores, compute for some 30 s
@settings(max_examples=100)
@_cases
def test_nothing_is_decided_otherwise_in_more_worlds_because_passes_are_skipped(
    trace: list[TraceJob], cluster: Cluster, text: str, slip_us: int, late_us: int
) -> None:
    decides_the_same(trace, cluster, text, slip_us, late_us)


def decides_the_same(
    trace: list[TraceJob], cluster: Cluster, text: str, slip_us: int, late_us: int
) -> None:
    """Check that a core that skips passes decides the same, also live, where reservations slip and
    claims wait for killed trials.

    After skipped passes a plan that lasts is placed again, and a job may find other nodes then, at
    the same time. On nodes only plans that each pass makes anew are compared.
    """
    assume(cluster.capacity == "counted" or parse_recipe(text).trial_us > 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "RepeatedPasses", Unrepeated)
        made = Core(parse_recipe(text), cluster.capacity, slip_us=slip_us)
    skipped = Core(parse_recipe(text), cluster.capacity, slip_us=slip_us)
    world = Untimely(trace, cluster, [skipped, made], late_us=late_us)
    world.expect(0, "up")
    while world.next_us is not None:
        world.step()
        assert world.decided[0] == world.decided[1]
        assert skipped.memory() == made.memory()
    assert skipped.passes <= made.passes
