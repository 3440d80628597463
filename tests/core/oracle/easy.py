""" "EASY" of the simulation rules, and first come first served without backfilling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.core.oracle.order import in_order, ordered

if TYPE_CHECKING:
    from tests.core.oracle.machine import Machine


def needed(machine: Machine, size: int, careful: bool) -> int:
    """Return the processors free as soon as `size` are, one release after the other (thesis 2.3);
    ties in arrival order."""
    free = machine.free
    for _, released in sorted(machine.releases(careful), key=lambda release: release[0]):
        if free >= size:
            break
        free += released
    return free


def easy(machine: Machine) -> None:
    """Run one pass with a reservation for the head of the queue, or (nobody) for none."""
    now, recipe = machine.now, machine.recipe
    queue = in_order(machine, machine.queue)
    while queue and machine.ready(queue[0]) == now and queue[0].size <= machine.free:
        machine.start(queue.pop(0))
    if not queue or recipe.backfill == "none":
        return
    head, *behind = queue
    careful = head.urgent and recipe.urgency.believes == "estimate"
    releases = [(max(now, instant), size) for instant, size in machine.releases(careful)]

    def free_at(instant: int) -> int:
        return machine.free + sum(size for at, size in releases if at <= instant)

    ready = machine.ready(head)
    instants = [ready, *(at for at, _ in releases if at >= ready)]
    shadow = min(instant for instant in instants if free_at(instant) >= head.size)
    extra = (
        needed(machine, head.size, careful) if recipe.extra == "needed" else free_at(shadow)
    ) - head.size
    if recipe.backfill != "queue":
        in_arrival_order = sorted(behind, key=lambda job: job.seq)
        order = "prediction" if recipe.backfill == "shortest" else recipe.backfill
        behind = ordered(machine, in_arrival_order, order)
    for job in behind:
        if machine.ready(job) > now or job.size > machine.free:
            continue
        duration = job.trace.estimate_s if recipe.fit == "estimate" else machine.remaining(job)
        if careful:
            duration = max(job.prediction, job.trace.estimate_s)
        if now + duration > shadow:
            if job.size > extra:
                continue
            extra -= job.size
        machine.start(job)
