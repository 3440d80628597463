"""The measures of the estimates of a run: `experiment.ESTIMATES`."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import Any

from rmsd_lab.workloads.models.popularity import (
    coverage,
    distance,
    estimates_of_users,
    fitted_spread,
    head_share,
    joint_ratio,
    repeat_share,
)
from rmsd_lab_cli.papers.workloads import Jobs

_SHOWN = 40
"""Shares are kept of so many of the most popular estimates."""


def estimates_measured(jobs: Jobs, own: Jobs) -> dict[str, Any]:
    """Return measures of the estimates of `jobs`. `own` are the same jobs with the trace's
    estimates. Keys are texts, as in kept results."""
    estimates_s = [job.estimate_s for job in jobs]
    of_users = estimates_of_users(jobs)
    counts = Counter(estimates_s)
    return {
        "jobs": len(jobs),
        "users": len(of_users),
        "of_a_user_median": median(map(len, of_users.values())),
        "repeat_share": repeat_share(jobs),
        "longest_s": max(estimates_s),
        "modes": len(counts),
        "head_share": head_share(estimates_s),
        "joint_ratio": joint_ratio(estimates_s),
        "cover_percent": {str(key): few for key, few in coverage(estimates_s).items()},
        "share_s": {str(time_s): count / len(jobs) for time_s, count in counts.most_common(_SHOWN)},
        "spread": fitted_spread(estimates_s),
        "distance": distance(estimates_s, [job.estimate_s for job in own]),
    }
