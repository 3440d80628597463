"""Processors of jobs on the daemon's own machine."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.live import Daemon

pytestmark = pytest.mark.live

USABLE = os.sched_getaffinity(0)
SHOW = 'taskset -cp $$ | sed "s/.*: //" > set.$RMS_JOB_ID; nproc > $RMS_JOB_ID.tmp; '
SHOW += "mv $RMS_JOB_ID.tmp nproc.$RMS_JOB_ID; exec sleep 600"


def begin(start_daemon: Callable[..., Daemon], config: str) -> Daemon:
    """Start a daemon whose agent finds the processors of the machine unclaimed."""
    cores = f"cores = {len(USABLE)}\n"
    daemon = start_daemon(config=f'kill_grace = "1s"\n{cores}{config}', begin=False)
    for name in ("XDG_RUNTIME_DIR", "TMPDIR"):
        daemon.env[name] = str(daemon.root)
    return daemon.start()


def shown(daemon: Daemon, job_id: int) -> tuple[int, str]:
    """Return what a job counts as its processors, and which they are."""
    [count] = wait_until(lambda: daemon.lines(f"nproc.{job_id}"), f"job {job_id} has counted")
    [ids] = daemon.lines(f"set.{job_id}")
    return int(count), ids


@pytest.mark.skipif(len(USABLE) < 2, reason="one processor cannot be divided")
def test_two_jobs_share_no_processor_over_a_killed_agent(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = begin(start_daemon, "")
    first, second = daemon.submit(SHOW), daemon.submit(SHOW)
    before = {shown(daemon, first), shown(daemon, second)}
    assert {count for count, _ in before} == {1}
    assert len(before) == 2
    agent = daemon.agent_pid
    os.kill(agent, signal.SIGKILL)
    wait_until(lambda: daemon.agent_pid != agent, "the agent is started again")
    daemon.client.cancel(first)
    daemon.wait(first)
    third = daemon.submit(SHOW)
    assert {shown(daemon, second), shown(daemon, third)} == before


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_binding_is_switched_off(start_daemon: Callable[..., Daemon]) -> None:
    daemon = begin(start_daemon, "bind_processors = false\n")
    assert shown(daemon, daemon.submit(SHOW))[0] == len(USABLE)
