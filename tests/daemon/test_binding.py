"""Processors of jobs on the daemon's own machine."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from rmsd_agent.machine.processors import read
from tests.client.slurm.site import SlurmSite
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


@pytest.mark.slow
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


_BOUND = """\
show='echo $RMS_PROCID $(taskset -cp $$ | sed "s/.*: //")'
rrun -n2 --cpu-bind=threads sh -c "$show" | sort > threads
stay='; touch one; until [ -e two ]; do sleep 0.05; done'
rrun -n1 --cpu-bind=threads sh -c "$show $stay" > one.out &
until [ -e one ]; do sleep 0.05; done
rrun -n1 --cpu-bind=rank sh -c "$show" > two.out; touch two; wait
ids=$(echo $RMS_CPU_IDS | sed 's/-.*//; s/,.*//')
rrun -n2 --cpu-bind=verbose,map_cpu:$ids sh -c "$show" > map 2> told
rrun -n1 --cpu-bind=mask_cpu:$(printf %x $((1 << ids))) sh -c "$show" > mask
rrun -n1 --cpu-bind=map_cpu:4095 true 2> refused; echo $? >> refused
srun -n1 --cpu-bind=v,threads true 2> told.srun
rrun -n1 sh -c "$show" > free
"""


@pytest.mark.slow
@pytest.mark.skipif(len(USABLE) < 2, reason="one processor cannot be divided")
def test_tasks_are_bound_to_processors_of_their_job(start_daemon: Callable[..., Daemon]) -> None:
    daemon = begin(start_daemon, "")
    site = SlurmSite(daemon)
    job = daemon.submit(f"PATH={site.bin}:$PATH\n{_BOUND}", tasks=2, name="bound")
    assert daemon.wait(job)["state"] == "COMPLETED"
    threads = [line.split() for line in daemon.lines("threads")]
    own = [int(ids) for _, ids in threads]
    assert [rank for rank, _ in threads] == ["0", "1"]
    assert len(set(own)) == 2
    assert daemon.lines("one.out") == [f"0 {own[0]}"]
    assert daemon.lines("two.out") == [f"0 {own[1]}"]
    assert sorted(daemon.lines("map")) == [f"0 {own[0]}", f"1 {own[0]}"]
    mask = f"mask 0x{1 << own[0]:x} set"
    told = sorted(daemon.lines("told"))
    assert [line.split(" - ")[0] for line in told] == ["cpu-bind=MAP ", "cpu-bind=MAP "]
    assert all(line.endswith(mask) for line in told)
    assert daemon.lines("mask") == [f"0 {own[0]}"]
    why, code = daemon.lines("refused")
    assert "--cpu-bind: 4095 is outside of the processors of the job" in why
    assert code != "0"
    [line] = daemon.lines("told.srun")
    assert line.startswith("cpu-bind=MASK - ")
    assert line.endswith(mask)
    [free] = daemon.lines("free")
    assert set(read(free.split()[1])) == set(own)


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_binding_is_switched_off(start_daemon: Callable[..., Daemon]) -> None:
    daemon = begin(start_daemon, "bind_processors = false\n")
    assert shown(daemon, daemon.submit(SHOW))[0] == len(USABLE)
