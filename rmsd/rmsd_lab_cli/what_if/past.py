"""A daemon's history, as what-if simulations need it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rmsd_cli.errors import CommandError
from rmsd_client.show.job_fields import local_time
from rmsd_core.jobs.gres import Demands
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import CapacityKind
from rmsd_core.lifecycle.inputs import NodeUp
from rmsd_core.machine.nodes import Node
from rmsd_core.machine.partitions import Partition, by_name, refusal
from rmsd_core.model_time import SECOND_US, duration_us
from rmsd_core.vocabulary import FAILED_STATES, JobState
from rmsd_daemon.setup.clock import slip_us
from rmsd_lab.simulation.what_if import Course, HeldSpan, PastCluster, PastJob, assumed_run_us
from rmsd_lab.workloads.swf import TraceJob
from rmsd_lab.workloads.swf_log import at_least_s, nearest_s
from rmsd_lab_cli.history.log import HistorySource
from rmsd_lab_cli.history.schedule import arrival_us, has_run, history_of, is_live
from rmsd_lab_cli.what_if.reservations import reservations_on
from rmsd_wire.gres import parse_gres
from rmsd_wire.hostlist import expand
from rmsd_wire.licenses import parse_licenses

Assume = Literal["prediction", "estimate"]


@dataclass(frozen=True, slots=True)
class Past:
    """The jobs that take part in a what-if, and the jobs that are compared.

    jobs: all that take part. later: those that take part from now on alone: they started since
    `since_us`, and need nodes that take no work now. happened: how it went with those that ran, as
    far as they have.
    counted: the jobs whose waits are compared: submitted since `since_us`, and not cancelled in the
    queue. ended: how many of them ran to an end. waiting: the views of the jobs that wait now, in
    arrival order. Left out are `never_ran` jobs that could not be started, `ineligible` ones, whose
    conditions stand or stood until they were cancelled, or that no partition takes now, `too_large`
    ones for the nodes that there are, and `over_limit` ones that a limit of their account or QOS,
    or the total of a license, never lets start. has_untold: there may have been advance
    reservations of which the history does not tell.
    """

    jobs: list[PastJob]
    happened: Course
    cluster: PastCluster
    now_us: int
    since_us: int
    counted: list[PastJob] = field(default_factory=list)
    ended: int = 0
    running: int = 0
    cancelled: int = 0
    waiting: list[Mapping[str, Any]] = field(default_factory=list)
    later: list[PastJob] = field(default_factory=list)
    never_ran: int = 0
    ineligible: int = 0
    too_large: int = 0
    over_limit: int = 0
    unused: Sequence[str] = ()
    has_untold: bool = False

    def now(self) -> list[PastJob]:
        """Return the jobs as they continue from now, and those that nodes hold which take no work
        any more. A job that has had its trial run gets no other."""
        tried = {view["job_id"] for view in self.waiting if view["lost_s"]}
        return [
            job._replace(restartable=False) if job.number in tried else job
            for job in sorted([*self.jobs, *self.later])
        ]

    def trace(self) -> list[TraceJob]:
        """Return the jobs in whole seconds, as a trace for a run on counted processors."""
        origin_us = min(job.submit_us for job in self.jobs)
        users: dict[str, str] = {}
        return [
            TraceJob(
                job.number,
                nearest_s(job.submit_us - origin_us),
                nearest_s(job.run_us),
                job.request.size,
                at_least_s(job.estimate_us),
                users.setdefault(job.user, str(len(users) + 1)),
                0 if job.failed else 1,
            )
            for job in sorted(self.jobs, key=lambda job: (job.submit_us, job.number))
        ]


def past_of(source: HistorySource, since_us: int | None, assume: Assume) -> Past:
    """Return the history of `source` since `since_us`; None: all of it.

    Raises:
        CommandError: there is nothing to simulate, or nothing to simulate it on.
    """
    every = sorted(source.views, key=lambda view: view["job_id"])
    if not every:
        raise CommandError(_no_history(since_us))
    partitions = by_name(source.partitions)
    views = [view for view in every if _takes_part(view)]
    taken = [view for view in views if _taken(view, partitions)]
    ineligible = sum(map(_ineligible, every)) + len(views) - len(taken)
    views = taken
    cluster = _cluster(source, views)
    told = {"", *(one.name for one in cluster.reservations)}
    known = [_past_job(view, source.now_us, assume, partitions) for view in views]
    known = [job if job.reservation in told else job._replace(reservation="") for job in known]
    if cluster.drained:
        known = [_with_nodes(*pair) for pair in zip(known, views, strict=True)]
    fitting = cluster.holds(known)
    jobs = cluster.startable(fitting)
    over_limit = len(fitting) - len(jobs)
    if not jobs:
        raise CommandError(
            f"no job can take part: {len(every):,} submitted, none that was started, waits within "
            f"its limits, or fits the {cluster.cores:,} cores that take work now"
        )
    first_us = min(job.submit_us for job in jobs)
    since_us = first_us if since_us is None else max(since_us, first_us)
    held = cluster.startable(cluster.held(known))
    before = [job for job in held if (job.start_us or 0) < since_us]
    jobs = sorted([*jobs, *before])
    inside = {job.number for job in jobs}
    shown = [view for view in views if view["job_id"] in inside]
    later = [view for view in shown if arrival_us(view) >= since_us]
    waiting = [view for view in shown if view["state"] == JobState.PENDING]
    return Past(
        jobs,
        _happened(shown, source.now_us),
        cluster,
        source.now_us,
        since_us,
        counted=[job for job in jobs if job.submit_us >= since_us and job.cancelled_us is None],
        ended=sum(map(has_run, later)),
        running=sum(map(is_live, shown)) - len(waiting),
        cancelled=sum(_cancelled_waiting(view) for view in later),
        waiting=sorted(waiting, key=lambda view: (arrival_us(view), view["job_id"])),
        never_ran=len(every) - len(views) - ineligible,
        ineligible=ineligible,
        later=[job for job in held if job not in before],
        too_large=len(known) - len(fitting) - len(before),
        over_limit=over_limit,
        unused=[node.name for node in cluster.drained],
        has_untold=source.reservations is None or not told.issuperset(map(_reservation, views)),
    )


def _no_history(since_us: int | None) -> str:
    if since_us is None:
        return "there is no history: no job was ever submitted"
    return (
        f"there is no history since {local_time(since_us)}: no job was submitted, waited or ran; "
        "give a longer --since, or none"
    )


def _cluster(source: HistorySource, views: Iterable[Mapping[str, Any]]) -> PastCluster:
    """Return the machine on which the jobs of the views are simulated. Raises CommandError if no
    node takes work."""
    nodes: dict[bool, list[NodeUp]] = {True: [], False: []}
    for node in source.nodes:
        up = NodeUp(node.name, node.cores, node.mem_mib, node.features, node.gres)
        nodes[_takes_work(node)].append(up)
    if not nodes[True]:
        raise CommandError("no node takes work now, so that there is nothing to simulate")
    capacity: CapacityKind = "counted" if source.capacity == "counted" else "nodes"
    partitions = by_name(source.partitions).values()
    return PastCluster(
        nodes[True],
        capacity,
        slip_us(source.rate),
        _divided(partitions, views) if capacity == "nodes" else (),
        source.policies,
        nodes[False],
        reservations_on([*nodes[True], *nodes[False]], source.reservations or (), views),
    )


def _divided(
    partitions: Iterable[Partition], views: Iterable[Mapping[str, Any]]
) -> list[Partition]:
    """Return where jobs may run in a simulation: none if no job names a partition. Jobs that ran
    have run, whatever limits and states there are now, so that these are left out."""
    named = {part.get("partition") for view in views for part in view["request"]}
    divided = [
        Partition(
            one.name,
            one.nodes,
            tier=one.tier,
            priority=one.priority,
            preempt=one.preempt,
            preempt_exempt_us=one.preempt_exempt_us,
        )
        for one in partitions
    ]
    return divided if any(one.name in named for one in divided) else []


def _taken(view: Mapping[str, Any], partitions: Mapping[str, Partition]) -> bool:
    """Return whether the job has run, or a partition that it names takes it now."""
    return view["state"] != JobState.PENDING or bool(_open(view, partitions))


def _open(view: Mapping[str, Any], partitions: Mapping[str, Partition]) -> list[Component]:
    """Return the components of a request that waits whose partitions take it now."""
    estimate_us = duration_us(view["estimate_s"])
    return [
        one
        for one in map(_component, view["request"])
        if one.partition is None or refusal(partitions.get(one.partition), one, estimate_us) is None
    ]


def _takes_work(node: Node) -> bool:
    """Return whether a node takes work. A node whose link is lost is expected back, and counts."""
    is_away = node.reboot is not None and node.reboot.keeps_jobs_off
    takes_jobs = node.drain_reason is None and not node.unable and not is_away
    return node.link in ("up", "suspect") and takes_jobs


def _takes_part(view: Mapping[str, Any]) -> bool:
    """Return whether the job takes part: not if it never waited for resources."""
    if _ineligible(view):
        return False
    return is_live(view) or has_run(view) or _cancelled_waiting(view)


def _ineligible(view: Mapping[str, Any]) -> bool:
    """Return whether the job's conditions stand, or stood until it was cancelled: it is eligible
    since its end then."""
    if is_live(view):
        return view["eligible_us"] is None
    return _never_started(view) and view["eligible_us"] == view["end_us"]


def _cancelled_waiting(view: Mapping[str, Any]) -> bool:
    return _never_started(view) and not _ineligible(view)


def _never_started(view: Mapping[str, Any]) -> bool:
    is_ended = view["state"] in (JobState.CANCELLED, JobState.DEADLINE)
    return is_ended and view["start_us"] is None


def _held(view: Mapping[str, Any], partitions: Mapping[str, Partition]) -> list[Component]:
    """Return the components of a request that was met. A partition that there is no more binds the
    job to no nodes."""
    return [
        one if one.partition in partitions else one._replace(partition=None)
        for one in map(_component, view["request"])
    ]


def _past_job(
    view: Mapping[str, Any], now_us: int, assume: Assume, partitions: Mapping[str, Partition]
) -> PastJob:
    start_us: int | None = view["start_us"]
    waits = view["state"] == JobState.PENDING
    estimate_us = duration_us(view["estimate_s"])
    if start_us is not None and has_run(view):
        run_us = view["end_us"] - start_us
    elif start_us is not None and view["state"] == JobState.COMPLETING:
        run_us = max(0, now_us - start_us)
    else:
        expected_us = duration_us(view["prediction_s"]) if assume == "prediction" else estimate_us
        run_us = assumed_run_us(expected_us, start_us, now_us)
    return PastJob(
        view["job_id"],
        view["user"],
        arrival_us(view),
        Request(tuple(_open(view, partitions) if waits else _held(view, partitions))),
        estimate_us,
        run_us,
        start_us,
        None if is_live(view) else view["end_us"],
        view["restartable"],
        view["state"] in FAILED_STATES,
        view["account"],
        view["qos"],
        parse_licenses(view.get("licenses", "")),  # older daemons tell none
        view.get("nice", 0),  # likewise
        reservation=_reservation(view),
    )


def _reservation(view: Mapping[str, Any]) -> str:
    return view.get("reservation") or ""  # likewise


def _with_nodes(job: PastJob, view: Mapping[str, Any]) -> PastJob:
    return job if job.start_us is None else job._replace(nodes=tuple(expand(view["nodelist"])))


def _happened(views: Sequence[Mapping[str, Any]], now_us: int) -> Course:
    """Return the course of the jobs that ran; running ones count as if they ended now. Killed
    trials are known by their length, not by their times. They are taken to have ended with the
    start of the next attempt, or now."""
    started = [view for view in views if view["start_us"] is not None]
    over = [
        {**view, "end_us": now_us, "state": "COMPLETED"} if is_live(view) else view
        for view in started
    ]
    lost = [
        HeldSpan(next_us - round(view["lost_s"] * SECOND_US), next_us, view["cpus"])
        for view in views
        if view["lost_s"]
        for next_us in (view["start_us"] or view["end_us"] or now_us,)
    ]
    return Course({job.job_id: job for job in history_of(over, propagated=True).jobs}, lost)


def _component(part: dict[str, Any]) -> Component:
    """Return a component of a request."""
    given = {name: value for name, value in part.items() if name not in _DEMANDS}
    named = {name: tuple(part.get(name, ())) for name in ("require", "exclude")}
    whole, all_mem = part.get("exclusive", False), part.get("all_mem", False)
    gres, gres_per_unit = (parse_gres(part.get(name, "")) for name in ("gres", "gres_per_unit"))
    needs = Demands(whole, all_mem, gres, gres_per_unit, part.get("unit_mem", False))
    return Component(**{**given, **named, "needs": needs if any(needs) else None})


_DEMANDS = ("exclusive", "all_mem", "gres", "gres_per_unit", "unit_mem")
"""The fields of a view of a component that are one field of it."""
