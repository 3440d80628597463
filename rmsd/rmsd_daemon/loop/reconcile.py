"""The difference between what an agent holds at its Hello and what its nodes should hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import structlog

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Exited
from rmsd_core.lifecycle.preemption_rules import grace_us
from rmsd_core.machine.nodes import Reboot
from rmsd_core.model_time import duration_s
from rmsd_core.vocabulary import FOR_HIGHER_TIERS, Cause, JobState
from rmsd_daemon.domain.submission import Details
from rmsd_wire.link import HeldAttempt, RebootNode, StopAttempt

log = structlog.get_logger()

_LOST = "its agent came back without it"
_NOT_HOSTED = "its agent no longer hosts node {}"


@dataclass(slots=True)
class Reconciled:
    """The commands to an agent. `lost` attempts were running and are not held; an exit reported
    with the Hello takes precedence. Launches, limits and suspensions are for those of the job's
    nodes that have missed them: each of a thousand agents may have missed its own."""

    stops: list[StopAttempt] = field(default_factory=list)
    launches: dict[Job, set[str]] = field(default_factory=dict)
    limits: dict[Job, set[str]] = field(default_factory=dict)
    suspensions: dict[Job, set[str]] = field(default_factory=dict)
    reboots: list[RebootNode] = field(default_factory=list)
    lost: list[Exited] = field(default_factory=list)

    def lose(self, job: Job, node: str, outcome: Outcome) -> None:
        self.lost.append(Exited(job.id, job.attempt, node, -1, outcome))


def reconcile(
    core: Core,
    details: Mapping[int, Details],
    nodes: Mapping[str, str],
    leaving: Collection[str],
    held: Sequence[HeldAttempt],
) -> Reconciled:
    """Return the commands to an agent that holds `held`, so that it does what was decided for its
    `nodes`, which are told with the boots that they are on. On the nodes that are `leaving`, what
    it holds goes on and nothing else is started."""
    found = Reconciled()
    found.reboots += [
        reboot for reboot in _reboots(core, nodes) if reboot.boot_id == nodes[reboot.node]
    ]
    expected: set[tuple[int, int, str]] = set()
    has = {(item.job_id, item.attempt, item.node) for item in held}
    stopped = {(item.job_id, item.attempt, item.node) for item in held if item.suspended}
    over = {(item.job_id, item.attempt, item.node) for item in held if item.over}
    for node in (*nodes, *leaving):
        for job_id in core.used_on(node).job_ids:
            job = core.jobs[job_id]
            expected.add(key := (job_id, job.attempt, node))
            if key in over:
                continue  # the node's agent is about to report the exit
            if job.state is JobState.COMPLETING:
                found.stops.append(stop_of(core, job, node))
            elif key in has:
                if job.state is JobState.CONFIGURING:
                    found.launches.setdefault(job, set()).add(node)
                if key in stopped or _was_suspended(job):
                    found.suspensions.setdefault(job, set()).add(node)
                if details[job_id].relimited:  # the agent may not have been told
                    found.limits.setdefault(job, set()).add(node)
            elif _can_start(job, details[job_id], node):
                if node in leaving:
                    found.lose(job, node, Outcome(Cause.NODE, message=_NOT_HOSTED.format(node)))
                else:
                    found.launches.setdefault(job, set()).add(node)
            else:
                found.lose(job, node, Outcome(Cause.UNKNOWN, message=_LOST))
    for job_id, attempt, node in has - expected - over:
        found.stops.append(StopAttempt(job_id, attempt, node, Cause.NODE))
    return found


def lost_ends(
    greetings: Iterable[Reconciled], news: Callable[[Exited], Exited | None], now_us: int
) -> Iterator[Exited]:
    """Yield the ends of the attempts that agents came back without, as far as they are news.

    Each is a work of its own, so that none keeps its agent from being registered. They come after
    the exits that the agent has told with its Hello, which say how these attempts have ended.
    """
    for found in greetings:
        for lost in found.lost:
            if news(lost) is not None:
                log.warning("attempt-lost", job_id=lost.job_id, node=lost.node)
                yield replace(lost, end_us=now_us)


def under_way(core: Core) -> Reconciled:
    """Return the commands of all attempts that start or end, as if none had been sent yet."""
    found = Reconciled()
    found.reboots += _reboots(core, core.nodes)
    for job in core.jobs.values():
        if _was_suspended(job):
            found.suspensions[job] = set(job.open_nodes)
        if job.state is JobState.CONFIGURING:
            found.launches[job] = set(job.open_nodes)
        elif job.state is JobState.COMPLETING:
            found.stops += [stop_of(core, job, node) for node in sorted(job.open_nodes)]
    return found


def _reboots(core: Core, names: Iterable[str]) -> Iterator[RebootNode]:
    """Yield the commands to those of the nodes that are to be rebooting."""
    for name in names:
        node = core.nodes.get(name)
        if node is not None and node.reboot is not None and node.is_rebooting:
            yield reboot_of(name, node.reboot)


def reboot_of(name: str, reboot: Reboot) -> RebootNode:
    """Return the command to a node that begins a reboot."""
    return RebootNode(name, reboot.boot_id, reboot.asked_us)


def stop_of(core: Core, job: Job, node: str) -> StopAttempt:
    """Return the command to a node that ends the attempt of a job that is being ended."""
    cause, grace_s = job.stop_cause or Cause.NODE, grace_s_of(core, job)
    return StopAttempt(job.id, job.attempt, node, cause, grace_s)


def grace_s_of(core: Core, job: Job) -> float | None:
    """Return the grace of the job's partition or QOS, if the job is being ended for one of a higher
    tier or QOS; None: the grace is that of other kills."""
    if job.stop_cause not in FOR_HIGHER_TIERS:
        return None
    own_us = grace_us(core.partitions, core.policies, job)
    return None if own_us is None else duration_s(own_us)


def _was_suspended(job: Job) -> bool:
    """Return whether the attempt is suspended, or was: its nodes may not have been told."""
    return job.suspended_since_us is not None or job.suspended_us > 0


def _can_start(job: Job, details: Details, node: str) -> bool:
    """Return whether the attempt can start on the node again. An attempt that never ran can, and so
    can a timer and a node without the script; a script's process cannot."""
    timer = details.emulate is not None and details.emulate.exec == "timer"
    return job.state is JobState.CONFIGURING or timer or node != job.allocation[0].node
