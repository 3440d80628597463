"""An agent that stood still obeys nothing that it was told before.

Long: a daemon pings every 10 s, and gives an agent up at a missing answer.
"""

from __future__ import annotations

import signal

import pytest

from tests.daemon.joined_agents import Site
from tests.waiting import wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.mark.parametrize("site", ['node_dead = "1s"\n'], indirect=True)
def test_a_stopped_agent_starts_no_job_that_has_run_elsewhere_meanwhile(site: Site) -> None:
    daemon, join = site.daemon, site.join_file(uses=2)
    stopped = site.start("a", "--token-file", join)
    wait_until(lambda: site.node("a1") == "idle")
    stopped.send_signal(signal.SIGSTOP)
    job_id = daemon.submit('echo "$RMS_ATTEMPT" >> ran', tasks=4)
    wait_until(lambda: daemon.client.job(job_id)["attempt"] == 1)
    wait_until(lambda: site.node("a1") == "down")
    site.start("b", "--token-file", join)
    job = daemon.wait(job_id)
    assert (job["state"], job["attempt"]) == ("COMPLETED", 2)
    stopped.send_signal(signal.SIGCONT)
    wait_until(lambda: site.node("a1") == "idle")
    wait_until(lambda: not list((site.state("a") / "jobs").glob(f"{job_id}.*")))
    assert daemon.lines("ran") == ["2"]
    said = (daemon.root / "a.log").read_text()  # the link has two clocks, and both are late
    assert "this agent stood still for" in said or '"reason": "timed out"' in said
