"""Trials that are killed for another job when a test says so, however late that is."""

from __future__ import annotations

from typing import Any

from tests.live import Daemon
from tests.waiting import wait_until

TIMED = 'recipe = "timed-easy,trial=1"\nkill_grace = "1s"\n'
TWO_CORES = ("--no-local-node", "--emulate", "1x2")


def head_of_queue(daemon: Daemon, script: str = "true", *, tasks: int = 2, **spec: Any) -> int:
    """Submit a job that waits, until `let_go`, for all cores of the only node, of which it keeps
    one busy, and return its id. While it waits, a long trial beside it is not committed when it
    expires."""
    daemon.submit("while [ ! -e go ]; do sleep 0.02; done", restartable=False, time_limit_s=600.0)
    return daemon.submit(script, tasks=tasks, time_limit_s=600.0, **spec)


def let_go(daemon: Daemon) -> None:
    """Give the head of the queue its turn; expired trials are killed for it."""
    (daemon.work / "go").touch()


def waits_again(daemon: Daemon, script: str, *, tasks: int = 2) -> tuple[int, int]:
    """Return a job that waits after its trial, in which it wrote something, and the job on all
    `tasks` cores of the only node, until it is cancelled."""
    head = head_of_queue(daemon, "sleep 600", tasks=tasks, restartable=False)
    job_id = daemon.submit(script)
    daemon.wait_for(job_id, "RUNNING")
    wait_until(lambda: daemon.client.output(job_id).data)
    let_go(daemon)
    # The job's state would tell a moment sooner, before the end is stored.
    wait_until(lambda: daemon.client.attempts(job_id)[0]["cause"] == "trial")
    return job_id, head
