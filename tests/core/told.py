"""The rows of jobs as a core tells of their changes: nothing may change that is not told, since
only what is told is stored."""

from __future__ import annotations

from collections.abc import Mapping

from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Effects
from rmsd_daemon.store.records import Row, changing_columns


def told_rows(core: Core, effects: Effects) -> dict[int, Row]:
    """Return what is stored of the jobs that the latest call of the core has changed."""
    return {job_id: changing_columns(core.job(job_id)) for job_id in effects.changed}


def check_told(core: Core, told: Mapping[int, Row]) -> None:
    """Raise AssertionError if a live job is not as it was last told to have changed."""
    for job in core.jobs.values():
        row, last = changing_columns(job), told[job.id]
        silent = {key: (last[key], row[key]) for key in row if row[key] != last[key]}
        assert not silent, f"job {job.id} has changed, and nobody was told: {silent}"
