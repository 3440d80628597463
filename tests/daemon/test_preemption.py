"""Running jobs are preempted by a partition of a higher tier, or by a QOS, live: over kill -9 of
the daemon."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from rmsd_client.slurm.show import show
from rmsd_client.slurm.words.partitions import load_partitions
from rmsd_core.model_time import SECOND_US
from tests.client.slurm.site import SlurmSite
from tests.daemon.configured import reload
from tests.daemon.fold import assert_events_fold_to_tables
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live

PARTITIONS = """
kill_grace = "10m"

[partitions.low]
default = true
preempt = "requeue"

[partitions.cheap]
preempt = "cancel"
preempt_grace = "0.1s"

[partitions.high]
tier = 2
"""
HOUR_US = 3600 * SECOND_US
DEAF = "trap '' TERM; touch deaf; while [ ! -e go ]; do sleep 0.02; done"


@pytest.mark.slow
def test_running_jobs_make_way_for_a_higher_tier_over_a_kill(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The requeued job leaves when it wants to: its grace is long. The cancelled one is killed."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x4", config=PARTITIONS)
    low = daemon.submit(f"[ $RMS_RESTART_COUNT = 1 ] || {{ {DEAF}; }}", tasks=2)
    cheap = daemon.submit("trap '' TERM; touch cheap; sleep 1000", tasks=2, partition="cheap")
    wait_until(lambda: (daemon.work / "deaf").exists() and (daemon.work / "cheap").exists())
    high = daemon.submit("true", tasks=4, partition="high")
    daemon.wait_for(low, "COMPLETING")
    assert daemon.client.job(high)["reason"] == "Claimed"
    said = daemon.run("rstat", "--explain", str(high)).stdout
    assert "once the jobs that are killed there have" in said
    shown = {one["name"]: one for one in daemon.client.partitions()}
    assert [shown[name]["preempt"] for name in ("low", "cheap", "high")] == [
        "requeue",
        "cancel",
        "off",
    ]
    assert shown["cheap"]["preempt_grace_s"] == 0.1
    table = [line.split() for line in daemon.run("rnode", "partitions").stdout.splitlines()]
    at = table[0].index("PREEMPT")
    assert {row[0]: row[at] for row in table[1:]} == {
        "cheap": "cancel",
        "high": "off",
        "low*": "requeue",
    }
    told = show.config(daemon.client.status(), load_partitions(daemon.client))
    assert (told["PreemptType"], told["PreemptMode"]) == ("preempt/partition_prio", "REQUEUE")
    daemon.kill()
    daemon.start()
    job = daemon.wait(cheap)
    assert (job["state"], job["state_code"], job["cause"]) == ("PREEMPTED", "PR", "preempt")
    assert job["message"] == f"job {high} of a higher tier needed its processors"
    assert daemon.client.job(high)["reason"] == "Claimed"
    assert daemon.state_of(low) == "COMPLETING"
    (daemon.work / "go").touch()
    assert daemon.wait(high)["state"] == "COMPLETED"
    assert daemon.wait(low)["state"] == "COMPLETED"
    [first, last] = daemon.client.attempts(low)
    assert (first["cause"], last["cause"]) == ("displace", "exit")
    assert first["message"] == f"job {high} of a higher tier needed its processors"
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


QOS = """
kill_grace = "10m"

[qos.low]
default = true
preempt_grace = "9m"

[qos.cheap]
preempt = "cancel"
preempt_grace = "0.1s"

[qos.high]
"""
FIELDS = "name,preempt,preemptmode,gracetime"
PREEMPTS = 'preempts = ["low", "cheap"]\n'


@pytest.mark.slow
def test_running_jobs_make_way_for_a_qos_over_a_reload_and_a_kill(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The QOS preempts none until SIGHUP tells the daemon otherwise. The requeued job leaves when
    it wants to; the cancelled one is killed."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x4", config=QOS)
    low = daemon.submit(f"[ $RMS_RESTART_COUNT = 1 ] || {{ {DEAF}; }}", tasks=2)
    cheap = daemon.submit("trap '' TERM; touch cheap; sleep 1000", tasks=2, qos="cheap")
    wait_until(lambda: (daemon.work / "deaf").exists() and (daemon.work / "cheap").exists())
    other = daemon.submit("true", tasks=1)
    high = daemon.submit("true", tasks=4, qos="high")
    assert daemon.state_of(high) == "PENDING"
    reload(daemon, QOS + PREEMPTS)
    daemon.wait_for(low, "COMPLETING")
    assert daemon.client.job(high)["reason"] == "Claimed"
    shown = SlurmSite(daemon).out("sacctmgr", "-nP", "show", "qos", f"format={FIELDS}")
    assert shown.splitlines() == [
        "low||requeue|00:09:00",
        "cheap||cancel|00:00:00",
        "high|low,cheap|cluster|00:00:00",
    ]
    told = show.config(daemon.client.status(), (), daemon.client.accounts()["qos"])
    assert (told["PreemptType"], told["PreemptMode"]) == ("preempt/qos", "REQUEUE")
    assert "low,cheap" in daemon.run("rmsd", "account").stdout
    daemon.kill()
    daemon.start()
    job = daemon.wait(cheap)
    assert (job["state"], job["cause"]) == ("PREEMPTED", "preempt")
    assert job["message"] == f"job {high} of the QOS high needed its processors"
    assert daemon.state_of(low) == "COMPLETING"
    assert daemon.state_of(other) == "PENDING"
    (daemon.work / "go").touch()
    assert daemon.wait(high)["state"] == "COMPLETED"
    assert daemon.wait(low)["state"] == daemon.wait(other)["state"] == "COMPLETED"
    [first, last] = daemon.client.attempts(low)
    assert (first["cause"], last["cause"]) == ("displace", "exit")
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


EXEMPT = """
[qos.low]
preempt_exempt = "1h"

[qos.cheap]
preempt = "cancel"

[qos.high]
preempts = ["low", "cheap"]
"""


def test_a_preemption_that_is_to_come_is_foreseen(start_daemon: Callable[..., Daemon]) -> None:
    """Half of the processors can be had at once, and the other half after an hour."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x4", config=EXEMPT)
    low = daemon.emulate(20_000, tasks=2, qos="low", time_limit_s=20_000)
    cheap = daemon.emulate(20_000, tasks=2, qos="cheap", time_limit_s=20_000)
    daemon.wait_for(cheap, "RUNNING")
    tested = daemon.run("rsub", "--test-only", "--json", "-q", "high", "-n", "2", "--wrap", "true")
    assert json.loads(tested.stdout)["basis"] == "preemption"
    assert json.loads(tested.stdout)["start_us"] < daemon.client.job(low)["start_us"] + HOUR_US
    high = daemon.emulate(10, tasks=4, qos="high")
    [start] = daemon.client.plan()["starts"]
    assert (start["job_id"], start["basis"]) == (high, "preemption")
    assert start["start_us"] == daemon.client.job(low)["start_us"] + HOUR_US
    said = daemon.run("rstat", "--explain", str(high)).stdout
    assert "in the place of running jobs" in said
    assert said.count("makes way for it then") == 2
    assert daemon.state_of(cheap) == "RUNNING"
