"""The nice value of a job: the points that its submitter takes from its priority."""

from __future__ import annotations

from rmsd_daemon.domain.errors import Malformed

_MOST = 2_147_483_645
"""Slurm's bound."""


def checked_nice(points: int) -> int:
    """Return the points themselves.

    Raises:
        Malformed: they are too many.
    """
    if abs(points) > _MOST:
        raise Malformed(f"'nice' is {points}; it must be -{_MOST} to {_MOST}")
    return points
