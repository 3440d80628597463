"""The files of devices, from a submit to the open of a job."""

from __future__ import annotations

import pytest

from tests.cgroup_trees import cgroup_tree, device_files, needs_cgroups, tries
from tests.live import Daemon, node_state, other_agent
from tests.waiting import wait_until


@pytest.mark.slow
@pytest.mark.live
@needs_cgroups
def test_jobs_open_the_devices_that_they_were_given() -> None:
    with cgroup_tree() as tree, device_files() as files:
        daemon = Daemon("--no-local-node")
        options = ("--name", "n1", "--cgroup", str(tree), "--gres", f"gpu={files}/a[0-1]")
        try:
            daemon.start()
            with other_agent(daemon, *options):
                wait_until(lambda: node_state(daemon, "n1") == "idle", "the node is there")
                shown = daemon.run("rnode", "show", "n1").stdout
                assert (
                    "Dev limit:  a job opens the files of its own devices alone (cgroup)" in shown
                )
                script = f"({tries(files)}) 2> why | tr '\\n' ' ' > opened; echo >> opened"
                for gres, opened in (("", "null"), ("gpu:1", "a0 null"), ("gpu:2", "a0 a1 null")):
                    job = daemon.submit(script, name="tries", gres=gres)
                    assert daemon.wait(job)["state"] == "COMPLETED"
                    assert [line.strip() for line in daemon.lines("opened")] == [opened]
            wait_until(lambda: node_state(daemon, "n1") != "idle", "the node is suspect")
            assert "Dev limit:  unknown" in daemon.run("rnode", "show", "n1").stdout
        finally:
            daemon.close()
