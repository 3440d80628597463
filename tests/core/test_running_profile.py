"""The profile of the running jobs, which is kept from pass to pass."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.lifecycle.core import Core
from rmsd_core.machine.counted_profile import CountedProfile
from rmsd_core.planning.running_profile import Change, RunningProfile
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.workloads.swf import TraceJob
from tests.core.strategies import preset_texts, timed, traces
from tests.core.world import Cluster, World, clusters

_PLANS = preset_texts(("conservative", "sjf-conservative", "dynp", "selective"))


def _steps(profile: Any) -> list[Any]:
    """Return the steps of a profile of either kind."""
    if isinstance(profile, CountedProfile):
        return [profile.step(), profile.most_free(0, 1 << 62)]
    return [(rack.times, list(rack.free), rack.falls) for rack in profile.racks]


@pytest.mark.slow
@settings(max_examples=50)
@given(
    traces,
    clusters,
    _PLANS | timed(_PLANS),
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 30)), max_size=6),
    st.sampled_from([0, 2_000_000]),
)
def test_the_profile_that_lasts_is_the_one_that_would_be_made(
    trace: list[TraceJob],
    cluster: Cluster,
    text: str,
    cancels: list[tuple[int, int]],
    slip_us: int,
) -> None:
    """This holds with trials, claims, kills and cancels as well."""
    looked_at = 0
    update = RunningProfile.update

    def checked(self: RunningProfile, now_us: int) -> list[Change] | None:
        nonlocal looked_at
        changes = update(self, now_us)
        fresh = self._state.capacity.profile(self._state.releases, now_us)
        assert _steps(self.copy(now_us)) == _steps(fresh)
        looked_at += changes is not None
        return changes

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunningProfile, "update", checked)
        core = Core(parse_recipe(text), cluster.capacity, slip_us=slip_us)
        world = World(trace, cluster, [core])
        world.expect(0, "up")
        for at_s, job_id in cancels:
            world.expect(at_s * 1_000_000, "cancel", job_id)
        while world.next_us is not None:
            world.step()
    assert looked_at
