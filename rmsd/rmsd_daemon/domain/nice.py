"""The nice value of a job: the points that its submitter takes from its priority."""

from __future__ import annotations

from rmsd_daemon.domain.errors import Malformed
from rmsd_wire.nice import MOST_NICE


def checked_nice(points: int) -> int:
    """Return the points themselves.

    Raises:
        Malformed: they are too many.
    """
    if abs(points) > MOST_NICE:
        raise Malformed(f"'nice' is {points}; it must be -{MOST_NICE} to {MOST_NICE}")
    return points
