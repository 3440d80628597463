"""The assignment of estimates to jobs: the random shuffle (thesis 5.12.2), and equal estimates for
jobs that come together."""

from __future__ import annotations

import random
from collections.abc import Sequence

_TRIES = 30
"""The number of tries to find another job that has an estimate and can give it away."""

INFEASIBLE = "there are not enough long estimates for the long jobs"


def shuffled(needs_s: Sequence[int], estimates_s: Sequence[int], seed: int) -> list[int]:
    """Return the estimates in random order, none of them below the need (the run time) at its
    position.

    Needs are served from the longest down; each takes one of the estimates that are left and long
    enough, with equal probability. What is taken so never leaves a later one without.

    Raises:
        ValueError: they are not equally many, or no order will do (`lifted` gives one that does).
    """
    _check_numbers(needs_s, estimates_s)
    rng = random.Random(seed)
    left = sorted(estimates_s, reverse=True)
    assigned = [0] * len(left)
    legal = 0
    for at, job in enumerate(_longest_first(needs_s)):
        while legal < len(left) and left[legal] >= needs_s[job]:
            legal += 1
        if legal <= at:
            raise ValueError(INFEASIBLE)
        drawn = rng.randrange(at, legal)
        left[at], left[drawn] = left[drawn], left[at]
        assigned[job] = left[at]
    return assigned


def gathered(
    needs_s: Sequence[int],
    assigned_s: Sequence[int],
    groups: Sequence[Sequence[int]],
    seed: int,
) -> list[int]:
    """Return the same estimates among the same jobs, with one estimate for the jobs of a group as
    far as possible. No estimate is below its job's need if none was before.

    The groups come in random order. For each group, one of the estimates of its jobs is chosen: one
    long enough for all of them, if there is one. The other jobs of the group exchange theirs for
    it, with jobs outside that have it, can take the estimate they get, and are not yet in a group
    that keeps theirs.

    groups: of positions, each in at most one.

    Raises:
        ValueError: they are not equally many.
    """
    _check_numbers(needs_s, assigned_s)
    rng = random.Random(seed)
    dealt = _Dealt(assigned_s)
    settled = [False] * len(needs_s)
    for group in rng.sample(groups, len(groups)):
        longest_s = max(needs_s[at] for at in group)
        own = [dealt.estimate_s[at] for at in group]
        chosen = rng.choice([one for one in own if one >= longest_s] or [max(own)])
        for at in group:
            settled[at] = dealt.estimate_s[at] == chosen
        for at in group:
            if settled[at] or needs_s[at] > chosen:
                continue
            for _ in range(_TRIES):
                other = rng.choice(dealt.jobs[chosen])
                if not settled[other] and needs_s[other] <= dealt.estimate_s[at]:
                    dealt.exchange(at, other)
                    settled[at] = True
                    break
    return dealt.estimate_s


class _Dealt:
    """The estimate of each job, and the jobs with each estimate."""

    def __init__(self, estimates_s: Sequence[int]) -> None:
        self.estimate_s = list(estimates_s)
        self.jobs: dict[int, list[int]] = {}
        self._place: list[int] = []
        for at, estimate_s in enumerate(estimates_s):
            jobs = self.jobs.setdefault(estimate_s, [])
            self._place.append(len(jobs))
            jobs.append(at)

    def exchange(self, one: int, other: int) -> None:
        place, estimate_s = self._place, self.estimate_s
        self.jobs[estimate_s[one]][place[one]] = other
        self.jobs[estimate_s[other]][place[other]] = one
        place[one], place[other] = place[other], place[one]
        estimate_s[one], estimate_s[other] = estimate_s[other], estimate_s[one]


def lifted(
    needs_s: Sequence[int], estimates_s: Sequence[int], longest_s: int
) -> tuple[list[int], int]:
    """Return the estimates with the fewest, shortest ones replaced by `longest_s`, so that
    `shuffled` can serve the needs; and how many were replaced.

    Raises:
        ValueError: they are not equally many, or a need is above the longest.
    """
    _check_numbers(needs_s, estimates_s)
    if max(needs_s, default=0) > longest_s:
        raise ValueError(f"a job needs {max(needs_s)} s, and the longest estimate is {longest_s} s")
    available = sorted(estimates_s, reverse=True)
    missing = legal = 0
    for wanted, need_s in enumerate(sorted(needs_s, reverse=True), 1):
        while legal < len(available) and available[legal] >= need_s:
            legal += 1
        missing = max(missing, wanted - legal)
    return [longest_s] * missing + available[: len(available) - missing], missing


def _longest_first(needs_s: Sequence[int]) -> list[int]:
    return sorted(range(len(needs_s)), key=needs_s.__getitem__, reverse=True)


def _check_numbers(needs_s: Sequence[int], estimates_s: Sequence[int]) -> None:
    if len(needs_s) != len(estimates_s):
        raise ValueError(f"{len(estimates_s)} estimates for {len(needs_s)} jobs")
