"""A machine that was restarted: its attempts were lost with the node, or had ended before.

A test cannot restart its machine. It does what a restart does to an agent: it ends processes as a
shutdown does, and has the records on disk say another boot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import psutil
import pytest

from rmsd_agent.state.files import read_record, replace_record, write_record
from rmsd_agent.state.records import SavedAttempt, UnitStatus
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, Launch, LaunchedReport
from tests.waiting import wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = pytest.mark.live

NODE_RESTARTED = "node n1 was restarted"


def in_an_earlier_boot(rig: Rig, job_id: int) -> None:
    """Have the attempt's record say that it began in another boot of this machine."""
    path = rig.jobs_dir / f"{job_id}.1.n1" / "attempt.json"
    saved = read_record(path, SavedAttempt)
    assert saved is not None
    replace_record(path, msgspec.structs.replace(saved, boot_id="another boot"))


def status_of(rig: Rig, job_id: int) -> UnitStatus:
    """Return the end of the job's script, once its shepherd has written it down."""
    path = rig.jobs_dir / f"{job_id}.1.n1" / "batch/status.json"
    return wait_until(lambda: read_record(path, UnitStatus))


def shut_down(rig: Rig, pid: int) -> None:
    """End the agent, and then send SIGTERM to all processes as a shutdown of the machine does."""
    shepherd, job = rig.shepherd_of(pid), psutil.Process(pid)
    rig.end_agent()
    shepherd.terminate()
    job.terminate()


@pytest.mark.parametrize("batch", [True, False])
def test_what_a_restart_has_cut_off_was_lost_with_the_node(rig: Rig, batch: bool) -> None:
    launch = Launch(9, 1, "n1", batch, 0, None, 1.0, 1, workdir=str(rig.work), stdout="/dev/null")
    rig.jobs_dir.parent.mkdir(mode=0o700, exist_ok=True)
    (rig.jobs_dir / "9.1.n1" / ("batch" if batch else "s1.0")).mkdir(parents=True)
    saved = SavedAttempt(launch, 0.0, None, "another boot")
    write_record(rig.jobs_dir / "9.1.n1/attempt.json", saved)
    rig.start()
    end = rig.peer.wait(ExitedReport, 9)
    assert (end.cause, end.message) == (Cause.NODE, NODE_RESTARTED)


@pytest.mark.parametrize("commands", ["sleep 60", "trap 'exit 0' TERM; sleep 60 & wait"])
def test_what_a_shutdown_has_ended_was_lost_with_the_node(rig: Rig, commands: str) -> None:
    """The shepherd has seen the end, which is not the job's own, whatever its exit status."""
    rig.start()
    rig.launch(1, f"echo ready; {commands}")
    pid = rig.peer.wait(LaunchedReport, 1).pid
    assert pid is not None
    wait_until(lambda: rig.output(1))
    shut_down(rig, pid)
    assert status_of(rig, 1).cause is Cause.EXIT
    in_an_earlier_boot(rig, 1)
    rig.start()
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.cause, end.message) == (Cause.NODE, NODE_RESTARTED)


def test_sigterm_to_all_in_the_same_boot_is_an_exit_of_the_job(rig: Rig) -> None:
    """A job can do that to the account that it runs as, and would be started for ever."""
    rig.start()
    rig.launch(1, "echo ready; sleep 60")
    pid = rig.peer.wait(LaunchedReport, 1).pid
    assert pid is not None
    wait_until(lambda: rig.output(1))
    shut_down(rig, pid)
    status_of(rig, 1)
    rig.start()
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.cause, end.signal) == (Cause.EXIT, 15)


def test_an_end_before_the_shutdown_is_the_jobs_own(rig: Rig) -> None:
    """The shepherd was sent SIGTERM, but before it had this unit."""
    rig.start()
    rig.launch(1, "sleep 60")
    rig.peer.wait(LaunchedReport, 1)
    shepherds = rig.shepherds()
    for shepherd in shepherds:
        shepherd.terminate()
    rig.stop(1)
    rig.peer.wait(ExitedReport, 1)
    job = 1
    while True:
        job += 1
        rig.launch(job, "until [ -e go ]; do sleep 0.02; done; exit 3")
        pid = rig.peer.wait(LaunchedReport, job).pid
        assert pid is not None
        if rig.shepherd_of(pid) in shepherds:
            break
        assert job < 20  # a shepherd that the agent has not heard to be free yet gets the next job
    rig.end_agent()
    (rig.work / "go").touch()
    assert not status_of(rig, job).shepherd_sent_sigterm
    in_an_earlier_boot(rig, job)
    rig.start()
    end = rig.peer.wait(ExitedReport, job)
    assert (end.cause, end.exit_code) == (Cause.EXIT, 3)
