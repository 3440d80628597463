"""What an agent holds at its Hello, beside what its nodes should hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from rmsd_core.core import Core
from rmsd_core.inputs import Exited
from rmsd_core.job import Job, Outcome
from rmsd_core.vocabulary import Cause, JobState
from rmsd_daemon.submission import Details
from rmsd_wire.link import HeldAttempt, Stop

_LOST = "its agent came back without it; how it ended cannot be known"


@dataclass(slots=True)
class Reconciled:
    """`lost` attempts were running and are not held; an exit reported with the Hello wins."""

    stops: list[Stop] = field(default_factory=list)
    launches: list[Job] = field(default_factory=list)
    lost: list[Exited] = field(default_factory=list)


def reconcile(
    core: Core, details: Mapping[int, Details], nodes: Collection[str], held: Sequence[HeldAttempt]
) -> Reconciled:
    """What to say to an agent of `nodes` that holds `held`, so that it does what was decided."""
    found = Reconciled()
    expected: set[tuple[int, int, str]] = set()
    has = {(item.job_id, item.attempt, item.node) for item in held}
    usage = core.usage()
    for node in nodes:
        for job_id in usage[node].job_ids if node in usage else ():
            job = core.jobs[job_id]
            expected.add(key := (job_id, job.attempt, node))
            if job.state is JobState.COMPLETING:
                found.stops.append(Stop(*key, job.stop_cause or Cause.NODE))
            elif job.state is JobState.CONFIGURING:
                found.launches.append(job)
            elif key not in has:
                _missing(found, job, details[job_id], node)
    for job_id, attempt, node in has - expected:
        found.stops.append(Stop(job_id, attempt, node, Cause.NODE))
    return found


def _missing(found: Reconciled, job: Job, details: Details, node: str) -> None:
    """Timers, and nodes without the script, can be set up again; a script's process cannot."""
    timer = details.emulate is not None and details.emulate.exec == "timer"
    if timer or node != job.allocation[0].node:
        found.launches.append(job)
    else:
        outcome = Outcome(Cause.UNKNOWN, message=_LOST)
        found.lost.append(Exited(job.id, job.attempt, node, -1, outcome))
