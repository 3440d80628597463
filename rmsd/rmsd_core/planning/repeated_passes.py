"""Plans that wait for an overdue job: second after second the same plans, later.

A running job that outlives its prediction is planned to release a second from now (simulation
rules, "Plans over a profile"). The job that waits for it is then reserved at now + 1 s, and that is
an event: a pass every second, for hours. These passes soon repeat themselves. After a number of
seconds, the period, the plan is the same, with some starts where they were and the others a period
later. From then on the results of the passes are known, until some instant that moves with the
clock meets one that does not. These passes are skipped, and their results are computed when they
are asked for.

Why this is exact: a pass compares instants, and nothing else changes with the time. An instant in
the plan either moves with the clock (now, now + 1 s, starts that moved, their ends) or is fixed
(predicted ends, starts that stayed, trial ends, promotions). Instants are compared as they are, or
with a job's length added. While none of these comparisons changes its result, a pass does to a plan
the same as a period ago, a period later. `_least_gap` says which comparisons can change. (On nodes,
a plan that lasts is placed again after skipped passes, as after a restart. Its starts stay as they
are, and a job may get other nodes than it had.)
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from typing import NamedTuple

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Claiming
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.planning.planner_state import PlannerState, trial_over_us
from rmsd_core.planning.starvation import Promotions
from rmsd_core.recipes.extensions import BACKFILL_ORDERS, ORDERS

_LONGEST_PERIOD = 100
_LOOK_BACK = 3  # the number of earlier passes with the same next start that are tried as a period

Starts = dict[Job, int]
"""A plan: the starts of its jobs."""


class RepeatedPasses:
    """The number of passes after the last one that can be skipped, and their results.

    Here `plans[-1]` is of the last pass, `plans[-2]` of the one a second before, and so on; there
    was no input in between. `_alike[p]` counts how many of the latest are like those `p` passes
    before; `_seen` has the passes by the job that was next to start.
    """

    def __init__(self, state: PlannerState, promotions: Promotions | None) -> None:
        self._state = state
        self._promotions = promotions
        orders = ORDERS[state.recipe.order], BACKFILL_ORDERS.get(state.recipe.backfill)
        grows = state.priorities is not None or any(
            order is not None and order.priority is not None for order in orders
        )
        # Jobs become urgent as time passes, and the order changes.
        self._possible = not grows and not state.recipe.has_urgent
        self._last_us: int | None = None
        self._plans: deque[Starts] = deque(maxlen=2 * _LONGEST_PERIOD + 2)
        self._passes = 0
        self._seen: dict[frozenset[Job], list[int]] = {}
        self._alike: dict[int, int] = {}
        self._retry_at = 0
        self._period = 0
        self._skipped = 0

    @property
    def skipped_us(self) -> int:
        """Return how much later than in a second the next pass is due."""
        return self._skipped * SECOND_US

    def caught_up(self, now_us: int, starts_us: Starts) -> Starts:
        """Return the plan as the passes skipped before `now_us` would have left it; they count as
        done."""
        later = self.seen_from(now_us, starts_us)
        if self._last_us is not None:
            self._last_us += self._passes_before(now_us) * SECOND_US
        self._skipped = 0
        self.forget()
        return later

    def skip_no_more(self, now_us: int) -> None:
        """Skip only the passes that were due before `now_us`."""
        self._skipped = self._passes_before(now_us)

    def _passes_before(self, now_us: int) -> int:
        """Return how many of the skipped passes were due before `now_us`."""
        if self._last_us is None:
            return 0
        return max(0, min(self._skipped, -(-(now_us - self._last_us) // SECOND_US) - 1))

    def seen_from(self, now_us: int, starts_us: Starts) -> Starts:
        """Return what `caught_up` returns, without a change."""
        passes = self._passes_before(now_us)
        periods = -(-passes // self._period)
        model = len(self._plans) - 1 + passes - periods * self._period
        moving = self._moving(model)
        shift_us = periods * self._period * SECOND_US
        return {
            job: start_us + shift_us if job in moving else start_us
            for job, start_us in self._plans[model].items()
            if job in starts_us
        }

    def forget(self) -> None:
        """Forget all passes: they say nothing about the passes to come."""
        if self._plans:
            self._plans.clear()
            self._seen.clear()
            self._alike.clear()
            self._passes = self._retry_at = 0

    def passed(self, now_us: int, starts_us: Starts) -> None:
        """Note that a pass at `now_us` without inputs and without starts left the plan
        `starts_us`."""
        if not self._possible or not self._waits_for_overdue(now_us):
            self.forget()
            return
        if self._last_us is None or self._last_us + SECOND_US != now_us:
            self.forget()
        self._last_us = now_us
        self._plans.append(starts_us)
        self._find_periods(now_us, starts_us)
        self._passes += 1
        if self._passes < self._retry_at:
            return
        for period, alike in self._alike.items():
            if alike > period:
                self._period = period
                self._skipped = period * self._periods_alike(now_us)
                self._retry_at = self._passes + period
                return

    def _find_periods(self, now_us: int, starts_us: Starts) -> None:
        """Continue the count of the periods that go on, and try those that may begin."""
        plans = self._plans
        self._alike = {
            period: alike + 1
            for period, alike in self._alike.items()
            if self._is_later(plans[-1 - period], starts_us, period)
        }
        next_us = now_us + SECOND_US
        following = frozenset(job for job, start_us in starts_us.items() if start_us == next_us)
        seen = self._seen.setdefault(following, [])
        for at in seen[: -1 - _LOOK_BACK : -1]:
            period = self._passes - at
            if (
                period <= _LONGEST_PERIOD
                and period not in self._alike
                and self._is_later(plans[-1 - period], starts_us, period)
            ):
                self._alike[period] = 1
        seen.append(self._passes)

    def _waits_for_overdue(self, now_us: int) -> bool:
        releases = self._state.releases
        return bool(releases) and releases[0][0] <= now_us

    @staticmethod
    def _is_later(earlier: Starts, later: Starts, period: int) -> bool:
        """Return whether every start is where it was, or a period later."""
        if len(earlier) != len(later):
            return False
        period_us = period * SECOND_US
        for job, start_us in later.items():
            before_us = earlier.get(job)
            if before_us is None or (before_us != start_us and before_us + period_us != start_us):
                return False
        return True

    def _moving(self, at: int) -> set[Job]:
        """Return which starts of `plans[at]` are later than a period ago."""
        earlier = self._plans[at - self._period]
        return {job for job, start_us in self._plans[at].items() if earlier[job] != start_us}

    def _periods_alike(self, now_us: int) -> int:
        """Return how many periods from now on are like the last one."""
        first_us = now_us - (self._period - 1) * SECOND_US
        ends = {end_us for end_us, _, _ in self._state.releases if end_us > first_us}
        slip_us, recipe = self._state.slip_us, self._state.recipe
        fixed = _Instants(set(), ends, slip_us)
        moving = _Instants(set(), {0, SECOND_US}, slip_us)  # counted from the time of the pass
        for job in self._state.queue.jobs(now_us):
            if type(job.phase) is Claiming:  # the end of its trial moves
                moving.ends.add(recipe.trial_us)
            else:
                ends.add(trial_over_us(job, now_us, recipe))
        if self._promotions is not None:
            # an early bound, which may be due at once
            ends.add(max(now_us + 1, self._promotions.next_us()))
        tried_us: dict[int, int] = {}
        last = len(self._plans) - 1
        for back in range(self._period + 1):
            pass_us = now_us - back * SECOND_US
            moved = self._moving(last - back)
            for job, start_us in self._plans[last - back].items():
                length_us = job.prediction_us
                tried_us[length_us] = max(tried_us.get(length_us, 0), start_us)
                if job not in moved:
                    fixed.add(start_us, length_us)
                    continue
                # The pass at pass_us left the plan, and the next pass found it.
                moving.add(start_us - pass_us, length_us)
                moving.add(start_us - pass_us - SECOND_US, length_us)
        # Treat all moving instants as if they moved in all passes of the last period. The instants
        # that they meet after the first of these passes are still to come, and the last pass is the
        # nearest to them.
        gap_us = _least_gap(moving.after(first_us), fixed, tried_us) - (now_us - first_us)
        return max(0, -(-gap_us // (self._period * SECOND_US)) - 1)


class _Instants(NamedTuple):
    """The instants at which parts of a plan begin and end. After `slip_us` from its start on, a
    standing reservation is void; that is the end of a part as well."""

    starts: set[int]
    ends: set[int]
    slip_us: int

    def add(self, start_us: int, length_us: int) -> None:
        self.starts.add(start_us)
        self.ends.add(start_us + length_us)
        if self.slip_us:
            self.ends.add(start_us + self.slip_us + 1)

    def after(self, time_us: int) -> _Instants:
        """Return the same instants, counted from `time_us`."""
        starts = {time_us + us for us in self.starts}
        return _Instants(starts, {time_us + us for us in self.ends}, self.slip_us)


def _least_gap(moving: _Instants, fixed: _Instants, tried_us: dict[int, int]) -> int:
    """Return the distance of moving instants from the next fixed one, or from the end of a job that
    starts at a fixed one; 0 if they meet.

    tried_us: by length, until when such a job has been tried. Free space for it begins where
    something fixed is over, and ends where something that moves begins, so the space may grow. Free
    space that moves comes closer to the fixed instants. If it holds a job, it does so until the
    job's end meets a fixed instant. If it does not, it never will.
    """
    least_us = _gap(moving.starts | moving.ends, sorted(fixed.starts | fixed.ends))
    ends = sorted(fixed.ends)
    for length_us, until_us in tried_us.items():
        starts = {start_us - length_us for start_us in moving.starts}
        least_us = min(least_us, _gap({us for us in starts if us <= until_us}, ends))
    return least_us


def _gap(moving: set[int], fixed: list[int]) -> int:
    """Return the least distance from any of `moving` to the next of `fixed`."""
    least_us = NEVER_US
    for instant_us in moving:
        at = bisect_left(fixed, instant_us)
        if at < len(fixed) and fixed[at] - instant_us < least_us:
            least_us = fixed[at] - instant_us
    return least_us
