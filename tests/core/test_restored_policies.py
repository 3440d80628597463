"""A core rebuilt amid limits, partitions and preemption goes on as if nothing had happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.accounts import AccountPolicy, JobLimits, License, Policies, QosPolicy
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Input, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.workloads.swf import TraceJob
from tests.core.divided import EXEMPT_US, NAMES, NODES, PARTITIONS, Divided, recipes
from tests.core.rebuilding import rebuilt
from tests.core.strategies import preset_texts, traces
from tests.core.world import Cluster, conditions_of, drawn_conditions

_POLICIES = Policies(
    (
        AccountPolicy("top", None, JobLimits(max_running=6, max_cpus_per_user=9)),
        AccountPolicy("left", "top", JobLimits(max_cpus=7), shares=3),
        AccountPolicy("right", "top", JobLimits(max_running_per_user=2)),
    ),
    (
        QosPolicy("normal", preempt="cancel", preempt_exempt_us=EXEMPT_US),
        QosPolicy("night", JobLimits(max_running=3, max_cpus=8, max_running_per_user=2)),
        QosPolicy("urgent", preempts=("night", "normal"), priority=1000),
    ),
    (License("cad", 3), License("sim", 1)),
)
_KINDS = (
    ("normal", "top"),
    ("normal", "left"),
    ("night", "right"),
    ("night", ""),
    ("urgent", "left"),
)
_LICENSES = ((), (("cad", 1),), (), (("cad", 2), ("sim", 1)), (("sim", 1),), (), ())
_KINDS_OF_DISTURBANCES = (
    "cancel",
    "drain",
    "resume",
    "hold",
    "release",
    "put-back",
    "put-back-held",
    "update",
)
_END_S = 300
"""The time by which drains and holds have ended."""


@dataclass
class _Governed(Divided):
    """A world whose jobs have partitions, QOS, accounts and licenses, by their numbers."""

    def inputs(self, kind: str, what: tuple[object, ...], now_us: int) -> list[Input]:
        inputs = super().inputs(kind, what, now_us)
        for item in inputs:
            if isinstance(item, Submit):
                item.job.qos, item.job.account = _KINDS[item.job.id % len(_KINDS)]
                item.job.licenses = _LICENSES[item.job.id % len(_LICENSES)]
        return inputs


disturbances = st.lists(
    st.tuples(st.integers(0, _END_S), st.sampled_from(_KINDS_OF_DISTURBANCES), st.integers(0, 30)),
    max_size=8,
)
_promoting = preset_texts(("selective", "selective-d", "selective-a"))
_sharing = st.builds(
    "easy,order=priority,reserve={},age={},share=1000,by=account,half-life={}".format,
    st.sampled_from(["nobody", "head", "2", "everyone"]),
    st.sampled_from([0, 1, 1000]),
    st.sampled_from([5, 60, 1000]),
)


@pytest.mark.long  # two cores an example, with up to 30 jobs each
@settings(max_examples=60, deadline=None)
@given(
    traces,
    drawn_conditions,
    recipes | _promoting | _sharing,
    st.sampled_from([((),), NAMES]),
    st.integers(0, 40),
    disturbances,
)
def test_a_core_rebuilt_amid_policies_decides_the_same(
    trace: list[TraceJob],
    conditions: list[Any],
    text: str,
    names: tuple[tuple[str, ...], ...],
    steps: int,
    disturbed: list[tuple[int, str, int]],
) -> None:
    """No job outlives its prediction under recipes whose plan stands: a plan that waits for one is
    placed again after skipped passes, on any nodes, and the core that goes on may skip others."""
    recipe = parse_recipe(text)
    stands = recipe.promotes or recipe.reserve == "everyone"
    if recipe.why_not_live():
        return
    if stands and (recipe.predict != "estimate" or recipe.times < 1):
        return
    trace = [job._replace(size=min(job.size, 4), user=f"u{at % 3}") for at, job in enumerate(trace)]
    if stands:
        trace = [job._replace(run_s=min(job.run_s, job.estimate_s)) for job in trace]
    core = Core(recipe, partitions=PARTITIONS, policies=_POLICIES)
    world = _Governed(
        trace, Cluster("nodes", NODES, 1), [core], conditions_of(conditions), names=names
    )
    for at_s, kind, which in disturbed:
        target = f"n{which % 3 + 1}" if kind in ("drain", "resume") else which % len(trace)
        world.expect(at_s * SECOND_US, kind, target)
    for at in range(len(trace)):
        world.expect(_END_S * SECOND_US, "release", at)
    for name in NODES:
        world.expect(_END_S * SECOND_US, "resume", name)
    now_us = passes = 0
    world.feed(now_us, [("up", ())])
    while world.next_us is not None:
        is_settled = core.passes > passes and world.next_us > now_us  # no pass is due at once
        if steps <= 0 and core.jobs and is_settled:
            break
        passes = core.passes
        now_us = world.step()
        steps -= 1
    world.cores.append(rebuilt(world, PARTITIONS, _POLICIES))
    world.feed(now_us, [("up", ())])  # a change of capacity for the one is one for the other
    while world.next_us is not None:
        assert world.decided[0] == world.decided[1]
        world.step()
    assert world.decided[0] == world.decided[1]
    assert [one.jobs for one in world.cores] == [{}, {}]
