"""The running jobs that make way for a head: which ones are chosen, in portions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Request
from rmsd_core.lifecycle.held_amounts import amounts, left
from rmsd_core.machine.capacity import Capacity, Release
from rmsd_core.planning.portions import PORTION, Portions

Keeping = tuple[Job, Allocation]
"""A running job, and what the machine counts as taken by it."""


def needed_of(capacity: Capacity, request: Request, ready: Sequence[Keeping]) -> Portions[int]:
    """Return how many of the jobs have to end, in this order, until the request fits; NEVER_US if
    it does not fit without all of them."""
    # The shadow of the request, in a world where one job ends after the other.
    releases: list[Release] = [(at, 0, job) for at, (job, _) in enumerate(ready, 1)]
    gathered = capacity.gathered(releases, dict(ready))
    return (yield from capacity.shadow_in_steps(request, gathered, 0, None)).time_us


def chosen(
    capacity: Capacity, request: Request, jobs: Sequence[Keeping]
) -> Portions[tuple[list[Job], Allocation]]:
    """Return the jobs without which the request fits, of those without all of which it does, and
    its place. Those that are not needed are spared, the last one tried first. In the end the
    capacity is as it was."""
    for at, (_, pieces) in enumerate(jobs, 1):
        for piece in pieces:
            capacity.give(piece)
        if not at % PORTION:
            yield
    place = capacity.place(request)
    assert place is not None
    capacity.take(place)
    where = {capacity.node_or_pool(piece.node) for piece in place}
    victims: list[Keeping] = []
    for at, one in enumerate(reversed(jobs), 1):
        if _fits_beside(capacity, one[1], where):
            capacity.take(one[1])
        else:
            victims.append(one)
        if not at % PORTION:
            yield
    for piece in place:
        capacity.give(piece)
    for _, pieces in victims:
        capacity.take(pieces)
    return [job for job, _ in reversed(victims)], place


def _fits_beside(capacity: Capacity, pieces: Allocation, places: Container[str]) -> bool:
    """Return whether so much is free at these places."""
    asked: Counter[tuple[str, str]] = Counter()
    for piece in pieces:
        where = capacity.node_or_pool(piece.node)
        if where in places:
            for what, count in amounts(piece):
                asked[where, what] += count
    return all(count <= left(capacity, *one) for one, count in asked.items())
