"""Agents and jobs on a disk that is full.

Long: agents are started, and jobs wait for free space.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import msgspec
import psutil
import pytest

from rmsd_wire.link import ExitedReport, Hello, LaunchedReport
from rmsd_wire.link_calls import StartTask
from tests.agent.kept_attempts import leave_behind
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.agent.rig import Rig

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.fixture
def small_disk(rig: Rig) -> Iterator[Rig]:
    """Yield a rig whose agent has its state on a file system of 256 KiB."""
    state = rig.root / "agent"
    state.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "none", str(state)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("may not mount a tmpfs here")
    yield rig
    rig.end_agent()
    subprocess.run(["umount", "-l", str(state)], check=True)


def test_a_full_disk_costs_no_exit_status_and_no_agent(small_disk: Rig) -> None:
    rig = small_disk
    rig.start()
    go = rig.work / "go"
    rig.launch(1, f"until [ -e {go} ]; do sleep 0.02; done; exit 7")
    rig.peer.wait(LaunchedReport, 1)
    filler = rig.root / "agent/filler"
    subprocess.run(["dd", "if=/dev/zero", f"of={filler}", "bs=4k"], capture_output=True)
    rig.launch(2, "exit 2")
    wait_until(lambda: '-delayed"' in rig.log() and "No space left on device" in rig.log())
    go.touch()
    assert rig.peer.wait(ExitedReport, 1).exit_code == 7
    rig.peer.stop()
    rig.peer.start()
    rig.peer.wait(Hello, count=2)
    wait_until(lambda: "No space left on device" in rig.peer.all(Hello)[-1].nodes[0].unable)
    filler.unlink()
    wait_until(lambda: rig.peer.all(Hello)[-1].nodes[0].unable == "")
    assert rig.run(3, "exit 3").exit_code == 3
    assert rig.peer.wait(ExitedReport, 2).exit_code == 2


def test_an_agent_starts_on_a_full_disk_and_jobs_go_on(small_disk: Rig) -> None:
    """One of the jobs ends before the agent starts, and only the job's shepherd knows how."""
    rig = small_disk
    rig.start()
    gone, go = rig.work / "gone", rig.work / "go"
    rig.launch(1, f"until [ -e {go} ]; do sleep 0.02; done; exit 7")
    rig.launch(2, f"until [ -e {gone} ]; do sleep 0.02; done; exit 8")
    launched = [rig.peer.wait(LaunchedReport, job_id) for job_id in (1, 2)]
    leave_behind(rig)
    rig.end_agent()
    subprocess.run(
        ["dd", "if=/dev/zero", f"of={rig.root / 'agent/filler'}", "bs=4k"], capture_output=True
    )
    gone.touch()
    assert launched[1].pid is not None
    wait_until(lambda: not psutil.pid_exists(launched[1].pid or 0))
    [node] = rig.start().nodes
    assert "No space left on device" in node.unable
    assert rig.peer.wait(ExitedReport, 2).exit_code == 8
    assert rig.peer.wait(LaunchedReport, 1, count=2).pid == launched[0].pid
    assert not rig.peer.all(ExitedReport, 1)
    assert not (rig.jobs_dir / "9.1.n1").exists()  # an attempt that never started is dropped
    go.touch()
    assert rig.peer.wait(ExitedReport, 1).exit_code == 7


def test_a_task_waits_for_room_as_a_job_does(small_disk: Rig) -> None:
    """A task also waits on a node whose part of the job could not be prepared yet."""
    rig = small_disk
    rig.start()
    filler = rig.root / "agent/filler"
    subprocess.run(["dd", "if=/dev/zero", f"of={filler}", "bs=4k"], capture_output=True)
    rig.launch(1, "", batch=False)
    wait_until(lambda: '"attempt-delayed"' in rig.log())
    task = StartTask(1, 1, 1, "n1", "s", 0, ["sh", "-c", "echo ran >> ran"], {}, str(rig.work))
    rig.peer.send(task)
    refused = rig.peer.reply(1)
    assert (refused.status, "No such file" in refused.error) == (503, True)
    filler.unlink()

    def starts() -> bool:
        nonlocal task
        task = msgspec.structs.replace(task, call=task.call + 1)
        rig.peer.send(task)
        return rig.peer.reply(task.call).status == 200

    wait_until(starts)
    wait_until((rig.work / "ran").exists)
