"""A file system that does not answer any more."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport
from rmsd_wire.link_calls import ReadFile, Reply
from tests.agent.programs import HOLD_160_MIB, python
from tests.waiting import wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system"),
]

HUNG = """
import ctypes, os, signal, struct, sys
server = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={server},rootmode=40755,user_id=0,group_id=0,allow_other".encode()
libc = ctypes.CDLL(None, use_errno=True)
if libc.mount(b"hung", sys.argv[1].encode(), b"fuse", 0, options) != 0:
    sys.exit(os.strerror(ctypes.get_errno()))
print("mounted", flush=True)
_, _, unique, _ = struct.unpack_from("<IIQQ", os.read(server, 1 << 17))
answer = struct.pack("<IIIIHHIIHHI28x", 7, 31, 65536, 0, 12, 10, 4096, 1, 0, 0, 0)  # to INIT
os.write(server, struct.pack("<IiQ", 16 + len(answer), 0, unique) + answer)
signal.pause()
"""
"""Serves FUSE, and answers nobody: who asks for a file waits until this is gone, or is killed."""


@pytest.fixture
def hung(rig: Rig) -> Iterator[Path]:
    path = rig.root / "hung"
    path.mkdir()
    argv = [sys.executable, "-c", HUNG, str(path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        if server.stdout.readline() != b"mounted\n":
            pytest.skip(f"no FUSE here: {server.stderr.read().decode()}")
        yield path
        server.kill()
    subprocess.run(["umount", "--lazy", str(path)], check=True)


@pytest.mark.slow
def test_who_reads_where_nobody_answers_holds_up_nobody_else(rig: Rig, hung: Path) -> None:
    rig.start()
    path = str(hung / "out")
    for call in range(1, 101):
        rig.peer.send(ReadFile(call, 1, 1, "n1", "stdout", 0, 10, path=path, user="root"))
    wait_until(lambda: len(rig.peer.all(Reply)) >= 50, "the others are told to ask again")
    assert {reply.status for reply in rig.peer.all(Reply)} == {503}
    assert f"{path}: 8 reads before it are not done yet" in rig.peer.all(Reply)[0].error
    end = rig.run(2, python(HOLD_160_MIB), mem_mib=100, stdout=str(rig.work / "2.out"))
    assert end.cause is Cause.MEMORY
    wait_until(lambda: not list(rig.jobs_dir.iterdir()), "what is over has been deleted")
    rig.run(3, "echo three")
    mine = str(rig.work / "3.out")
    rig.peer.send(ReadFile(999, 3, 1, "n1", "stdout", 0, 10, path=mine, user=""))
    assert rig.peer.reply(999).data == b"three\n"


@pytest.mark.long  # each waits 12 s, see below
@pytest.mark.parametrize("by_limit", [False, True])
def test_a_job_that_cannot_be_started_where_nobody_answers_is_ended(
    rig: Rig, hung: Path, by_limit: bool
) -> None:
    """A shepherd has 12 s to start a unit, as the machine may just be busy."""
    rig.start()
    time_limit_s = 0.5 if by_limit else 600.0
    rig.launch(1, "true", workdir=str(hung / "work"), time_limit_s=time_limit_s, kill_grace_s=0.5)
    running = rig.jobs_dir / "1.1.n1/batch/running.json"
    wait_until(running.exists, "its shepherd has it")
    if not by_limit:
        rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.UNKNOWN
    assert '"shepherd-hung"' in rig.log()
    assert rig.run(2, "true").exit_code == 0


def test_what_starts_a_unit_where_nobody_answers_ends_with_its_shepherd(
    rig: Rig, hung: Path
) -> None:
    """Otherwise the starting process would empty output files of a later attempt as soon as there
    is an answer."""
    rig.start()
    rig.launch(1, "true", workdir=str(hung / "work"))
    (starting,) = wait_until(lambda: [c for s in rig.shepherds() for c in s.children()])
    running = rig.jobs_dir / "1.1.n1/batch/running.json"
    wait_until(lambda: is_waiting(starting, running), "it waits for the file system")
    starting.parent().kill()
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.UNKNOWN
    wait_until(lambda: not starting.is_running(), "its end")
    assert rig.run(2, "true").exit_code == 0


def is_waiting(process: psutil.Process, running: Path) -> bool:
    """Return whether a process that has looked its unit's user up waits in the kernel."""
    looked_up = running.exists() and '"uid": 0' in running.read_text()
    return looked_up and process.status() in (psutil.STATUS_SLEEPING, psutil.STATUS_DISK_SLEEP)
