"""The preemptions that are still to come, for expected starts: a head that may take the place of
running jobs is expected to do so as soon as it may. Nothing is changed by finding them."""

from __future__ import annotations

from dataclasses import replace

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.preemptible import Nodes, Preemptible
from rmsd_core.lifecycle.preemption import may_preempt, nodes_of, overlap, shares
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.machine.capacity import Release
from rmsd_core.planning.expected_starts import shadow_of
from rmsd_core.planning.present import Present
from rmsd_core.planning.start_windows import request_now


def with_preemptions(state: CoreState, present: Present) -> Present:
    """Return the present with the heads that will preempt others, and with the ends of these."""
    preemptible = state.preemptible
    if preemptible is None or not any(map(preemptible.rules.preempts, present.heads)):
        return present
    starts_us: dict[Job, int] = {}
    ends_us: dict[Job, int] = {}
    waiting: list[Nodes] = []
    for head in sorted(present.heads, key=present.rank):
        nodes = nodes_of(state, head)
        is_first = not any(overlap(nodes, others) for others in waiting)
        waiting.append(nodes)
        if is_first and may_preempt(state, head):
            jobs, at_us = _made_way(state, preemptible, present, head, nodes)
            if jobs:
                starts_us[head] = at_us
                ends_us.update(dict.fromkeys(jobs, at_us))
    if not starts_us:
        return present
    releases = sorted((ends_us.get(job, end_us), seq, job) for end_us, seq, job in present.releases)
    planned = {job: us for job, us in present.planned.items() if job not in starts_us}
    return replace(present, releases=releases, planned=planned, preempting=starts_us)


def _made_way(
    state: CoreState, preemptible: Preemptible, present: Present, head: Job, nodes: Nodes
) -> tuple[list[Job], int]:
    """Return the jobs that make way for the head, and when; none if it preempts none before it
    starts anyway. On a node, some that `preemption` would spare may be among them."""
    capacity, now_us = state.capacity, present.now_us
    rules = preemptible.rules.below(head)
    request = request_now(present.windows, head, now_us)
    if request is None or head.size > capacity.free + preemptible.cores_below(rules, nodes):
        return [], now_us
    later = [one for one in preemptible.later(rules, nodes, now_us) if not shares(state, one[2])]
    at_us = capacity.shadow(request, later, now_us, extra="needed").time_us
    if at_us >= shadow_of(present, head).time_us:
        return [], at_us
    giving = (job for job in preemptible.ready(rules, nodes, at_us) if not shares(state, job))
    ready: list[Release] = [(number, 0, job) for number, job in enumerate(giving, 1)]
    needed = capacity.shadow(request, ready, 0, extra="needed").time_us
    jobs = [job for _, _, job in ready[:needed]]
    profile = capacity.profile([(at_us, job.seq, job) for job in jobs], now_us)
    found = profile.earliest(request, 1, at_us)
    if found is None or not (there := profile.nodes_of(found[1])):
        return jobs, at_us
    return [
        job for job in jobs if there & profile.nodes_of(profile.space_of(job.releasing()))
    ], at_us
