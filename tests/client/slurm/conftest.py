"""Fixtures of the tests of Slurm's commands."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from rmsd_client.errors import ApiError
from tests.client.slurm.site import SlurmSite
from tests.live import Daemon
from tests.waiting import wait_until

_CONFIG = """\
kill_grace = "30s"
mail = "/bin/true"
[licenses]
matlab = 4
[partitions.main]
nodes = "e[1-4]"
default = true
[partitions.short]
nodes = "e[1-2]"
max_time = "1h"
"""


@pytest.fixture(scope="package")
def site() -> Iterator[SlurmSite]:
    """Yield a daemon with four emulated nodes of eight cores, two partitions, and Slurm's
    commands."""
    daemon = Daemon("--no-local-node", "--emulate", "4x8", config=_CONFIG)
    try:
        yield SlurmSite(daemon.start())
        for job in daemon.client.jobs():
            with contextlib.suppress(ApiError):  # the job has just ended
                daemon.client.cancel(job["job_id"])
        wait_until(lambda: not daemon.client.jobs())
        daemon.stop()
    finally:
        daemon.close()
