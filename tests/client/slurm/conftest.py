"""Fixtures of the tests of Slurm's commands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.client.slurm.site import SlurmSite
from tests.live import Daemon

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
        daemon.end_jobs()
        daemon.stop()
    finally:
        daemon.close()
