"""Quantities that change over time, as steps: (since [us], value), each of which holds until the
next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from rmsd_lab.schedule import Scheduled

Steps = list[tuple[int, float]]


def queue_length(jobs: Iterable[Scheduled]) -> Steps:
    """Return the number of waiting jobs over time. A job waits from its submit to its start, the
    last start if it was restarted. A job that starts at once is never counted."""
    changes: list[tuple[int, int]] = []
    for job in jobs:
        changes += ((job.submit_us, 1), (job.start_us, -1))
    changes.sort()
    steps: Steps = []
    waiting = 0
    for instant_us, group in groupby(changes, key=lambda change: change[0]):
        waiting += sum(change for _, change in group)
        steps.append((instant_us, waiting))
    return steps


def thinned(steps: Sequence[tuple[int, float]], columns: int) -> Steps:
    """Return as many of the steps as `columns` of a picture can show. Of each equal part of the
    time, the first, lowest, highest and last step are kept, so that no extreme is lost.

    At most four in a column, in order (M4: Jugel and others, VLDB 2014).
    """
    if len(steps) <= 4 * columns:
        return list(steps)
    first_us, last_us = steps[0][0], steps[-1][0]
    width_us = (last_us - first_us) // columns + 1
    kept: Steps = []
    for _, group in groupby(
        range(len(steps)), key=lambda at: (steps[at][0] - first_us) // width_us
    ):
        inside = list(group)
        lowest = min(inside, key=lambda at: steps[at][1])
        highest = max(inside, key=lambda at: steps[at][1])
        kept += (steps[at] for at in sorted({inside[0], lowest, highest, inside[-1]}))
    return kept
