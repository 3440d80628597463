"""Advance reservations are made, begin, end, and are deleted; and what they mean for jobs that
wait.

A job of a reservation that cannot start inside it now is set aside, so that it is never the head of
the queue: before the reservation begins, once it could no longer end inside it, and when the
reservation is gone.
"""

from __future__ import annotations

from heapq import heappop, heappush

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Request
from rmsd_core.lifecycle.effects import Lapse
from rmsd_core.lifecycle.inputs import AddReservation, DeleteReservation
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.counted import CountedCapacity
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.start_windows import (
    CountedWindows,
    NodeWindows,
    Windows,
    closing,
    limit_end_us,
    may_start_on,
    request_now,
)


def hear(state: CoreState, item: AddReservation | DeleteReservation) -> None:
    """Make or delete a reservation. One that cannot be made is refused."""
    reservations = state.reservations
    if isinstance(item, DeleteReservation):
        if reservations.by_name.pop(item.name, None) is None:
            state.refused.append(item)
            return
    elif refusal(state, item) is not None:
        state.refused.append(item)
        return
    else:
        reservations.begun.discard(item.reservation.name)
        reservations.by_name[item.reservation.name] = item.reservation
    reservations.version += 1
    _changed(state)


def _changed(state: CoreState) -> None:
    """Have all waiting jobs looked at, and plans made anew."""
    state.capacity.machine += 1
    state.nodes_changed()


def pass_time(state: CoreState) -> None:
    """Let reservations begin and end whose time has come, and set those jobs aside that could no
    longer end inside theirs."""
    reservations, now_us = state.reservations, state.now_us
    for one in list(reservations.by_name.values()):
        life = one.life_at(now_us)
        if life == "over":
            del reservations.by_name[one.name]
            reservations.version += 1
            state.decide(Lapse(one.name))
            _changed(state)
        elif life == "active" and one.name not in reservations.begun:
            reservations.begun.add(one.name)
            _changed(state)
    reservations.begun &= reservations.by_name.keys()
    while reservations.latest and reservations.latest[0] < now_us:
        heappop(reservations.latest)
        state.sort_anew = True  # finds the jobs that are out of time


def next_us(state: CoreState, wake_us: int | None) -> int | None:
    """Return `wake_us`, or the time at which a reservation begins or ends, or a job can no longer
    end inside its own, if that is earlier."""
    times_us = [] if wake_us is None else [wake_us]
    for one in state.reservations.by_name.values():
        times_us.append(one.end_us if one.name in state.reservations.begun else one.start_us)
    if state.reservations.latest:
        times_us.append(state.reservations.latest[0] + 1)
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
            dict(reservations.by_name),
            state.planner.limits.admits,
            state.capacity.available,
            every,
            state.now_us,
        )
    of = reservations.version, state.capacity.machine
    if reservations.made is None or reservations.made_of != of:
        names = state.nodes.by_name
        reservations.made = NodeWindows(
            dict(reservations.by_name), state.planner.limits.admits, names
        )
        reservations.made_of = of
    return reservations.made


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
    there = windows(state)
    assert there is not None
    if isinstance(there, CountedWindows):
        return job.size <= own.cores and state.capacity.possible(request)
    return state.capacity.possible(there.inside(request, own.name))


def never_inside(state: CoreState, job: Job) -> str | None:
    """Return in words why the job, which is of a reservation, can never start inside it; None if it
    can."""
    own = state.reservations.by_name[job.reservation]
    left_us = own.end_us - max(own.start_us, state.now_us)
    if job.estimate_us > left_us:
        return f"its limit is longer than the {left_us // SECOND_US} s that are left inside"
    there = windows(state)
    if isinstance(there, NodeWindows):
        return state.capacity.never_fits(there.inside(job.request, own.name))
    if job.size > own.cores:
        return f"{job.size} processors asked for, the reservation has {own.cores}"
    return None


def note_latest(state: CoreState, job: Job) -> None:
    """Note when a job of a reservation, which has joined the queue, could no longer end inside."""
    own = state.reservations.by_name.get(job.reservation)
    if own is not None:
        heappush(state.reservations.latest, own.end_us - job.estimate_us)


def keeps(state: CoreState, job: Job, place: Allocation) -> bool:
    """Return whether a job may still start now on the place that it has claimed."""
    if not state.reservations.by_name:
        return not job.reservation
    return may_start_on(windows(state, but=job), job, place, state.now_us)


def grows_into(state: CoreState, job: Job, limit_us: int) -> bool:
    """Return whether a job that runs would reach into a reservation of others with this limit, or
    beyond the end of its own, and does not so far."""
    before_us = limit_end_us(job, state.now_us)
    after_us = before_us + limit_us - job.estimate_us
    is_counted = isinstance(state.capacity, CountedCapacity)
    nodes = {piece.node for piece in job.releasing()}
    for one in state.reservations.by_name.values():
        if one.name == job.reservation:
            if before_us <= one.end_us < after_us:
                return True
        elif before_us <= one.start_us < after_us and (is_counted or nodes & set(one.nodes)):
            return True
    return False


def closed_by(state: CoreState, job: Job) -> AdvanceReservation | None:
    """Return the reservation of others that keeps the job from starting now, even if nothing ran;
    None if none does. Of several a maintenance, else the one that begins first."""
    if not state.reservations.by_name:
        return None
    there = windows(state)
    meeting = closing(there, job, state.now_us)
    if not meeting:
        return None
    request = request_now(there, job, state.now_us)
    if request is not None and state.capacity.possible(request):
        return None
    return next((one for one in meeting if one.is_maintenance), meeting[0])


# ---------------------------------------------------------------- which can be made


def refusal(state: CoreState, item: AddReservation) -> str | None:
    """Return in words why the reservation cannot be made now; None if it can."""
    one = item.reservation
    if item.replaces != (one.name in state.reservations.by_name):
        known = "is no such reservation" if item.replaces else "is one of this name already"
        return f"there {known}"
    if one.end_us <= max(one.start_us, state.now_us):
        return "it would be over before it begins"
    if isinstance(state.capacity, CountedCapacity):
        return _refusal_of_cores(state, one, item)
    if not one.nodes:
        return "it names no nodes"
    unknown = [name for name in one.nodes if name not in state.nodes.by_name]
    if unknown:
        return f"there is no node {', '.join(unknown)}"
    for other in _others(state, one):
        shared = [name for name in one.nodes if name in other.nodes]
        overlaps = other.meets(one.start_us, one.end_us)
        if shared and overlaps and not (one.is_maintenance or other.is_maintenance):
            return f"reservation {other.name} has {', '.join(shared)} at that time"
    if item.ignores_jobs:
        return None
    nodes = set(one.nodes)
    held = [job for job in _reaching(state, one) if any(p.node in nodes for p in job.releasing())]
    return _refusal_for(held)


def reservable(state: CoreState, item: AddReservation) -> list[str]:
    """Return the nodes that the reservation could have, whatever nodes it names."""
    one = item.reservation
    taken: set[str] = set()
    for other in _others(state, one):
        is_maintenance = one.is_maintenance or other.is_maintenance
        if other.meets(one.start_us, one.end_us) and not is_maintenance:
            taken.update(other.nodes)
    if not item.ignores_jobs:
        taken.update(piece.node for job in _reaching(state, one) for piece in job.releasing())
    return [name for name in state.nodes.by_name if name not in taken]


def _refusal_of_cores(
    state: CoreState, one: AdvanceReservation, item: AddReservation
) -> str | None:
    assert isinstance(state.capacity, CountedCapacity)
    if one.nodes or not one.cores:
        return "processors are only counted here: say how many"
    others = [other for other in _others(state, one) if other.meets(one.start_us, one.end_us)]
    left = state.nodes.cores() - sum([other.cores for other in others])
    if one.cores > left:
        return f"{one.cores} processors asked for, {left} are left at that time"
    reaching = _reaching(state, one)
    if item.ignores_jobs or sum([job.size for job in reaching]) <= left - one.cores:
        return None
    return _refusal_for(reaching)


def _others(state: CoreState, one: AdvanceReservation) -> list[AdvanceReservation]:
    return [other for other in state.reservations.by_name.values() if other.name != one.name]


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
    numbers = sorted({job.label for job in jobs})
    some = ", ".join(numbers[:10]) + (" and others" if len(numbers) > 10 else "")
    return f"jobs run there that could still run then, by their limits: {some}"
