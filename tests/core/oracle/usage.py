""" "Priority" of the simulation rules: the usage of users, from all attempts that there were."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.core.oracle.machine import Machine


def factor(machine: Machine, user: str) -> int:
    """Return the fair-share factor of a user in millionths."""
    now = machine.now
    used = _used(machine, user, now, machine.forgotten.get(user, -1))
    users = {one for one, _, start, _ in _attempts(machine) if _counts(machine, one, start, now)}
    total = sum(_used(machine, one, now, -1) for one in _users(machine))
    if used <= 0 or total <= 0:
        return 1_000_000
    return round(1_000_000 * 2 ** (-len(users) * used / total))


def forget(machine: Machine) -> None:
    """Forget, at the end of a half-life, the users of less than a processor-second."""
    half_life = machine.recipe.weights.half_life_us // 1_000_000
    end = machine.now - machine.now % half_life
    if end <= machine.half_life_end:
        return
    machine.half_life_end = end
    for user in _users(machine):
        times = [
            end if stop is None else stop
            for one, _, start, stop in _attempts(machine)
            if one == user and start < machine.now
        ]
        since = machine.forgotten.get(user, -1)
        if times and max(times) < end and _used(machine, user, end, since) < 1:
            machine.forgotten[user] = end


def _counts(machine: Machine, user: str, start: int, now: int) -> bool:
    return machine.forgotten.get(user, -1) <= start < now


def _users(machine: Machine) -> set[str]:
    return {user for user, _, _, _ in _attempts(machine)}


def _attempts(machine: Machine) -> Iterator[tuple[str, int, int, int | None]]:
    """Yield user, size, start and end (None: it runs) of every attempt."""
    for seq, start, end, _ in machine.attempts:
        yield machine.jobs[seq].trace.user, machine.jobs[seq].size, start, end
    for job in machine.running:
        yield job.trace.user, job.size, job.start, None


def _used(machine: Machine, user: str, now: int, since: int) -> float:
    """Return the decayed processor-seconds at `now` of the attempts that began at `since` or
    later."""
    decay = math.log(2) / (machine.recipe.weights.half_life_us / 1_000_000)
    return sum(
        size
        / decay
        * (
            math.exp(-decay * (now - min(now, now if end is None else end)))
            - math.exp(-decay * (now - start))
        )
        for one, size, start, end in _attempts(machine)
        if one == user and since <= start < now
    )
