"""A model of advance reservations for tests: which starts violate one. It shares no code with what
plans around them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from rmsd_core.jobs.accounts import AccountPolicy, chain
from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.core import Core
from rmsd_core.machine.advance_reservations import AdvanceReservation


class Held(NamedTuple):
    """A job that holds processors: how many, until when by its limit, and of which reservation."""

    size: int
    limit_end_us: int
    reservation: str


def violations(
    job: Job,
    nodes: Collection[str],
    start_us: int,
    reservations: Iterable[AdvanceReservation],
    accounts: Mapping[str, AccountPolicy] | None = None,
) -> list[str]:
    """Return what is wrong with a start on nodes."""
    end_us = start_us + job.estimate_us
    found = []
    own = None
    for one in reservations:
        if one.name == job.reservation:
            own = one
        elif start_us < one.end_us and one.start_us < end_us and set(nodes) & set(one.nodes):
            found.append(f"job {job.id} reaches into {one.name} on {sorted(nodes)}")
    if not job.reservation:
        return found
    if own is None:
        return [*found, f"job {job.id} starts without its reservation {job.reservation}"]
    if not (own.start_us <= start_us and end_us <= own.end_us):
        found.append(f"job {job.id} is not within the time of {own.name}")
    if own.nodes and not set(nodes) <= set(own.nodes):
        found.append(f"job {job.id} of {own.name} is on {sorted(nodes)}")
    mine = {job.account, *(one.name for one in chain(accounts or {}, job.account))}
    named = job.user in own.users or job.user in own.members
    if own.is_maintenance or not (named or mine & set(own.accounts)):
        found.append(f"job {job.id} may not run in {own.name}")
    return found


def overbooked(
    started: Iterable[Job],
    held: Iterable[Held],
    now_us: int,
    processors: int,
    reservations: Collection[AdvanceReservation],
) -> list[str]:
    """Return which jobs, of those that have `started` now on counted processors, have taken what is
    reserved. `held`: all jobs that hold some."""
    every = list(held)
    found = []
    for job in started:
        end_us = now_us + job.estimate_us
        if job.reservation:
            own = next(one for one in reservations if one.name == job.reservation)
            if sum([one.size for one in every if one.reservation == own.name]) > own.cores:
                found.append(f"job {job.id} does not fit into {own.name}")
            continue
        for at_us in {max(now_us, one.start_us) for one in reservations}:
            if not now_us <= at_us < end_us:
                continue
            active = [one for one in reservations if one.start_us <= at_us < one.end_us]
            names = {one.name for one in active}
            outside = [
                one.size
                for one in every
                if one.limit_end_us > at_us and one.reservation not in names
            ]
            if active and sum(outside) + sum([one.cores for one in active]) > processors:
                found.append(f"job {job.id} takes what is reserved at {at_us}")
    return found


def violated(
    core: Core,
    given: Iterable[tuple[int, int]],
    before: Mapping[str, AdvanceReservation],
    *,
    counted: bool,
) -> list[str]:
    """Return how the attempts that were `given` processors now violate reservations. `before`:
    those at the last look. One that was made since may have come after the start."""
    started = [job for job_id, _ in given if (job := core.jobs[job_id]).start_us is not None]
    known = [one for one in core.reservations.values() if before.get(one.name) == one]
    if not counted:
        return [wrong for job in started for wrong in _violations(core, job, known)]
    held = [
        Held(job.size, (job.start_us or 0) + job.estimate_us, job.reservation)
        for job in core.holders()
    ]
    cores = sum(node.cores for node in core.nodes.values())
    found = []
    for now_us in {job.start_us for job in started}:
        assert now_us is not None
        those = [job for job in started if job.start_us == now_us and _is_of(job, known)]
        found += overbooked(those, held, now_us, cores, known)
    return found


def _is_of(job: Job, known: Iterable[AdvanceReservation]) -> bool:
    return not job.reservation or any(one.name == job.reservation for one in known)


def _violations(core: Core, job: Job, known: Iterable[AdvanceReservation]) -> list[str]:
    assert job.start_us is not None
    nodes = {piece.node for piece in job.allocation}
    own = core.reservations.get(job.reservation)
    reservations = [one for one in known if one.name != job.reservation]
    if own is not None:
        reservations.append(own)
    elif job.reservation:
        return []  # the reservation may have been deleted since
    return violations(job, nodes, job.start_us, reservations)
