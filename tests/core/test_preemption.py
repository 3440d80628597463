"""Jobs of higher tiers preempt running jobs of lower ones, and no others do."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Claim, Start, Stop
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import FOR_HIGHER_TIERS, Cause
from rmsd_lab.workloads.swf import TraceJob
from tests.core.divided import NODES, Divided, recipes
from tests.core.strategies import traces
from tests.core.world import Cluster

EXEMPT_US = 20 * SECOND_US
PARTITIONS = (
    Partition("requeue", ("n1", "n2"), preempt="requeue"),
    Partition("cancel", ("n2", "n3"), preempt="cancel", preempt_exempt_us=EXEMPT_US),
    Partition("off", ("n1", "n3")),
    Partition("high", ("n2", "n3"), tier=2, preempt="requeue"),
    Partition("highest", tier=3),
)
TIERS = {one.name: one.tier for one in PARTITIONS}
NAMES = (("requeue",), ("cancel",), ("high",), ("off", "cancel"), ("highest",), ("high", "off"))


@settings(max_examples=20)
@given(traces, recipes, st.sampled_from([0, 1, 7]))
def test_jobs_are_preempted_for_higher_tiers_alone(
    trace: list[TraceJob], recipe: str, exit_s: int
) -> None:
    """Each kill is for a job of a higher tier that claims what it awaits. `World.feed` checks after
    each call that the core does not contradict itself, and that all that changed is told."""
    trace = [job._replace(size=min(job.size, 4)) for job in trace]
    core = Core(parse_recipe(recipe), partitions=PARTITIONS)
    world = Divided(trace, Cluster("nodes", NODES, exit_s), [core], names=NAMES)
    world.feed(0, [("up", ())])
    begun: dict[int, tuple[int, str]] = {}
    for _ in range(3000):
        if world.next_us is None:
            break
        now_us = world.step()
        decided = world.decided[0][:-1]
        claims = [one for one in decided if isinstance(one, Claim)]
        for one in decided:
            if isinstance(one, Start):
                begun[one.job_id] = now_us, world.stored[one.job_id]["partition"]
            elif isinstance(one, Stop) and one.cause in FOR_HIGHER_TIERS:
                start_us, partition = begun[one.job_id]
                assert partition in ("requeue", "high", "cancel")
                assert (one.cause is Cause.PREEMPT) == (partition == "cancel")
                assert partition != "cancel" or now_us - start_us >= EXEMPT_US
                assert partition == "cancel" or one.job_id % 5 != 3  # may be restarted
                first = next(claim for claim in claims if one.job_id in claim.awaits)
                lowest = min(TIERS[name] for name in NAMES[first.job_id % len(NAMES)])
                assert lowest > TIERS[partition]
    assert not core.jobs
