"""Preemption in stories: whose jobs are ended for which others."""

from __future__ import annotations

import re

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Stopping
from rmsd_core.lifecycle.core import Core
from rmsd_core.vocabulary import FOR_HIGHER_TIERS, Cause
from tests.world.arrays import number_of


def wrong_preemption(core: Core) -> str:
    """Return which job is being ended for one that is in no higher tier, or otherwise than its
    partition has it; "" if none is."""
    for job in core.jobs.values():
        phase = job.phase
        if type(phase) is not Stopping or phase.cause not in FOR_HIGHER_TIERS:
            continue
        own = core.partitions[job.partition or ""]
        if own.preempt != ("requeue" if phase.cause is Cause.DISPLACE else "cancel"):
            return f"job {job.id} is ended by {phase.cause}, and its partition has {own.preempt}"
        named = re.match(r"job (\S+) of a higher tier", phase.message)
        other = None if named is None else core.jobs.get(number_of(named[1]))
        if other is not None and _lowest_tier(core, other) <= own.tier:
            return f"job {job.id} is ended for one of no higher tier: {phase.message}"
    return ""


def _lowest_tier(core: Core, job: Job) -> int:
    named = [core.partitions[name].tier for name in job.request.partitions]
    return min(named, default=0)
