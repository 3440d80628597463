"""The profile of the running jobs, which is kept from pass to pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import (
    Drain,
    Input,
    NodeDead,
    NodeSuspect,
    NodeUp,
    Resume,
    Submit,
)
from rmsd_core.machine.counted_profile import CountedProfile
from rmsd_core.machine.node_profile import NodeProfile
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.running_profile import Change, RunningProfile
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.workloads.swf import TraceJob
from tests.core.small_cluster import job
from tests.core.strategies import preset_texts, timed, traces
from tests.core.world import Cluster, World, clusters

_PLANS = preset_texts(("conservative", "sjf-conservative", "dynp", "selective"))


def _steps(profile: Any) -> list[Any]:
    """Return the steps of a profile of either kind."""
    if isinstance(profile, CountedProfile):
        return [profile.step(), profile.most_free(0, 1 << 62)]
    racks = [(rack.times, list(rack.free), rack.falls) for rack in profile.racks]
    times = sorted({time_us for rack in profile.racks for time_us in rack.times})
    return [racks, profile.step(), [profile.most_free(at_us, at_us + 1) for at_us in times]]


def _compared(looked_at: list[bool]) -> Callable[[RunningProfile, int], list[Change] | None]:
    """Return an update that compares the profile with one that is made anew."""
    update, end, space_of = RunningProfile.update, NodeProfile.end, NodeProfile.space_of

    def compared(self: RunningProfile, now_us: int) -> list[Change] | None:
        changes = update(self, now_us)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(NodeProfile, "end", end)
            patch.setattr(NodeProfile, "space_of", space_of)
            fresh = self._state.capacity.profile(self._state.releases, now_us)
        assert _steps(self.copy(now_us)) == _steps(fresh)
        looked_at.append(changes is not None)
        return changes

    return compared


@pytest.mark.slow
@settings(max_examples=50)
@given(
    traces,
    clusters,
    _PLANS | timed(_PLANS),
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 30)), max_size=6),
    st.lists(st.tuples(st.integers(0, 300), st.sampled_from(["drain", "resume"])), max_size=6),
    st.sampled_from([0, 2_000_000]),
)
def test_the_profile_that_lasts_is_the_one_that_would_be_made(
    trace: list[TraceJob],
    cluster: Cluster,
    text: str,
    cancels: list[tuple[int, int]],
    drains: list[tuple[int, str]],
    slip_us: int,
) -> None:
    """This holds with trials, claims, kills, cancels and drains as well."""
    looked_at: list[bool] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunningProfile, "update", _compared(looked_at))
        core = Core(parse_recipe(text), cluster.capacity, slip_us=slip_us)
        world = World(trace, cluster, [core])
        world.expect(0, "up")
        for at_s, job_id in cancels:
            world.expect(at_s * 1_000_000, "cancel", job_id)
        for at_s, act in drains:
            world.expect(at_s * 1_000_000, act, min(cluster.nodes))
        world.expect(301_000_000, "resume", min(cluster.nodes))
        while world.next_us is not None:
            world.step()
    assert any(looked_at)


def test_nodes_that_come_and_go_are_no_look_at_all_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The profile of 40,000 running jobs was made anew in a second."""
    monkeypatch.setattr(RunningProfile, "update", _compared([]))
    core = Core(parse_recipe("conservative"), slip_us=SECOND_US)
    core.handle(0, [NodeUp(f"n{at}", 8, 100) for at in range(300)])
    core.handle(1, [Submit(job(at, 1, 4, estimate_s=50 + at % 70)) for at in range(1, 601)])
    core.handle(2, [Submit(job(601, 2, 8, spread=True))])
    looks: list[object] = []
    space_of = NodeProfile.space_of

    def counted(profile: NodeProfile, pieces: Any) -> Any:
        looks.append(pieces)
        return space_of(profile, pieces)

    news: list[list[Input]] = [
        [Drain("n1", "broken"), NodeSuspect("n2"), NodeSuspect("n299")],
        [Resume("n1"), NodeUp("n2", 8, 100), NodeUp("n299", 3, 50)],
        [NodeUp("n299", 16, 100), NodeUp("new", 8, 100)],
        [NodeDead("n3")],
        [NodeUp("n3", 8, 100), Drain("n1", "broken"), Submit(job(602, 1, 1))],
    ]
    for at, inputs in enumerate(news):
        with monkeypatch.context() as patch:
            patch.setattr(NodeProfile, "end", None)  # nothing is made anew
            patch.setattr(NodeProfile, "space_of", counted)
            core.handle((3 + at) * SECOND_US, inputs)
        core.sanity_check()
    assert len(looks) < 50
