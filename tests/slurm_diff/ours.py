"""rmsd's commands on a site like the one of the real Slurm."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tests.client.slurm.site import SlurmSite
from tests.live import Daemon
from tests.slurm_diff.site import Site

_EARLIER_JOBS = 200
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
    """Run a daemon with four emulated nodes as long as the context lasts. The numbers of its jobs
    are larger than any other number in what commands say of them."""
    daemon = Daemon("--no-local-node", "--emulate", "4x8", config=_CONFIG)
    try:
        site = SlurmSite(daemon.start())
        daemon.client.submit([{"emulate": {"run_s": 0}}] * _EARLIER_JOBS)
        yield Site({**site.daemon.env, "TZ": "UTC"}, daemon.work)
        daemon.stop()
    finally:
        daemon.close()
