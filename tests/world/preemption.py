"""Preemption in stories: whose jobs are ended for which others."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rmsd_core.jobs.accounts import QosPolicy
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Stopping
from rmsd_core.lifecycle.core import Core
from rmsd_core.vocabulary import FOR_HIGHER_TIERS, Cause
from tests.world.arrays import number_of

_FOR_QOS = re.compile(r"job (\S+) of the QOS (\S+) needed")


def wrong_preemption(core: Core) -> str:
    """Return which job is being ended for one that is in no higher tier, or whose QOS does not
    preempt its QOS, or otherwise than its partition or QOS has it; "" if none is."""
    qos = {one.name: one for one in core.policies.qos}
    for job in core.jobs.values():
        phase = job.phase
        if type(phase) is not Stopping or phase.cause not in FOR_HIGHER_TIERS:
            continue
        named = _FOR_QOS.match(phase.message)
        if named is not None:
            if wrong := _wrong_for_qos(job, phase, named[2], qos):
                return wrong
            continue
        own = core.partitions[job.partition or ""]
        if own.preempt != ("requeue" if phase.cause is Cause.DISPLACE else "cancel"):
            return f"job {job.id} is ended by {phase.cause}, and its partition has {own.preempt}"
        named = re.match(r"job (\S+) of a higher tier", phase.message)
        other = None if named is None else core.jobs.get(number_of(named[1]))
        if other is not None and _lowest_tier(core, other) <= own.tier:
            return f"job {job.id} is ended for one of no higher tier: {phase.message}"
    return ""


def _wrong_for_qos(job: Job, phase: Stopping, other: str, qos: Mapping[str, QosPolicy]) -> str:
    """Return what is wrong with the end of a job for one of another QOS; "" if nothing is."""
    own = qos.get(job.qos, QosPolicy(job.qos))
    if own.preempt != ("requeue" if phase.cause is Cause.DISPLACE else "cancel"):
        return f"job {job.id} is ended by {phase.cause}, and its QOS has {own.preempt}"
    if job.qos not in qos[other].preempts:
        return f"job {job.id} of the QOS {job.qos} is ended for one of a QOS that may not: {other}"
    return ""


def _lowest_tier(core: Core, job: Job) -> int:
    named = [core.partitions[name].tier for name in job.request.partitions]
    return min(named, default=0)
