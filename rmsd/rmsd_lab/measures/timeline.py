"""The course of a schedule: its momentary load, and the order of its queue, over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from rmsd_lab.schedule import Schedule, Scheduled


def momentary_load(jobs: Sequence[Scheduled], processors: int) -> list[tuple[int, float]]:
    """Return (since [us], load) at every change. The load is the processors of all jobs that run or
    wait, over the machine's (thesis 3.6), and holds until the next change. The last load is 0."""
    changes = [(job.submit_us, job.size) for job in jobs]
    changes += [(job.end_us, -job.size) for job in jobs]
    changes.sort()
    steps = []
    present = 0
    for instant_us, group in groupby(changes, key=lambda change: change[0]):
        present += sum(size for _, size in group)
        steps.append((instant_us, present / processors))
    return steps


class Load(NamedTuple):
    """The momentary load over time: weighted mean and standard deviation, and the maximum."""

    mean: float
    std_dev: float
    maximum: float


def summarize_load(steps: Sequence[tuple[int, float]]) -> Load | None:
    """Return the summary of the steps that `momentary_load` returns; None if they cover no time."""
    spans = [(until - since, load) for (since, load), (until, _) in pairwise(steps)]
    total = sum(span for span, _ in spans)
    if not total:
        return None
    mean = sum(span * load for span, load in spans) / total
    variance = sum(span * (load - mean) ** 2 for span, load in spans) / total
    return Load(mean, variance**0.5, max(load for _, load in spans))


def windowed_load(steps: Sequence[tuple[int, float]], windows: int) -> list[tuple[int, float]]:
    """Return (since [us], mean load) of `windows` equal parts of the time that the steps cover."""
    if not steps or steps[-1][0] == steps[0][0]:
        return []
    first_us, last_us = steps[0][0], steps[-1][0]
    bounds = [first_us + (last_us - first_us) * at // windows for at in range(windows + 1)]
    areas = [0.0] * windows
    at = 0
    for (since_us, load), (until_us, _) in pairwise(steps):
        while since_us < until_us:
            while bounds[at + 1] <= since_us:
                at += 1
            stop_us = min(until_us, bounds[at + 1])
            areas[at] += load * (stop_us - since_us)
            since_us = stop_us
    return [
        (since_us, area / (until_us - since_us))
        for (since_us, until_us), area in zip(pairwise(bounds), areas, strict=True)
        if until_us > since_us
    ]


def order_shares(schedule: Schedule) -> dict[str, float] | None:
    """Return the share of the time from the first arrival to the last end during which each order
    was in force (dynP, Fig. 5). Returns None if the order never changed, or if the changes are not
    known."""
    if not schedule.orders or not schedule.jobs:
        return None
    first_us = min(job.submit_us for job in schedule)
    last_us = max(job.end_us for job in schedule)
    if last_us == first_us:
        return None
    spans: Counter[str] = Counter()
    for (since_us, name), (until_us, _) in pairwise([*schedule.orders, (last_us, "")]):
        spans[name] += max(0, min(until_us, last_us) - max(since_us, first_us))
    return {name: span / (last_us - first_us) for name, span in spans.items()}
