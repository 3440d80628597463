"""The nursery: shepherds are forked by it, share its memory, and need it no more."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, LaunchedReport
from tests.agent.programs import python
from tests.agent.rig import sleeping
from tests.waiting import wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = pytest.mark.live

_MOST_PRIVATE_KIB = 1500
"""The memory that a shepherd with a running job may have alone. 256 of them have 375 MiB then.
Measured: 1,300 KiB (Python 3.11). A process that loads everything by itself has 5,500."""


DESCRIPTORS = """
import os
there = os.listdir("/proc/self/fd")
print(sorted(int(fd) for fd in there if os.path.exists(f"/proc/self/fd/{fd}")))
"""


def private_kib(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def long_job(rig: Rig, job_id: int) -> int:
    """Start a job that ends with 5 as soon as there is a file `go`; return its pid."""
    rig.launch(job_id, "until [ -e go ]; do sleep 0.02; done; exit 5")
    pid = rig.peer.wait(LaunchedReport, job_id).pid
    assert pid is not None
    return pid


def nursery(rig: Rig) -> psutil.Process:
    """Return the one nursery, when others have left."""
    [found] = wait_until(lambda: [rig.nurseries()] if len(rig.nurseries()) == 1 else [])[0]
    return found


def test_shepherds_share_their_memory(rig: Rig) -> None:
    rig.start()
    pids = [long_job(rig, job_id) for job_id in range(1, 9)]
    for pid in pids:
        assert private_kib(rig.shepherd_of(pid).pid) < _MOST_PRIVATE_KIB
    assert private_kib(nursery(rig).pid) < _MOST_PRIVATE_KIB


def test_a_forked_shepherd_is_a_process_of_its_own(rig: Rig) -> None:
    rig.start()
    shepherd = rig.shepherd_of(long_job(rig, 1))
    parent = nursery(rig)
    assert shepherd.ppid() == parent.pid
    assert os.getsid(shepherd.pid) == shepherd.pid
    assert shepherd.cwd() == "/"
    open_files = Path(f"/proc/{shepherd.pid}/fd")
    assert os.readlink(open_files / "0") == os.devnull
    assert not {os.readlink(one) for one in open_files.iterdir()} & sockets_of(parent.pid)
    assert shepherd.environ() == parent.environ() == {"PATH": os.defpath}


def test_a_unit_has_no_descriptors_of_its_shepherds(rig: Rig) -> None:
    rig.start()
    assert rig.run(1, python(DESCRIPTORS)).exit_code == 0
    assert rig.output(1) == "[0, 1, 2]\n"


def sockets_of(pid: int) -> set[str]:
    links = {os.readlink(one) for one in Path(f"/proc/{pid}/fd").iterdir()}
    return {link for link in links if link.startswith(("socket:", "pipe:"))}


def test_jobs_outlive_a_killed_nursery_and_others_start(rig: Rig) -> None:
    rig.start()
    jobs = range(1, 7)
    for job_id in jobs:
        long_job(rig, job_id)
    first = nursery(rig)
    first.kill()
    wait_until(lambda: '"nursery-failed"' in rig.log())
    for job_id in range(10, 20):  # more than the idle shepherds
        long_job(rig, job_id)
    assert nursery(rig) != first
    (rig.work / "go").touch()
    for job_id in (*jobs, *range(10, 20)):
        end = rig.peer.wait(ExitedReport, job_id)
        assert (end.cause, end.exit_code) == (Cause.EXIT, 5)


@pytest.mark.long  # the agent looks every 2 s
def test_a_stopped_nursery_is_replaced(rig: Rig) -> None:
    rig.start()
    first = nursery(rig)
    first.suspend()
    for job_id in range(1, 8):
        long_job(rig, job_id)
    assert "it was stopped" in rig.log()
    assert nursery(rig) != first


def test_a_nursery_leaves_with_its_agent_and_its_shepherds_stay(rig: Rig) -> None:
    rig.start()
    long_job(rig, 1)
    nursery(rig)
    rig.end_agent()
    wait_until(lambda: not rig.nurseries())
    rig.start()
    (rig.work / "go").touch()
    assert rig.peer.wait(ExitedReport, 1).exit_code == 5


@pytest.mark.parametrize("killed", [("agent", "nursery"), ("nursery", "agent")])
def test_a_job_outlives_agent_and_nursery(rig: Rig, killed: tuple[str, str]) -> None:
    rig.start()
    mark = rig.marker()
    rig.launch(1, f"sleep {mark} & until [ -e go ]; do sleep 0.02; done; exit 5")
    wait_until(lambda: sleeping(mark))
    found = nursery(rig)
    for one in killed:
        if one == "agent":
            rig.end_agent()
        elif found.is_running():
            found.send_signal(signal.SIGKILL)
    (rig.work / "go").touch()
    rig.start()
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.cause, end.exit_code) == (Cause.EXIT, 5)
    assert not sleeping(mark)
    assert rig.run(2, "exit 3").exit_code == 3


def test_without_nursery_and_shepherd_a_job_has_its_limit(rig: Rig) -> None:
    rig.start()
    mark = rig.marker()
    rig.launch(1, f"sleep {mark}", time_limit_s=1.0, kill_grace_s=0.1)
    pid = rig.peer.wait(LaunchedReport, 1).pid
    assert pid is not None
    nursery(rig).kill()
    rig.shepherd_of(pid).kill()
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.LIMIT
    assert not sleeping(mark)


def test_a_shepherd_that_fails_before_it_speaks_is_tried_again(rig: Rig) -> None:
    rig.start()
    found = nursery(rig)
    given = found.rlimit(psutil.RLIMIT_NOFILE)
    found.rlimit(psutil.RLIMIT_NOFILE, (4, given[1]))  # none for the pipe of a shepherd
    job_ids = iter(range(1, 1000))
    started = []

    def launch_one() -> bool:
        job_id = rig.launch(next(job_ids), "exit 3").job_id
        started.append(job_id)
        wait_until(lambda: rig.peer.all(ExitedReport, job_id) or '"shepherd-failed"' in rig.log())
        return '"shepherd-failed"' in rig.log()

    wait_until(launch_one)
    found.rlimit(psutil.RLIMIT_NOFILE, given)
    for job_id in started:
        assert rig.peer.wait(ExitedReport, job_id).exit_code == 3
