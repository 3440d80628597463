"""The nice value of a job: the points that its submitter takes from its priority."""

from __future__ import annotations

from rmsd_daemon.domain.ranges import within
from rmsd_wire.nice import MOST_NICE


def checked_nice(points: int) -> int:
    """Return the points themselves.

    Raises:
        Malformed: they are too many.
    """
    return within("nice", points, -MOST_NICE, MOST_NICE)
