"""Jobs past their memory or number of processes, on nodes whose guard polls.

Long: jobs run until a guard that polls has found them.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rmsd_agent.guarding import guard, usage
from rmsd_agent.guarding.guard import Guarded
from rmsd_agent.guarding.measuring import Measurements
from rmsd_agent.guarding.memory_files import MemoryFiles
from rmsd_agent.shepherd.standalone import ending, processes
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, LaunchedReport
from rmsd_wire.link_calls import StartTask
from tests.agent.programs import HOLD_160_MIB, python
from tests.agent.rig import fork_bomb, sleeping
from tests.waiting import wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agent.rig import Rig


LATE = """
import signal, time
def take_more(*_):
    held = bytearray(160 << 20)
    print("held", flush=True)
    while True:
        time.sleep(1)
signal.signal(signal.SIGTERM, take_more)
print("ready", flush=True)
while True:
    time.sleep(1)
"""
SPAWN_AND_WAIT = """
import os, sys
held = bytearray(64 << 20)
waits = [(os.POSIX_SPAWN_OPEN, 0, sys.argv[1], os.O_RDONLY, 0)]
os.posix_spawn("/bin/true", ["true"], {}, file_actions=waits)
"""
MAP_160_MIB_OF_TABLES = """
import ctypes, mmap, time
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
of_a_table = mmap.PAGESIZE // 8 * mmap.PAGESIZE  # bytes: a table is a page of addresses of 8 bytes
size = (160 << 20) // mmap.PAGESIZE * of_a_table
flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
start = libc.mmap(None, size, mmap.PROT_READ, flags, -1, 0)
libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), mmap.MADV_NOHUGEPAGE)
for at in range(start, start + size, of_a_table):
    ctypes.c_char.from_address(at).value
print("held", flush=True)
time.sleep(60)
"""
THREADS = """
import threading, time
for _ in range(100):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
time.sleep(20)
"""
END_MAIN_THREADS = """
import ctypes, os, threading
os.fork()
threading.Thread(target=threading.Event().wait).start()
ctypes.CDLL(None).pthread_exit(None)
"""
SHARED = """
import os, time
held = bytearray(100 << 20)
if all(os.fork() for _ in range(3)):
    print(sum(held), flush=True)
time.sleep(60)
"""
POOL = """
import os, signal, time
def let_go(*_):
    global held
    del held
signal.signal(signal.SIGUSR1, let_go)
held = bytearray(b"x") * ({mib} << 20)
if all(os.fork() for _ in range({workers})):
    print("held", flush=True)
time.sleep(60)
"""


def test_a_job_past_its_memory_is_killed_for_it(rig: Rig) -> None:
    rig.start()
    end = rig.run(1, f"trap '' TERM\n{python(HOLD_160_MIB)}", mem_mib=100)
    assert (end.cause, end.signal, end.exit_code) == (Cause.MEMORY, signal.SIGKILL, None)
    assert "of memory on node n1, and it has 100M" in end.message
    assert rig.run(2, "true", mem_mib=100).cause is Cause.EXIT


@pytest.mark.slow
@pytest.mark.parametrize("by_limit", [False, True])
def test_a_job_has_no_more_memory_while_it_is_being_ended(rig: Rig, by_limit: bool) -> None:
    """The grace is for saving results. It would last for longer than this test waits."""
    rig.start()

    def launch(job_id: int, time_limit_s: float) -> None:
        left_s = time_limit_s if by_limit else None
        rig.launch(job_id, python(LATE), mem_mib=100, kill_grace_s=1e6, time_limit_s=left_s)

    job_id = rig.in_time(launch, rig.has_said("ready"))
    if not by_limit:
        rig.stop(job_id)
    end = rig.peer.wait(ExitedReport, job_id)
    assert (end.cause, end.signal) == (Cause.LIMIT if by_limit else Cause.USER, signal.SIGKILL)


def test_a_task_has_no_more_memory_when_its_script_has_ended(rig: Rig) -> None:
    rig.start()
    rig.launch(1, "until [ -e go ]; do sleep 0.05; done", mem_mib=100, kill_grace_s=1e6)
    rig.peer.wait(LaunchedReport, 1)
    task = ["python3", "-c", LATE]
    rig.peer.send(StartTask(1, 1, 1, "n1", "s", 0, task, {}, str(rig.work)))
    out = rig.jobs_dir / "1.1.n1/s.0/stdout"
    wait_until(lambda: out.exists() and "ready" in out.read_text())
    (rig.work / "go").touch()
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.EXIT


def test_without_a_shepherd_a_job_has_no_more_memory_while_it_is_being_ended(rig: Rig) -> None:
    rig.start()
    rig.launch(1, python(LATE), mem_mib=100, kill_grace_s=1e6)
    wait_until(lambda: "ready" in rig.output(1))
    (shepherd,) = [one for one in rig.shepherds() if one.children()]
    shepherd.kill()
    wait_until(lambda: "shepherd-killed" in rig.log())
    rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.USER


def test_page_tables_count(rig: Rig) -> None:
    """A process that reads one page of each 2 MiB of an empty mapping has nothing else."""
    rig.start()
    end = rig.run(1, python(MAP_160_MIB_OF_TABLES), mem_mib=100)
    assert (end.cause, end.signal) == (Cause.MEMORY, signal.SIGKILL)


def test_a_child_in_the_memory_of_its_parent_counts_with_it(tmp_path: Path) -> None:
    """As after vfork(2), the child waits for somebody to write to a FIFO, before it executes its
    program. A job that started programs in a loop was killed for twice its memory."""
    if not usage.have_same_memory(os.getpid(), os.getpid()):
        pytest.skip("this kernel does not compare memories")
    os.mkfifo(tmp_path / "silent")
    argv = [sys.executable, "-c", SPAWN_AND_WAIT, str(tmp_path / "silent")]
    with subprocess.Popen(argv) as parent:
        (child,) = wait_until(lambda: processes.children(parent.pid))
        used_mib = usage.memory_mib([parent.pid, child], 1, MemoryFiles())
        new_mib = usage.memory_mib([], 1, MemoryFiles(), lambda: [parent.pid, child])
        ending.send([child, parent.pid], signal.SIGKILL)
    assert 64 <= used_mib < 128
    assert 64 <= new_mib < 128


def test_processes_whose_main_threads_have_ended_are_not_in_the_same_memory() -> None:
    with subprocess.Popen([sys.executable, "-c", END_MAIN_THREADS]) as parent:
        (child,) = wait_until(lambda: processes.children(parent.pid))
        for pid in (parent.pid, child):
            wait_until(lambda pid=pid: not processes.has_memory(pid))
        counts_with_parent = usage.is_in_the_memory_of_its_parent(child, {parent.pid})
        ending.send([child, parent.pid], signal.SIGKILL)
    assert not counts_with_parent


def test_what_is_there_after_the_look_at_all_processes_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A chain of processes hands on its memory faster than the next of them can be measured."""
    if not processes.TELLS_CHILDREN:
        pytest.skip("this kernel does not tell the children of a process")
    monkeypatch.setattr(processes, "process_table", list)
    with subprocess.Popen([sys.executable, "-c", HOLD_160_MIB], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        with subprocess.Popen(["true"]) as ended:
            os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
            one = Guarded((1, 1, "n1"), 100, None, {os.getpid()}, {os.getpid()})
            look = guard.Look([one], Measurements())
            look.run()
        child.kill()
    assert [excess.cause for excess in look.excesses] == [Cause.MEMORY]


def test_looks_go_on_while_what_is_found_ends_before_it_is_measured() -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD_160_MIB], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        with subprocess.Popen(["true"]) as ended:
            pass
        looks = iter([[ended.pid], [child.pid], []])
        found_mib = usage.memory_mib([], 100, MemoryFiles(), lambda: next(looks))
        more = iter([[child.pid], []])
        known_mib = usage.memory_mib([child.pid], 1000, MemoryFiles(), lambda: next(more))
        child.kill()
    assert (found_mib >= 160, list(looks)) == (True, [[]])
    assert (known_mib, list(more)) == (0, [[]])


@pytest.fixture
def when_measured(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """Send signals to processes as soon as they have been measured, and have little memory then;
    return which process gets which signal."""
    look, signals = usage.fields_kib, dict[int, int]()

    def fields_kib(pid: int, name: str, fields: tuple[bytes, ...]) -> dict[bytes, int] | None:
        found = look(pid, name, fields)
        if name == "smaps_rollup" and pid in signals:
            ending.send([pid], signals.pop(pid))
            wait_until(lambda: (look(pid, "status", (b"VmRSS:",)) or {b"": 0}).popitem()[1] < 32768)
        return found

    monkeypatch.setattr(usage, "fields_kib", fields_kib)
    return signals


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGUSR1])
def test_workers_that_end_or_let_go_while_they_are_measured_are_not_taken_for_memory(
    when_measured: dict[int, int], number: int
) -> None:
    """The memory that the workers shared counts more with each worker that is left: with seven of
    them, 118 MiB for 64."""
    code = POOL.format(mib=64, workers=7)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"held\n"
        workers = processes.children(parent.pid)
        whole_mib = usage.memory_mib([parent.pid, *workers], 1, MemoryFiles())
        when_measured.update(dict.fromkeys(workers, number))
        used_mib = usage.memory_mib([parent.pid, *workers], 100, MemoryFiles())
        ending.send([*workers, parent.pid], signal.SIGKILL)
    assert (len(workers), when_measured) == (7, {})
    assert 64 <= whole_mib < 100
    assert used_mib <= 100


def test_what_one_process_had_counts_though_it_has_ended(when_measured: dict[int, int]) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD_160_MIB], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        when_measured[child.pid] = signal.SIGKILL
        used_mib = usage.memory_mib([child.pid], 100, MemoryFiles())
    assert used_mib >= 160


def test_the_memory_of_the_whole_tree_counts(rig: Rig) -> None:
    """Processes that have left the session and their parents count as well."""
    rig.start()
    # Each says so before it takes anything, since both may be killed as soon as the second has it.
    half = "import time; print('held', flush=True); held = bytearray(80 << 20); time.sleep(60)"
    end = rig.run(1, f"(setsid python3 -c {shlex.quote(half)} &)\n{python(half)}", mem_mib=120)
    assert end.cause is Cause.MEMORY
    assert rig.output(1).count("held") == 2


@pytest.mark.slow
def test_memory_that_forked_processes_share_counts_once(rig: Rig) -> None:
    """Four of them have 100 MiB in view each, and hold 100 MiB together."""
    rig.start()
    rig.launch(1, python(SHARED), mem_mib=200)
    rig.launch(2, python(HOLD_160_MIB), mem_mib=100)
    wait_until(lambda: rig.output(1) == "0\n", "the shared memory is there")
    assert rig.peer.wait(ExitedReport, 2).cause is Cause.MEMORY  # the guard has looked at both
    rig.launch(3, python(HOLD_160_MIB), mem_mib=100)
    assert rig.peer.wait(ExitedReport, 3).cause is Cause.MEMORY
    assert not rig.peer.all(ExitedReport, 1)
    rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.USER


def test_a_job_without_a_limit_is_left_alone(rig: Rig) -> None:
    rig.start()
    rig.launch(1, python(HOLD_160_MIB))
    rig.launch(2, python(HOLD_160_MIB), mem_mib=100)
    wait_until(lambda: "held" in rig.output(1))
    assert rig.peer.wait(ExitedReport, 2).cause is Cause.MEMORY
    assert not rig.peer.all(ExitedReport, 1)


def test_tasks_count_with_the_script(rig: Rig) -> None:
    rig.start()
    rig.launch(1, "sleep 60", mem_mib=100)
    rig.peer.wait(LaunchedReport, 1)
    rig.peer.send(
        StartTask(1, 1, 1, "n1", "s", 0, ["python3", "-c", HOLD_160_MIB], {}, str(rig.work))
    )
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.cause, end.signal) == (Cause.MEMORY, signal.SIGKILL)


def test_a_node_that_only_has_tasks_says_that_it_was_the_memory(rig: Rig) -> None:
    rig.start()
    rig.launch(1, "", batch=False, mem_mib=100)
    rig.peer.send(
        StartTask(1, 1, 1, "n1", "s", 0, ["python3", "-c", HOLD_160_MIB], {}, str(rig.work))
    )
    end = rig.peer.wait(ExitedReport, 1)
    assert end.cause is Cause.MEMORY
    assert "it has 100M" in end.message


@pytest.mark.slow
def test_the_limit_holds_after_a_restart_of_the_agent_and_without_a_shepherd(rig: Rig) -> None:
    rig.start()
    go = rig.work / "go"
    script = f"until [ -e {go} ]; do sleep 0.02; done\n{python(HOLD_160_MIB)}"
    rig.launch(1, script, mem_mib=100)
    rig.launch(2, script, mem_mib=100)
    pid = rig.peer.wait(LaunchedReport, 2).pid
    assert pid is not None
    rig.peer.wait(LaunchedReport, 1)
    rig.end_agent()
    rig.shepherd_of(pid).kill()
    rig.start()
    go.touch()
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.MEMORY
    assert rig.peer.wait(ExitedReport, 2).cause is Cause.MEMORY


def test_a_job_with_too_many_threads_is_killed_for_it(rig: Rig) -> None:
    """RLIMIT_NPROC is not enough: each task that a job starts has a higher one."""
    rig.start()
    end = rig.run(1, python(THREADS), max_processes=50)
    assert (end.cause, end.signal) == (Cause.QUOTA, signal.SIGKILL)
    assert "processes and threads on node n1; 50 are allowed" in end.message


def test_a_job_with_too_many_processes_is_killed_for_it(rig: Rig) -> None:
    rig.start()
    mark = rig.marker()
    end = rig.run(1, fork_bomb(mark), max_processes=50)
    assert end.cause is Cause.QUOTA
    assert "processes and threads on node n1; 50 are allowed" in end.message
    assert not sleeping(mark)
