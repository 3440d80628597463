"""The priorities of waiting jobs: told by the daemon, shown by `rstat --priority` and `sprio`."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.client.slurm.site import SlurmSite
from tests.live import Daemon

pytestmark = pytest.mark.live

_CONFIG = """
[qos.normal]
[qos.high]
priority = 500
"""
_OPTIONS = ("--no-local-node", "--emulate", "1x1")


def test_priorities_are_shown(start_daemon: Callable[..., Daemon]) -> None:
    """A job that is held has none, and each task of an array that waits for its turn has one."""
    recipe = "fair-share,age=0,size=7"
    daemon = start_daemon(*_OPTIONS, "--recipe", recipe, config=_CONFIG)
    daemon.wait_for(daemon.emulate(5000), "RUNNING")
    plain, high = daemon.emulate(5000, nice=50), daemon.emulate(5000, qos="high")
    held = daemon.emulate(5000, conditions={"hold": True})
    told = daemon.client.priorities()
    assert told["order"] == "priority"
    parts = {one["job_id"]: one["priority"] for one in told["priorities"]}
    assert set(parts) == {plain, high}
    assert (parts[plain]["nice"], parts[plain]["size"], parts[high]["qos"]) == (-50, 7, 500)
    lines = daemon.run("rstat", "--priority").stdout.splitlines()
    assert lines[0].split()[0::3] == ["JOBID", "PRIORITY", "SIZE", "NICE"]
    assert [int(line.split()[0]) for line in lines[1:]] == [high, plain]
    assert lines[2].split()[-4:] == ["7", "0", "0", "-50"]
    found = json.loads(daemon.run("rstat", "--priority", "--json", "-j", f"{high},{held}").stdout)
    assert [one["job_id"] for one in found["priorities"]] == [high]
    assert found["priorities"][0]["priority"]["total"] > 500
    site = SlurmSite(daemon)
    shown = [line.split() for line in site.out("sprio").splitlines()]
    assert shown[0] == ["JOBID", "PARTITION", "PRIORITY", "SITE", "AGE", "FAIRSHARE", "JOBSIZE",
                        "PARTITION", "QOS"]  # fmt: skip
    assert {line[0]: line[-1] for line in shown[1:]} == {str(plain): "0", str(high): "500"}
    assert daemon.run("rstat", "--priority", "--start").returncode == 2


def test_other_orders_have_no_priorities(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*_OPTIONS, "--recipe", "easy")
    daemon.wait_for(daemon.emulate(5000), "RUNNING")
    waiting = daemon.emulate(5000)
    refused = daemon.run("rstat", "--priority")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "the order of the queue is `arrival` by the recipe" in refused.stderr
    assert SlurmSite(daemon).out("sprio", "-h", "-o", "%i %Y") == f"{waiting} 1\n"
