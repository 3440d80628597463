"""Attacks of a job: it tries to see other users' data, or to escape its limits.

Long: agents are started, with jobs that try to escape.
"""

from __future__ import annotations

import os
import pwd
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rmsd_agent.guarding import usage
from rmsd_agent.guarding.memory_files import MemoryFiles
from rmsd_agent.shepherd.standalone import processes
from rmsd_agent.shepherd.standalone.unit_spec import MARK
from rmsd_agent.units.orphans import Orphans
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, Hello, LaunchedReport
from rmsd_wire.link_calls import ReadFile, StartTask
from tests.waiting import wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = [pytest.mark.live, pytest.mark.long]

USER = "nobody"
MAX_BYTES = 1 << 20
WITHOUT_MAIN_THREAD = """
import ctypes, threading, time
def go_on():
    held = bytearray(160 << 20)
    time.sleep(300)
threading.Thread(target=go_on).start()
ctypes.CDLL(None).pthread_exit(None)
"""
"""The kernel calls it a zombie then, with all that it holds."""


def python(code: str) -> str:
    return f"exec python3 -c {shlex.quote(code)}"


def lost_its_main_thread(pid: int) -> bool:
    return ") Z " in Path(f"/proc/{pid}/stat").read_text()


# ---------------------------------------------------------------- others' output


@pytest.mark.skipif(os.geteuid() != 0, reason="only an agent of root reads files of others")
@pytest.mark.parametrize("by_link", [False, True])
def test_what_the_agent_has_open_is_not_read_past_a_closed_directory(
    rig: Rig, by_link: bool
) -> None:
    rig.root.chmod(0o711)
    rig.work.chmod(0o777)
    closed = rig.root / "closed"
    closed.mkdir(mode=0o700)
    (closed / "out").write_text("another user's\n")
    (closed / "out").chmod(0o644)
    with (closed / "out").open() as file, open(rig.root / "agent.log", "ab") as log:
        fd = file.fileno()
        rig.agent = subprocess.Popen(rig.command(), stderr=log, pass_fds=[fd])
        rig.peer.wait(Hello)
        path = f"/proc/self/fd/{fd}"
        if by_link:
            (rig.work / "link").symlink_to(path)
            path = str(rig.work / "link")
        rig.peer.send(ReadFile(1, 1, 1, "n1", "stdout", 0, 100, path=path, user=USER))
    reply = rig.peer.reply(1)
    assert (reply.data, reply.status) == (b"", 403)
    assert f"{path}: it leads through /proc to what a process has open" in reply.error


@pytest.mark.skipif(os.geteuid() != 0, reason="only an agent of root reads files of others")
def test_output_is_read_where_links_lead_if_its_user_may_go_there(rig: Rig) -> None:
    rig.root.chmod(0o711)
    home = rig.root / "home"
    home.mkdir(mode=0o700)
    (home / "out").write_text("mine\n")
    (home / "out").chmod(0o644)
    os.chown(home, pwd.getpwnam(USER).pw_uid, -1)
    (rig.root / "project").symlink_to("home")
    (home / "last").symlink_to("../project/out")
    rig.start()
    for call, name in enumerate(("home/out", "project/out", "project/last", "home/../home/out"), 1):
        path = str(rig.root / name)
        rig.peer.send(ReadFile(call, 1, 1, "n1", "stdout", 1, 100, path=path, user=USER))
        assert rig.peer.reply(call).data == b"ine\n"


# ---------------------------------------------------------------- a main thread that has ended


def test_a_process_whose_main_thread_has_ended_is_seen_with_what_it_holds() -> None:
    env = {"PATH": os.defpath, MARK: "/some/unit"}
    argv = [sys.executable, "-c", WITHOUT_MAIN_THREAD]
    with subprocess.Popen(argv, env=env, start_new_session=True) as child:
        try:
            wait_until(lambda: lost_its_main_thread(child.pid))
            found = processes.process(child.pid)
            assert found is not None
            assert processes.is_alive(child.pid, found.start_ticks)
            assert child.pid in processes.descendants(os.getpid())
            assert Orphans("/some/unit", 0, None).find() == {child.pid}
            wait_until(lambda: usage.memory_mib([child.pid], 100, MemoryFiles()) >= 160)
        finally:
            child.kill()


def job_without_main_thread(rig: Rig) -> int:
    """Return the pid of job 1, once its main thread has ended."""
    rig.start()
    rig.launch(1, python(WITHOUT_MAIN_THREAD))
    pid = rig.peer.wait(LaunchedReport, 1).pid
    assert pid is not None
    wait_until(lambda: lost_its_main_thread(pid))
    return pid


def test_a_job_without_its_main_thread_is_ended_by_a_stop(rig: Rig) -> None:
    pid = job_without_main_thread(rig)
    rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.USER
    assert not Path(f"/proc/{pid}").exists()


def test_a_job_without_its_main_thread_and_its_shepherd_is_ended_by_a_stop(rig: Rig) -> None:
    pid = job_without_main_thread(rig)
    rig.shepherd_of(pid).kill()
    wait_until(lambda: "shepherd-killed" in rig.log())
    rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.USER


def test_a_job_without_its_main_thread_has_its_memory_limit(rig: Rig) -> None:
    rig.start()
    assert rig.run(1, python(WITHOUT_MAIN_THREAD), mem_mib=100).cause is Cause.MEMORY


# ---------------------------------------------------------------- limits


def test_zombies_count_as_processes(rig: Rig) -> None:
    rig.start()
    leave = "import os, time\nfor _ in range(100): os.fork() or os._exit(0)\ntime.sleep(300)"
    end = rig.run(1, python(leave), max_processes=50)
    assert end.cause is Cause.QUOTA
    count = re.search(r"it had (\d+) processes and threads", end.message)
    assert count is not None
    assert int(count[1]) > 50


def test_what_a_script_adds_to_itself_is_output(rig: Rig) -> None:
    rig.start()
    grow = f"head -c {2 * MAX_BYTES} /dev/zero >> $0; exec sleep 300"
    for job_id, stdout in enumerate((rig.work / "1.out", "/dev/null"), 1):
        end = rig.run(job_id, grow, max_output_bytes=MAX_BYTES, stdout=str(stdout))
        assert end.cause is Cause.QUOTA


def test_what_lies_beyond_the_end_of_an_output_file_is_output(rig: Rig) -> None:
    (rig.work / "try").touch()
    take = ["fallocate", "--keep-size", "--length", f"{64 * MAX_BYTES}"]
    if subprocess.run([*take, rig.work / "try"], capture_output=True).returncode != 0:
        pytest.skip("this file system cannot take blocks beyond a file's end")
    rig.start()
    take_all = f"{shlex.join(take)} {rig.work}/1.out; exec sleep 300"
    assert rig.run(1, take_all, max_output_bytes=MAX_BYTES).cause is Cause.QUOTA
    assert (rig.work / "1.out").stat().st_size == 0


# ---------------------------------------------------------------- what is used

BURN = """
import time
held = bytearray(64 << 20)
while time.process_time() < 0.6: pass
"""


def test_what_tasks_use_is_their_jobs(rig: Rig) -> None:
    """The processor time of all tasks is added up, and the memory is that of the largest
    process."""
    rig.start()
    go = rig.work / "go"
    rig.launch(1, f"until [ -e {go} ]; do sleep 0.02; done")
    rig.launch(2, "", batch=False)
    rig.launch(3, "", batch=False)
    rig.peer.wait(LaunchedReport, 1)
    argv = ["python3", "-c", BURN]
    for call, (job_id, task) in enumerate([(1, 0), (1, 1), (2, 0), (2, 1)], 1):
        rig.peer.send(StartTask(call, job_id, 1, "n1", "s", task, argv, {}, str(rig.work)))
        rig.peer.reply(call)
        status = rig.jobs_dir / f"{job_id}.1.n1/s.{task}/status.json"
        wait_until(lambda status=status: status.exists() and status.read_text().endswith("\n"))
    go.touch()
    rig.stop(2)
    rig.stop(3)
    for job_id, cause in ((1, Cause.EXIT), (2, Cause.USER)):
        end = rig.peer.wait(ExitedReport, job_id)
        assert end.cause is cause
        assert end.cpu_s is not None
        assert end.cpu_s > 1.0
        assert end.max_rss_mib is not None
        assert 64 <= end.max_rss_mib < 128
    idle = rig.peer.wait(ExitedReport, 3)
    assert (idle.cpu_s, idle.max_rss_mib) == (None, None)
