"""Commands that the tests of a live cluster run."""

from __future__ import annotations

from pathlib import Path

from tests.live import Daemon


def submit(cluster: Daemon, *arguments: str) -> int:
    """Return the id of a job that `rsub` submits with these arguments."""
    return int(cluster.run("rsub", "--parsable", *arguments, expect=0).stdout)


def output_of(cluster: Daemon, job_id: int) -> str:
    job = cluster.wait(job_id)
    return Path(job["stdout"]).read_text()
