"""Holding attempts to what they may use where the kernel does not do so, and noting the most memory
that they had."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable

from rmsd_agent.attempts.attempt import HeldAttempts, NodeAttempt
from rmsd_agent.guarding.guard import Excess, Guard, Guarded
from rmsd_agent.machine.delegation import Delegation
from rmsd_agent.reports import Key
from rmsd_agent.state.records import write_used
from rmsd_agent.units.pool import Pool
from rmsd_wire.link import Launch, LaunchLimits

_NONE = LaunchLimits(None, None)


class LimitsWatch:
    """A watch over attempts by the guard, which looks at the limits that the cgroups of
    `delegation` do not keep, and notes the peak of each attempt's memory.

    The kernel's own peak of a cgroup (memory.peak) has the files that the job has read. `exceeded`
    is told of each attempt that has more than it may have.
    """

    def __init__(
        self,
        held: HeldAttempts,
        pool: Pool,
        delegation: Delegation | None,
        exceeded: Callable[[Excess], None],
    ) -> None:
        self._held = held
        self._pool = pool
        self._kept = delegation.controllers if delegation is not None else frozenset()
        self._guard = Guard(self._guarded, exceeded, self._peaked)

    def begin(self) -> None:
        """Look at attempts from now on, as long as there are any."""
        self._guard.watch()

    def close(self) -> None:
        """Look at nothing any more, and leave the peaks to a later agent."""
        self._guard.close()
        for attempt in self._held.attempts.values():
            if attempt.peak_mib and not attempt.over:
                used = attempt.used_before.plus(None, attempt.peak_mib)
                with contextlib.suppress(OSError):  # the largest process is known at the end
                    write_used(attempt.dir, used)

    def polled(self, launch: Launch) -> LaunchLimits:
        """Return the limits of memory and processes that are not the kernel's to keep."""
        limits = launch.limits
        return LaunchLimits(
            None if "memory" in self._kept else limits.mem_mib,
            None if "pids" in self._kept else limits.max_processes,
        )

    def _guarded(self) -> list[Guarded]:
        """Return what the guard has to look at now."""
        attempts: Iterable[NodeAttempt] = self._held.attempts.values()
        return [
            self._guarded_attempt(attempt)
            for attempt in attempts
            if not attempt.over
            and (attempt.launch.emulation is None or self.polled(attempt.launch) != _NONE)
        ]

    def _peaked(self, key: Key, peak_mib: int) -> None:
        attempt = self._held.attempts.get(key)
        if attempt is not None:
            attempt.peak_mib = max(attempt.peak_mib, peak_mib)

    def _guarded_attempt(self, attempt: NodeAttempt) -> Guarded:
        roots, shepherds = roots_of(attempt, self._pool)
        mem_mib, max_processes = self.polled(attempt.launch)
        return Guarded(attempt.key, mem_mib, max_processes, roots, shepherds, attempt.peak_mib)


def roots_of(attempt: NodeAttempt, pool: Pool) -> tuple[set[int], set[int]]:
    """Return the pids of the processes above those of an attempt, and of the shepherds among them:
    the others are main processes whose shepherd is gone."""
    shepherds, orphans = set(), set()
    for unit in attempt.units.values():
        if unit.status is None and unit.pid is not None:
            shepherd = pool.shepherd_of(unit.name)
            if shepherd is not None:
                shepherds.add(shepherd[0])
            else:
                orphans.add(unit.pid)
    return shepherds | orphans, shepherds
