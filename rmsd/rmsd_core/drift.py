"""Plans that wait for an overdue job: every second the same plan, one second later.

A running job that outlives its prediction is planned to release a second from now (simulation
rules, "Plans over a profile"), so what waits for it is reserved at now + 1 s, and that is an event:
a pass every second, for hours. Once two such passes gave the same plan - some starts where they
were, the others one second later - the passes that follow do the same until some instant that
moves with the clock meets one that does not. They are skipped, and their plan is known.

Why this is exact: a pass compares instants, and nothing else changes with the time. An instant in
it either moves with the clock (now, now + 1 s, the starts that moved, their ends) or does not
(predicted ends, the starts that stayed, trial ends, promotions), and is compared as it is or with a
job's length added. While none of these comparisons changes sign, the next pass does what the last
one did.
"""

from __future__ import annotations

from bisect import bisect_right

from rmsd_core.capacity import NEVER_US
from rmsd_core.job import SECOND_US, Job
from rmsd_core.parts import ORDERS
from rmsd_core.starvation import Promotions
from rmsd_core.state import PlannerState


class Drift:
    """How many of the passes after the last one can be skipped, and what they would have done."""

    def __init__(self, state: PlannerState, promotions: Promotions | None) -> None:
        self._state = state
        self._promotions = promotions
        self._possible = ORDERS[state.recipe.order].priority is None
        self._last_us = -1  # the last pass, if it had no start
        self._moving: list[Job] = []
        self._steps = 0

    @property
    def skipped_us(self) -> int:
        """How much later than in a second the next pass is due."""
        return self._steps * SECOND_US

    def catch_up(self, now_us: int, starts_us: dict[Job, int]) -> None:
        """Do to the plan what the passes skipped before `now_us` would have done."""
        if not self._steps:
            return
        passes = min(self._steps, -(-(now_us - self._last_us) // SECOND_US) - 1)
        for job in self._moving:
            if job in starts_us:
                starts_us[job] += passes * SECOND_US
        self._steps = 0
        self._last_us += passes * SECOND_US

    def passed(
        self,
        now_us: int,
        before_us: dict[Job, int],
        after_us: dict[Job, int],
        *,
        changed: bool,
    ) -> None:
        """A pass at `now_us` turned the plan `before_us` into `after_us`; `changed`: it started
        jobs, too."""
        a_second_later = self._last_us + SECOND_US == now_us
        self._last_us = -1 if changed else now_us
        if changed or not a_second_later or not self._possible:
            return
        if before_us.keys() != after_us.keys() or not self._waits_for_overdue(now_us):
            return
        self._moving = [job for job, start_us in after_us.items() if start_us != before_us[job]]
        if all(after_us[job] - before_us[job] == SECOND_US for job in self._moving):
            self._steps = self._passes_alike(now_us, after_us)

    def _waits_for_overdue(self, now_us: int) -> bool:
        releases = self._state.releases
        return bool(releases) and releases[0][0] <= now_us

    def _passes_alike(self, now_us: int, starts_us: dict[Job, int]) -> int:
        """How many passes, a second apart, are like the one at `now_us`."""
        lengths_us = {0} | {job.prediction_us for job in self._state.queue.jobs(now_us)}
        moving = {now_us, now_us + SECOND_US}
        fixed = {end_us for end_us, _, _ in self._state.releases if end_us > now_us}
        for job in self._moving:
            # Before the pass the start was a second earlier, and as far from now as after it.
            moving |= {starts_us[job], starts_us[job] + job.prediction_us}
            moving |= {starts_us[job] - SECOND_US, starts_us[job] + job.prediction_us - SECOND_US}
        stay = starts_us.keys() - set(self._moving)
        for job in stay:
            fixed |= {starts_us[job], starts_us[job] + job.prediction_us}
        fixed |= {
            job.trial_end_us for job in self._state.queue.jobs(now_us) if job.trial_end_us > now_us
        }
        if self._promotions is not None:
            fixed.add(self._promotions.next_us())
        gap_us = _least_gap(moving, sorted(fixed), lengths_us)
        return max(0, -(-gap_us // SECOND_US) - 1) if gap_us < NEVER_US else NEVER_US // SECOND_US


def _least_gap(moving: set[int], fixed: list[int], lengths_us: set[int]) -> int:
    """How far the moving instants, as they are or a length later, are from the next fixed one, or
    from the next one a length later; 0 if they meet one."""
    least = NEVER_US
    for instant_us in moving:
        for length_us in lengths_us:
            for shifted_us in (instant_us + length_us, instant_us - length_us):
                at = bisect_right(fixed, shifted_us)
                if at and fixed[at - 1] == shifted_us:
                    return 0
                if at < len(fixed):
                    least = min(least, fixed[at] - shifted_us)
    return least
