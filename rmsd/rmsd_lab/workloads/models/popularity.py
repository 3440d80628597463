"""The distribution of a trace's estimates: how few of them serve most jobs, which users give them,
and how far one distribution is from another (thesis 5.5, 5.6, 5.12.1)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise

from rmsd_lab.workloads.models.mode_times import HEADS
from rmsd_lab.workloads.models.sessions import sessions
from rmsd_lab.workloads.swf import TraceJob

COVERED_PERCENT = (10, 50, 75, 90, 95, 98, 99, 100)
"""The columns of Table 5.2."""

_MOST_SPREAD = 20.0
"""The largest a that is tried: by then F_tim is a line to all intents."""

_GOLDEN = (5**0.5 - 1) / 2
_STEPS = 60


def coverage(estimates_s: Iterable[int]) -> dict[int, int]:
    """Return, for each of `COVERED_PERCENT`, the least number of different estimates that so many
    percent of the jobs have (Table 5.2). The result is empty if there are no jobs."""
    counts = [count for _, count in Counter(estimates_s).most_common()]
    reached = list(accumulate(counts))
    if not reached:
        return {}
    return {
        percent: 1 + bisect_left(reached, percent * reached[-1] / 100)
        for percent in COVERED_PERCENT
    }


def head_share(estimates_s: Sequence[int]) -> float:
    """Return the part of the jobs, 0 to 1, that have one of the 20 most popular estimates; 0 if
    there are no jobs."""
    counts = Counter(estimates_s).most_common(HEADS)
    return sum(count for _, count in counts) / max(1, len(estimates_s))


def joint_ratio(estimates_s: Iterable[int]) -> float:
    """Return the percentage p of the estimates, the most popular ones, that serve 100 - p percent
    of the jobs, to the nearest estimate (Fig. 5.2: 9 means 9/91). Returns 0 if there are no
    estimates."""
    counts = [count for _, count in Counter(estimates_s).most_common()]
    total, number = sum(counts), len(counts)
    off = [
        (abs(at / number - (1 - reached / total)), 100 * at / number)
        for at, reached in enumerate(accumulate(counts), 1)
    ]
    return min(off)[1] if off else 0.0


def fitted_spread(estimates_s: Iterable[int]) -> float | None:
    """Return the a of F_tim that fits best to the different estimates by time rank, in squares of
    the normalized times (Fig. 5.5, Table 5.4), up to `_MOST_SPREAD`. Returns None if there are
    fewer than two."""
    times_s = sorted(set(estimates_s))
    if len(times_s) < 2:
        return None
    ranks = [at / len(times_s) for at in range(1, len(times_s) + 1)]

    def off(spread: float) -> float:
        return sum(
            (time_s / times_s[-1] - (spread - 1) * rank / (spread - rank)) ** 2
            for rank, time_s in zip(ranks, times_s, strict=True)
        )

    low, high = 1.0 + 1e-9, _MOST_SPREAD
    for _ in range(_STEPS):  # golden section
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        low, high = (low, right) if off(left) < off(right) else (left, high)
    return (low + high) / 2


def distance(one: Iterable[int], other: Iterable[int]) -> float:
    """Return the largest difference between the cumulative distribution functions of two
    distributions, 0 to 1 (Kolmogorov and Smirnov).

    Raises:
        ValueError: one of them has no value.
    """
    first, second = sorted(one), sorted(other)
    if not first or not second:
        raise ValueError("a distribution without values has no distance from another")
    return max(
        abs(bisect_right(first, value) / len(first) - bisect_right(second, value) / len(second))
        for value in {*first, *second}
    )


def repeat_share(jobs: Sequence[TraceJob]) -> float:
    """Return the part of the jobs, 0 to 1, that repeat the estimate of the job before them in their
    session. First jobs of sessions do not count. Returns 0 if no other jobs are left."""
    pairs = [
        jobs[before].estimate_s == jobs[after].estimate_s
        for session in sessions(jobs)
        for before, after in pairwise(session)
    ]
    return sum(pairs) / max(1, len(pairs))


def estimates_of_users(jobs: Iterable[TraceJob]) -> dict[str, set[int]]:
    """Return the different estimates of each user."""
    found: dict[str, set[int]] = {}
    for job in jobs:
        found.setdefault(job.user, set()).add(job.estimate_s)
    return found


def owned(of_users: Mapping[str, set[int]]) -> dict[str, set[int]]:
    """Return the estimates that only one user has, by user (5.5). Users without any are left
    out."""
    users = Counter(estimate_s for own in of_users.values() for estimate_s in own)
    found = {user: {e for e in own if users[e] == 1} for user, own in of_users.items()}
    return {user: own for user, own in found.items() if own}


def without_the_most_creative(jobs: Sequence[TraceJob]) -> list[TraceJob]:
    """Return the jobs without those in which the user who owns most estimates has one of them. For
    SDSC this makes SDSC-106 (5.5)."""
    owners = owned(estimates_of_users(jobs))
    if not owners:
        return list(jobs)
    user = max(owners, key=lambda user: len(owners[user]))
    return [job for job in jobs if job.user != user or job.estimate_s not in owners[user]]
