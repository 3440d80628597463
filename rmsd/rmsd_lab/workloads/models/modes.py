"""The mode model of user estimates (thesis, chapter 5). The values are few, and most of them are
round. Twenty serve about 90% of the jobs, and the longest is the most popular."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple

from rmsd_lab.workloads.models.mode_pool import popularity_ranks
from rmsd_lab.workloads.models.mode_sizes import HEAD_PERCENT, merged_sizes, tail_percents
from rmsd_lab.workloads.models.mode_times import (
    HEADS,
    head_times_s,
    mode_times_s,
    number_of_modes,
    replaced_by_nearest,
    spread_of,
)


class Mode(NamedTuple):
    """An estimate and the percentage of the jobs that have it."""

    time_s: int
    percent: float


@dataclass(frozen=True, slots=True)
class ModeParameters:
    """The parameters of the model (5.4, 5.11).

    max_s: E_max, the longest estimate that users may give.
    given: what is known of popular estimates, at most 20 with the longest, 19 without. The share of
        the longest is the one to give: it differs between sites more than all else, and matters
        most.
    number: K, the number of different estimates; None: by the number of jobs (Table 5.3). At least
        20; at 20 there is no tail, and the head has all jobs.
    spread: a > 1 of F_tim; None: by K (Fig. 5.6).
    """

    max_s: int
    given: tuple[Mode, ...] = ()
    number: int | None = None
    spread: float | None = None

    def check(self) -> None:
        """Raise ValueError if the parameters contradict each other or are out of range."""
        times_s = [mode.time_s for mode in self.given]
        if len(set(times_s)) < len(times_s):
            raise ValueError("an estimate is given twice")
        if any(not 0 < time_s <= self.max_s for time_s in times_s):
            raise ValueError(f"a given estimate is not from 1 s to the longest, {self.max_s} s")
        most = HEADS if self.max_s in times_s else HEADS - 1
        if len(times_s) > most:
            raise ValueError(f"{len(times_s)} estimates are given; the head takes at most {most}")
        if any(not mode.percent > 0 for mode in self.given):
            raise ValueError("a given percentage is not above zero")
        if sum(mode.percent for mode in self.given) > 100 + 1e-9:
            raise ValueError("the given percentages are more than 100 in sum")
        if self.number is not None and self.number < HEADS:
            raise ValueError(f"there are at least {HEADS} modes, not {self.number}")
        if self.spread is not None and not self.spread > 1:
            raise ValueError(f"the spread must be above 1, not {self.spread}")


def mode_series(jobs: int, parameters: ModeParameters, seed: int) -> list[Mode]:
    """Return the modes of `jobs` jobs, by time. The sum of their percentages is 100.

    Raises:
        ValueError: parameters that cannot be, or no job.
    """
    parameters.check()
    if jobs < 1:
        raise ValueError("a model of estimates needs at least one job")
    rng = random.Random(seed)
    max_s = parameters.max_s
    number = min(parameters.number or max(HEADS, number_of_modes(jobs)), max_s)
    head = _head(parameters, 100.0 if number == HEADS else HEAD_PERCENT, rng)
    spread = parameters.spread or spread_of(number)
    heads_s = [mode.time_s for mode in head]
    tail_s = replaced_by_nearest(mode_times_s(number, max_s, spread), heads_s)
    rng.shuffle(tail_s)
    tail = tail_percents(len(tail_s), max(0.0, 100 - sum(mode.percent for mode in head)))
    modes = head + [Mode(*pair) for pair in zip(tail_s, tail, strict=True)]
    total = sum(mode.percent for mode in modes)  # below 100 if all is given, and there is no tail
    return sorted(
        Mode(mode.time_s, 100 * mode.percent / total) for mode in modes if mode.percent > 0
    )


def _head(parameters: ModeParameters, percent: float, rng: random.Random) -> list[Mode]:
    """Return the modes of the 20 most popular estimates: their times and sizes, mapped to each
    other."""
    max_s = parameters.max_s
    of_max = next((mode.percent for mode in parameters.given if mode.time_s == max_s), None)
    given = [mode for mode in parameters.given if mode.time_s != max_s]
    times_s = _with_given(head_times_s(max_s)[:-1], [mode.time_s for mode in given])
    sizes = merged_sizes([mode.percent for mode in given], of_max, percent)
    fixed = {0: sizes.of_max}
    for mode, rank in zip(given, sizes.of_given, strict=True):
        fixed[1 + times_s.index(mode.time_s)] = rank
    ranks = popularity_ranks(fixed, rng)
    return [
        Mode(time_s, sizes.percents[rank - 1])
        for time_s, rank in zip([max_s, *times_s], ranks, strict=True)
    ]


def _with_given(times_s: Sequence[int], given_s: Sequence[int]) -> list[int]:
    """Return the times with each given time in place of the nearest of the model's, the nearest
    pair first (5.10.4)."""
    pairs = sorted((abs(new - old), new, old) for new in given_s for old in times_s)
    replaced: dict[int, int] = {}
    placed: set[int] = set()
    for _, new, old in pairs:
        if old not in replaced and new not in placed:
            replaced[old] = new
            placed.add(new)
    return sorted(replaced.get(time_s, time_s) for time_s in times_s)


def estimates_of(modes: Sequence[Mode], jobs: int) -> list[int]:
    """Return `jobs` estimates with these percentages, ascending, by largest remainders. Each mode
    has at least one job if there are enough jobs; a mode without a job gets one from the
    largest."""
    quotas = [mode.percent / 100 * jobs for mode in modes]
    counts = [int(quota) for quota in quotas]
    by_remainder = sorted(range(len(modes)), key=lambda at: counts[at] - quotas[at])
    for at in by_remainder[: jobs - sum(counts)]:
        counts[at] += 1
    for at, count in enumerate(counts):
        largest = max(range(len(counts)), key=counts.__getitem__)
        if count == 0 and counts[largest] > 1:
            counts[largest] -= 1
            counts[at] = 1
    return [
        time_s
        for mode, count in zip(modes, counts, strict=True)
        for time_s in repeat(mode.time_s, count)
    ]
