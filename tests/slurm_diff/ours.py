"""rmsd's commands on a site like the one of the real Slurm."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tests.client.slurm.site import SlurmSite
from tests.live import Daemon
from tests.slurm_diff.site import Site

_CONFIG = """\
kill_grace = "5s"
[partitions.main]
nodes = "e[1-4]"
default = true
[partitions.short]
nodes = "e[1-2]"
max_time = "1h"
"""


@contextlib.contextmanager
def running() -> Iterator[Site]:
    """Run a daemon with four emulated nodes as long as the context lasts."""
    daemon = Daemon("--no-local-node", "--emulate", "4x8", config=_CONFIG)
    try:
        site = SlurmSite(daemon.start())
        yield Site({**site.daemon.env, "TZ": "UTC"}, daemon.work)
        daemon.stop()
    finally:
        daemon.close()
