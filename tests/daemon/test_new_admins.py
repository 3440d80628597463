"""Admins that a reload brings: root has no jobs from then on, unless `allow_root_jobs` says so."""

from __future__ import annotations

import os
from collections.abc import Callable

import psutil
import pytest

from tests.daemon.accounts import ADMIN, client_of
from tests.daemon.configured import reload
from tests.live import Daemon

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")


def test_an_admin_of_a_reload_gets_no_jobs_of_roots(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x4", begin=False)
    daemon.root.chmod(0o755)
    daemon.options = (*daemon.options, "--socket", str(daemon.root / "run" / "rmsd.sock"))
    daemon.start()
    agent = daemon.agent_pid
    assert "--allow-root-jobs" in psutil.Process(agent).cmdline()
    reload(daemon, f'admins = ["{ADMIN}"]\n')
    spec = {"script": "#!/bin/sh\ntouch ran\n", "user": "root", "workdir": str(daemon.work)}
    with client_of(daemon, ADMIN) as client:
        [job] = client.submit([spec], "key")
    job = daemon.wait(job["job_id"])
    assert job["state"] == "FAILED"
    assert "root" in job["message"]
    assert not (daemon.work / "ran").exists()
    assert daemon.agent_pid != agent
    assert "--allow-root-jobs" not in psutil.Process(daemon.agent_pid).cmdline()
