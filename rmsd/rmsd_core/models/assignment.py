"""Which job gets which estimate: the random shuffle (thesis 5.12.2), and one in which users repeat
themselves."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

INFEASIBLE = "there are not enough long estimates for the long jobs"


def shuffled(needs_s: Sequence[int], estimates_s: Sequence[int], seed: int) -> list[int]:
    """The estimates in random order, none of them below the need (the run time) at its position.

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


def repeated(
    needs_s: Sequence[int],
    estimates_s: Sequence[int],
    users: Sequence[str],
    share: float,
    seed: int,
) -> list[int]:
    """As `shuffled`, but users repeat themselves: with probability `share`, 0 to 1, a job takes an
    estimate that its user already has, as long as there are any of them, each with equal
    probability.

    An extension: the thesis finds that this is what its model lacks (5.12.4: half of the users of
    SDSC give at most three different estimates), and leaves it open.

    Raises:
        ValueError: as `shuffled`, or `share` is not from 0 to 1.
    """
    _check_numbers(needs_s, estimates_s)
    if not 0 <= share <= 1:
        raise ValueError(f"a share is from 0 to 1, not {share}")
    rng = random.Random(seed)
    left = Counter(estimates_s)
    values = sorted(left, reverse=True)
    counts = [left[value] for value in values]
    position = {value: at for at, value in enumerate(values)}
    own: dict[str, list[int]] = {}
    assigned = [0] * len(needs_s)
    legal = 0
    for job in _longest_first(needs_s):
        while legal < len(values) and values[legal] >= needs_s[job]:
            legal += 1
        mine = [value for value in own.get(users[job], ()) if counts[position[value]]]
        if mine and rng.random() < share:
            drawn = rng.choice(mine)  # given to a job as long as this one or longer
        else:
            if not any(counts[:legal]):
                raise ValueError(INFEASIBLE)
            drawn = rng.choices(values[:legal], counts[:legal])[0]
            if drawn not in own.setdefault(users[job], []):
                own[users[job]].append(drawn)
        counts[position[drawn]] -= 1
        assigned[job] = drawn
    return assigned


def lifted(
    needs_s: Sequence[int], estimates_s: Sequence[int], longest_s: int
) -> tuple[list[int], int]:
    """The estimates with as few as possible, the shortest, replaced by the longest there may be, so
    that `shuffled` can serve the needs; and how many were replaced.

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
