"""Files in memory count as the memory of the jobs that hold them, where a guard polls.

Long: jobs run until a guard that polls has found them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest

from rmsd_agent.guarding import memory_files, usage
from rmsd_agent.guarding.memory_files import MemoryFiles
from rmsd_core.vocabulary import Cause
from tests.agent.programs import python

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agent.rig import Rig


pytestmark = [pytest.mark.live, pytest.mark.long]
SECRET_FILE = '__import__("ctypes").CDLL(None).syscall(447, 0)'  # memfd_secret(2)
WRITE_160_MIB = """
import os, time
held = os.memfd_create("held")
for _ in range(160):
    os.write(held, bytes(1 << 20))
print("held", flush=True)
time.sleep(60)
"""
KEEP_160_MIB_SECRET = f"""
import mmap, os, sys, time
held = {SECRET_FILE}
if held < 0:
    sys.exit(77)
os.ftruncate(held, 160 << 20)
for at in range(0, 160 << 20, 1 << 20):
    with mmap.mmap(held, 1 << 20, offset=at) as part:
        part[::4096] = bytes(256)
time.sleep(60)
"""
MAP_7_MIB_SECRET = f"""
import ctypes, mmap, os, sys, time
held = {SECRET_FILE}
if held < 0:
    sys.exit(77)
os.ftruncate(held, 7 << 20)
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
start = libc.mmap(None, 7 << 20, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, held, 0)
if start == ctypes.c_void_p(-1).value:
    sys.exit(77)
os.close(held)
print("mapped", flush=True)
sys.stdin.readline()
ctypes.memset(start, 1, 7 << 20)
print("written", flush=True)
time.sleep(60)
"""
MAP_64_MIB = """
import mmap, os, time
held = os.memfd_create("held")
os.write(held, bytes(64 << 20))
seen = mmap.mmap(held, 64 << 20)
assert not any(seen[at] for at in range(0, 64 << 20, 4096))
print("held", flush=True)
time.sleep(60)
"""


def test_a_file_in_memory_that_only_the_job_holds_counts(rig: Rig) -> None:
    rig.start()
    end = rig.run(1, python(WRITE_160_MIB), mem_mib=100)
    assert (end.cause, end.signal) == (Cause.MEMORY, signal.SIGKILL)


def test_a_secret_file_counts_though_it_is_not_mapped(rig: Rig) -> None:
    """No RLIMIT_MEMLOCK bounds what is mapped in parts, one after the other."""
    rig.start()
    end = rig.run(1, python(KEEP_160_MIB_SECRET), mem_mib=100)
    if end.exit_code == 77:
        pytest.skip("this kernel has no secret files")
    assert (end.cause, end.signal) == (Cause.MEMORY, signal.SIGKILL)


def test_a_secret_file_that_is_mapped_counts_though_it_is_not_open() -> None:
    """RLIMIT_MEMLOCK, often 8 MiB, bounds such a file, and services of systemd's may have no such
    limit."""
    argv = [sys.executable, "-I", "-S", "-c", MAP_7_MIB_SECRET]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        if child.stdout.readline() != b"mapped\n":
            pytest.skip("this kernel has no secret files, or lets no memory be locked")
        before_mib = usage.memory_mib([child.pid], 1, MemoryFiles())
        child.stdin.write(b"\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"written\n"
        after_mib = usage.memory_mib([child.pid], 1, MemoryFiles())
        child.kill()
    assert before_mib < after_mib


def test_a_file_in_memory_that_is_mapped_as_well_counts_once() -> None:
    """The job holds 64 MiB of a file, and what Python needs."""
    with subprocess.Popen([sys.executable, "-c", MAP_64_MIB], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        used_mib = usage.memory_mib([child.pid], 1, MemoryFiles())
        child.kill()
    assert 64 <= used_mib < 128


def test_a_process_holds_files_without_a_name_that_it_may_write(tmp_path: Path) -> None:
    def held_kib() -> int:
        return MemoryFiles().held_kib([os.getpid()] * 2)

    before_kib = held_kib()
    held = os.memfd_create("held")
    os.write(held, bytes(1 << 20))
    assert held_kib() == before_kib + 1024
    again = os.dup(held)
    assert held_kib() == before_kib + 1024
    read_only = os.open(f"/proc/self/fd/{held}", os.O_RDONLY)
    os.close(held)
    os.close(again)
    assert held_kib() == before_kib
    os.close(read_only)
    with (tmp_path / "on-disk").open("wb", buffering=0) as file:
        file.write(bytes(1 << 20))
        assert held_kib() == before_kib


def test_descriptors_that_are_slow_to_look_at_hold_up_no_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With each descriptor the kernel lists all locks of its file."""
    looks: list[str] = []
    monkeypatch.setattr("time.thread_time", lambda: 0.04 * len(looks))
    monkeypatch.setattr(MemoryFiles, "held_file", lambda _, _pid, number: looks.append(number))
    slow = os.memfd_create("slow")
    again = [os.dup(slow) for _ in range(20)]
    assert MemoryFiles().held_kib([os.getpid()]) == 0
    assert len(looks) == 3
    for fd in (slow, *again):
        os.close(fd)


@pytest.mark.skipif(not os.path.ismount("/dev/shm"), reason="there is no /dev/shm here")
def test_a_file_that_has_a_name_is_held_by_nobody_until_it_is_removed() -> None:
    before_kib = MemoryFiles().held_kib([os.getpid()])
    with tempfile.NamedTemporaryFile(dir="/dev/shm", buffering=0, delete=False) as file:
        try:
            file.write(bytes(1 << 20))
            assert MemoryFiles().held_kib([os.getpid()]) == before_kib
        finally:
            os.unlink(file.name)
        assert MemoryFiles().held_kib([os.getpid()]) == before_kib + 1024


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_not_held_by_who_was_given_it() -> None:
    before_kib = MemoryFiles().held_kib([os.getpid()])
    with open(os.memfd_create("others"), "wb", buffering=0) as file:
        file.write(bytes(1 << 20))
        assert MemoryFiles().held_kib([os.getpid()]) == before_kib + 1024
        os.fchown(file.fileno(), 1, -1)
        assert MemoryFiles().held_kib([os.getpid()]) == before_kib


@pytest.mark.parametrize(("most", "expected_kib"), [(3, 0), (4, 1024)])
def test_so_many_descriptors_of_a_job_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, most: int, expected_kib: int
) -> None:
    """The file is the fourth of the process."""
    monkeypatch.setattr(memory_files, "MOST_FILES", most)
    with open(os.memfd_create("held"), "wb", buffering=0) as file:
        file.write(bytes(1 << 20))
        wait = "import os; print(flush=True); os.read(0, 1)"
        command = [sys.executable, "-c", wait]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, pass_fds=[file.fileno()]) as child:
            assert child.stdout is not None
            child.stdout.readline()  # the child has no file open besides, as it has at its start
            assert MemoryFiles().held_kib([child.pid]) == expected_kib
