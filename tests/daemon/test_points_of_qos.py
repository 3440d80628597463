"""The points of QOS and partitions in a live daemon: over its death, changed by SIGHUP, shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rmsd_daemon.setup.loading import ConfigError
from tests.client.slurm.site import SlurmSite
from tests.daemon.configured import from_text, reload
from tests.live import Daemon

_CONFIG = """
[qos.normal]
[qos.high]
priority = {high}
[partitions.slow]
nodes = "ALL"
default = true
[partitions.fast]
nodes = "ALL"
priority = 300
"""


@pytest.mark.parametrize("points", ["-1", "true", '"many"', "1000000001"])
def test_points_that_are_no_number_are_refused(points: str, tmp_path: Any) -> None:
    for table in ("qos.a", "partitions.a"):
        with pytest.raises(ConfigError, match=r"a.priority: .* is not a whole number from 0 to"):
            from_text(tmp_path, f"[{table}]\npriority = {points}\n")


@pytest.mark.slow
@pytest.mark.live
def test_points_order_the_queue(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(
        "--no-local-node", "--emulate", "1x1", "--recipe", "fair-share,age=0",
        config=_CONFIG.format(high=100),
    )  # fmt: skip
    daemon.wait_for(daemon.emulate(5000), "RUNNING")
    fast, high = daemon.emulate(5000, partition="fast"), daemon.emulate(5000, qos="high")

    def places() -> list[int]:
        return [daemon.client.explain(one)["wait"]["place"] for one in (fast, high)]

    assert places() == [1, 2]
    priority = daemon.client.explain(fast)["wait"]["priority"]
    assert (priority["partition"], priority["qos"]) == (300, 0)
    assert " + 100 (QOS)" in daemon.run("rstat", "--explain", str(high)).stdout
    daemon.kill()
    daemon.start()
    assert places() == [1, 2]
    reload(daemon, _CONFIG.format(high=500))
    assert places() == [2, 1]
    site = SlurmSite(daemon)
    partition = site.out("scontrol", "show", "partition", "fast")
    assert "PriorityJobFactor=300 PriorityTier=1" in partition
    assert (
        site.out("sacctmgr", "-nP", "show", "qos", "high", "format=name,priority") == "high|500\n"
    )
    assert "points" in daemon.run("rmsd", "account").stdout
