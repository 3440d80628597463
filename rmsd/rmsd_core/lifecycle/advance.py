"""Advance reservations are made, begin, end, repeat, and are deleted; and what they mean for jobs
that wait.

A job of a reservation that cannot start inside it now is set aside, so that it is never the head of
the queue: before the reservation begins, once it could no longer end inside it, and when the
reservation is gone.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from heapq import heappop, heappush

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Request
from rmsd_core.lifecycle.effects import Lapse, Repeat
from rmsd_core.lifecycle.inputs import AddReservation, DeleteReservation, SetMember
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.counted import CountedCapacity
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.counted_windows import CountedWindows, limit_end_us
from rmsd_core.planning.start_windows import (
    NodeWindows,
    Windows,
    closing,
    may_start_on,
    request_now,
)

_LEAST_KEPT = 1000
"""The times of jobs beyond which none may be of a job that is gone."""
MOST_RESERVATIONS = 100
"""The reservations that there may be: each is looked at for each job that a pass places."""
_SHOWN = 10
"""The names that a refusal lists."""


def hear(state: CoreState, item: AddReservation | SetMember | DeleteReservation) -> None:
    """Make, change or delete a reservation. What cannot be done is refused."""
    reservations = state.reservations
    if isinstance(item, SetMember):
        _set_member(state, item)
        return
    if isinstance(item, DeleteReservation):
        name = item.name
        if reservations.by_name.pop(name, None) is None:
            state.refused.append(item)
            return
    elif refusal(state, item) is not None:
        state.refused.append(item)
        return
    else:
        name = item.reservation.name
        reservations.begun.discard(name)
        reservations.by_name[name] = item.reservation
    state.take_back(lambda one: isinstance(one, Lapse | Repeat) and one.name == name)
    reservations.version += 1
    _find_latest(state)
    _changed(state)


def _set_member(state: CoreState, item: SetMember) -> None:
    """Note who is a member. The times of jobs stay as they are."""
    reservations = state.reservations
    if (own := reservations.by_name.get(item.name)) is None:
        state.refused.append(item)
        return
    others = [user for user in own.members if user != item.user]
    members = (*others, item.user) if item.is_member else tuple(others)
    reservations.by_name[item.name] = replace(own, members=members)
    reservations.version += 1
    _changed(state)


def _changed(state: CoreState) -> None:
    """Have all waiting jobs looked at, and plans made anew."""
    state.capacity.machine += 1
    state.nodes_changed()


def pass_time(state: CoreState) -> None:
    """Let reservations begin and end whose time has come. All jobs are looked at once, also if a
    hundred end together."""
    reservations, now_us = state.reservations, state.now_us
    is_other = has_moved = False
    for one in list(reservations.by_name.values()):
        life = one.life_at(now_us)
        if life == "over":
            is_other = True
            has_moved |= _end(state, one)
        elif life == "active" and one.name not in reservations.begun:
            is_other = True
            reservations.begun.add(one.name)
    reservations.begun &= reservations.by_name.keys()
    if has_moved:
        _find_latest(state)
    if is_other:
        _changed(state)


def _end(state: CoreState, one: AdvanceReservation) -> bool:
    """Forget a reservation that is over, or move it to its next instance. Instances that would be
    over as well, as after a long stop, are left out. Return whether it has moved."""
    reservations, name = state.reservations, one.name
    reservations.begun.discard(name)
    reservations.version += 1
    if (following := one.first_at(state.now_us)) is None:
        del reservations.by_name[name]
        state.decide(Lapse(name))
        return False
    reservations.by_name[name] = following
    if following.life_at(state.now_us) == "active":
        reservations.begun.add(name)
    state.decide(Repeat(name, following.start_us, following.end_us))
    return True


def out_of_time(state: CoreState) -> list[Job]:
    """Return jobs that can no longer end inside their reservations, each time once. Some may have
    left the queue, or wait for another time."""
    latest, found = state.reservations.latest, []
    while latest and latest[0][0] < state.now_us:
        _, job_id = heappop(latest)
        found.append(state.jobs.get(job_id))
    return [job for job in found if job is not None]


def next_us(state: CoreState, wake_us: int | None) -> int | None:
    """Return `wake_us`, or the time at which a reservation begins or ends, or a job can no longer
    end inside its own, if that is earlier."""
    times_us = [] if wake_us is None else [wake_us]
    for one in state.reservations.by_name.values():
        times_us.append(one.end_us if one.name in state.reservations.begun else one.start_us)
    if state.reservations.latest:
        times_us.append(state.reservations.latest[0][0] + 1)
    return min(times_us, default=None)


# ---------------------------------------------------------------- what they mean for jobs


def windows(state: CoreState, but: Job | None = None) -> Windows | None:
    """Return the windows of jobs, as of now; None without reservations. `but`: what this job has
    claimed does not count."""
    reservations = state.reservations
    if not reservations.by_name:
        return None
    if isinstance(state.capacity, CountedCapacity):
        holders = [job for job in map(state.jobs.get, state.holdings.jobs()) if job is not None]
        claiming = [] if state.trials is None else state.trials.claiming()
        every = dict.fromkeys([*holders, *claiming])
        if but is not None:
            every.pop(but, None)
        return CountedWindows(
            _instances(state),
            state.planner.limits.admits,
            state.capacity.available,
            every,
            state.now_us,
        )
    return _node_windows(state)


def _instances(state: CoreState) -> dict[str, AdvanceReservation]:
    """Return the reservations by name, and the next instances of those that repeat: plans look
    ahead that far. These are under names that no job can give."""
    found = dict(state.reservations.by_name)
    for name, one in state.reservations.by_name.items():
        if (following := one.first_at(one.end_us)) is not None:
            found[f"{name}, again"] = following
    return found


def _node_windows(state: CoreState) -> NodeWindows:
    reservations = state.reservations
    of, names = (reservations.version, state.capacity.machine), state.nodes.by_name
    made = reservations.made
    if made is None or reservations.made_of != of:  # mostly a node goes or comes that is known
        is_other = reservations.made_of[0] != reservations.version
        if made is None or is_other or not made.knows(names.keys()):
            made = NodeWindows(_instances(state), state.planner.limits.admits, names)
        reservations.made, reservations.made_of = made, of
    return made


def is_possible(state: CoreState, job: Job, request: Request) -> bool:
    """Return whether the available nodes could hold the request of the job. A job of a reservation
    can be held by the nodes of that, and only while it can start inside."""
    if not job.reservation:
        return state.capacity.possible(request)
    own = state.reservations.by_name.get(job.reservation)
    if own is None or not state.planner.limits.admits(own, job):
        return False
    if not own.start_us <= state.now_us <= own.end_us - job.estimate_us:
        return False
    if isinstance(state.capacity, CountedCapacity):
        return job.size <= own.cores and state.capacity.possible(request)
    return state.capacity.possible(_node_windows(state).inside(request, own.name))


def never_inside(state: CoreState, job: Job) -> str | None:
    """Return in words why the job, which is of a reservation, can never start inside it; None if it
    can."""
    own = state.reservations.by_name[job.reservation]
    left_us = own.end_us - max(own.start_us, state.now_us)
    if own.first_at(own.end_us) is not None:
        left_us = own.end_us - own.start_us
    if job.estimate_us > left_us:
        return f"its limit is longer than the {left_us // SECOND_US} s that are left inside"
    if not isinstance(state.capacity, CountedCapacity):
        return state.capacity.never_fits(_node_windows(state).inside(job.request, own.name))
    if job.size > own.cores:
        return f"{job.size} processors asked for, the reservation has {own.cores}"
    return None


def note_latest(state: CoreState, job: Job) -> None:
    """Note when a job of a reservation, which has joined the queue, could no longer end inside."""
    reservations = state.reservations
    own = reservations.by_name.get(job.reservation)
    if own is None:
        return
    if len(reservations.latest) >= reservations.most_latest:
        _find_latest(state)
    heappush(reservations.latest, (own.end_us - job.estimate_us, job.id))


def _find_latest(state: CoreState) -> None:
    """Find the times of all jobs anew: those of earlier reservations and requests, and of jobs that
    are gone, are not kept."""
    reservations, by_name = state.reservations, state.reservations.by_name
    reservations.latest = sorted(
        (by_name[job.reservation].end_us - job.estimate_us, job.id)
        for job in state.jobs.values()
        if job.reservation in by_name
    )
    reservations.most_latest = _LEAST_KEPT + 2 * len(reservations.latest)


def keeps(state: CoreState, job: Job, place: Allocation) -> bool:
    """Return whether a job may still start now on the place that it has claimed."""
    if not state.reservations.by_name:
        return not job.reservation
    return may_start_on(windows(state, but=job), job, place, state.now_us)


def grows_into(state: CoreState, job: Job, estimate_us: int) -> bool:
    """Return whether a job that runs would reach into a reservation of others with this limit, or
    beyond the end of its own, and does not so far."""
    before_us = limit_end_us(job, state.now_us)
    after_us = before_us + estimate_us - job.estimate_us
    is_counted = isinstance(state.capacity, CountedCapacity)
    nodes = _nodes_of(job)
    for one in state.reservations.by_name.values():
        if one.name == job.reservation:
            if before_us <= one.end_us < after_us:
                return True
        elif before_us <= one.start_us < after_us and (
            is_counted or not nodes.isdisjoint(one.nodes)
        ):
            return True
    return False


def _nodes_of(job: Job) -> Set[str]:
    """Return the nodes that the job has claimed, or those on which it runs, whoever keeps them."""
    claim = job.claim
    return job.open_nodes if claim is None else {piece.node for piece in claim.place}


def closed_by(state: CoreState, job: Job) -> AdvanceReservation | None:
    """Return the reservation of others that keeps the job from starting now, even if nothing ran;
    None if none does. Of several a maintenance, else the one that begins first."""
    if not state.reservations.by_name:
        return None
    if state.reservations.told is None:  # a pass changes its own
        state.reservations.told = windows(state)
    there = state.reservations.told
    request = request_now(there, job, state.now_us)
    if request is not None and state.capacity.possible(request):
        return None
    return next(closing(there, state.capacity, job, state.now_us), None)


# ---------------------------------------------------------------- which can be made


def refusal(state: CoreState, item: AddReservation) -> str | None:
    """Return in words why the reservation cannot be made now; None if it can."""
    one = item.reservation
    if item.replaces != (one.name in state.reservations.by_name):
        known = "is no such reservation" if item.replaces else "is one of this name already"
        return f"there {known}"
    if not item.replaces and len(state.reservations.by_name) >= MOST_RESERVATIONS:
        return f"there are {MOST_RESERVATIONS} reservations, and may be no more"
    if one.end_us <= max(one.start_us, state.now_us):
        return "it would be over before it begins"
    if one.every_us and one.end_us - one.start_us > one.every_us:
        return "it would be longer than the time after which it repeats"
    if isinstance(state.capacity, CountedCapacity):
        return _refusal_of_cores(state, one, item)
    if not one.nodes:
        return "it names no nodes"
    unknown = [name for name in one.nodes if name not in state.nodes.by_name]
    if unknown:
        return f"there is no node {_first(unknown)}"
    nodes = set(one.nodes)
    for other in _barring(state, one):
        if shared := [name for name in other.nodes if name in nodes]:
            return f"reservation {other.name} has {_first(shared)} at that time"
    if item.ignores_jobs:
        return None
    held = [job for job in _reaching(state, one) if not nodes.isdisjoint(_nodes_of(job))]
    return _refusal_for(held)


def reservable(state: CoreState, item: AddReservation) -> list[str]:
    """Return the nodes that the reservation could have, whatever nodes it names."""
    one = item.reservation
    taken: set[str] = set()
    for other in _barring(state, one):
        taken.update(other.nodes)
    if not item.ignores_jobs:
        taken.update(*map(_nodes_of, _reaching(state, one)))
    return [name for name in state.nodes.by_name if name not in taken]


def _refusal_of_cores(
    state: CoreState, one: AdvanceReservation, item: AddReservation
) -> str | None:
    assert isinstance(state.capacity, CountedCapacity)
    if one.nodes or not one.cores:
        return "processors are only counted here: say how many"
    left = state.nodes.cores() - sum([other.cores for other in _meeting(state, one)])
    if one.cores > left:
        return f"{one.cores} processors asked for, {left} are left at that time"
    reaching = _reaching(state, one)
    if item.ignores_jobs or sum([job.size for job in reaching]) <= left - one.cores:
        return None
    return _refusal_for(reaching)


def _meeting(state: CoreState, one: AdvanceReservation) -> list[AdvanceReservation]:
    """Return the other reservations that have a time in common with it."""
    others = [other for other in state.reservations.by_name.values() if other.name != one.name]
    return [other for other in others if other.collides(one)]


def _barring(state: CoreState, one: AdvanceReservation) -> list[AdvanceReservation]:
    """Return the other reservations of that time that share no node with it."""
    others = [] if one.is_maintenance else _meeting(state, one)
    return [other for other in others if not other.is_maintenance]


def _reaching(state: CoreState, one: AdvanceReservation) -> list[Job]:
    """Return the jobs that hold something and could still run when the reservation begins, but for
    its own."""
    claiming = [] if state.trials is None else state.trials.claiming()
    holders = [job for job in map(state.jobs.get, state.holdings.jobs()) if job is not None]
    return [
        job
        for job in dict.fromkeys([*holders, *claiming])
        if limit_end_us(job, state.now_us) > one.start_us and job.reservation != one.name
    ]


def _refusal_for(jobs: list[Job]) -> str | None:
    if not jobs:
        return None
    some = _first(sorted({job.label for job in jobs}))
    return f"jobs run there that could still run then, by their limits: {some}"


def _first(names: Sequence[str]) -> str:
    """Return the first names in words: there may be thousands."""
    return ", ".join(names[:_SHOWN]) + (" and others" if len(names) > _SHOWN else "")
