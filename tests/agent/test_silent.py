"""Units without a shepherd beside processes whose environments the kernel does not tell."""

from __future__ import annotations

import asyncio
import os
import pwd
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from rmsd_agent.shepherd.standalone import processes
from rmsd_agent.shepherd.standalone.unit_spec import MARK
from rmsd_agent.state.files import read_record, write_record
from rmsd_agent.state.records import ClaimedUnit
from rmsd_agent.units import adoption, orphans
from rmsd_agent.units.adoption import StopOrder
from rmsd_agent.units.orphans import Orphans
from rmsd_core.vocabulary import Cause
from tests.agent.parts import keeper_of, running_record
from tests.waiting import DEADLINE_S, until

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start others' processes")

Start = Callable[..., subprocess.Popen[bytes]]


class Kernel:
    """Tells environments, but never those of the processes in `silent`."""

    def __init__(self) -> None:
        self.silent: set[int] = set()
        self.asked: list[int] = []
        self.answer = threading.Event()
        self._tell = orphans.environment_of

    def environment(self, pid: int) -> list[bytes]:
        self.asked.append(pid)
        if pid in self.silent:
            self.answer.wait()
        return self._tell(pid)


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    made = Kernel()
    monkeypatch.setattr(orphans, "environment_of", made.environment)
    monkeypatch.setattr(orphans, "PATIENCE_S", 0.05)
    yield made
    made.answer.set()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a process with the mark of a unit in `tmp_path`."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(**how: object) -> subprocess.Popen[bytes]:
        env = {"PATH": os.defpath, MARK: str(tmp_path)}
        child = subprocess.Popen(["sleep", "60"], env=env, start_new_session=True, **how)  # type: ignore[call-overload]
        started.append(child)
        return child  # type: ignore[no-any-return]

    yield begin
    for child in started:
        child.kill()
        child.wait()


def begun(child: subprocess.Popen[bytes]) -> tuple[int, int]:
    found = processes.process(child.pid)
    assert found is not None
    return found.pid, found.start_ticks


async def test_a_search_that_waits_for_the_kernel_does_not_hold_up_the_loop(
    tmp_path: Path, kernel: Kernel, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The unit is ended all the same."""
    monkeypatch.setattr(orphans, "PATIENCE_S", DEADLINE_S)
    main, silent = start(), start()
    kernel.silent.add(silent.pid)
    write_record(tmp_path / "running.json", running_record(main))
    order = StopOrder(Cause.USER, time.monotonic())
    keeper = keeper_of(lambda: order)

    watch = asyncio.create_task(adoption.outcome(tmp_path, None, keeper))
    await until(lambda: silent.pid in kernel.asked)
    for _ in range(10):  # the loop has turns while the search waits
        await asyncio.sleep(0)
    assert not watch.done()
    kernel.answer.set()
    status = await asyncio.wait_for(watch, DEADLINE_S)
    assert status is not None
    assert status.cause is Cause.USER
    assert {main.wait(), silent.wait()} == {-15}


def test_an_environment_that_is_told_late_counts_then(
    tmp_path: Path, kernel: Kernel, start: Start
) -> None:
    silent, other = start(), start()
    kernel.silent.add(silent.pid)
    search = Orphans(str(tmp_path), 0, None, uid=os.getuid())
    assert search.find() == {other.pid}
    assert search.find() == {other.pid}
    assert kernel.asked.count(silent.pid) == 1
    (waiting,) = search.awaited
    kernel.answer.set()
    waiting.result(DEADLINE_S)
    assert search.find() == {silent.pid, other.pid}
    search.close()


def test_only_so_many_are_waited_for(
    tmp_path: Path, kernel: Kernel, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in the session of the main process is found nevertheless."""
    monkeypatch.setattr(orphans, "MOST_SILENT", 2)
    main = start()
    children = [start() for _ in range(4)]
    kernel.silent |= {child.pid for child in children}
    search = Orphans(str(tmp_path), begun(main)[1], begun(main), uid=os.getuid())
    assert search.find() == {main.pid}
    assert len(kernel.silent & set(kernel.asked)) == 2
    kernel.answer.set()
    for waiting in search.awaited:
        waiting.result(DEADLINE_S)
    search.find()
    assert search.find() == {main.pid, *(child.pid for child in children)}
    search.close()


@only_root
def test_no_environment_of_another_users_process_is_read(
    tmp_path: Path, kernel: Kernel, start: Start
) -> None:
    own, others = start(), start(user="nobody")
    mine = Orphans(str(tmp_path), 0, None, uid=0)
    assert mine.find() == {own.pid}
    assert others.pid not in kernel.asked
    theirs = Orphans(str(tmp_path), 0, None, uid=pwd.getpwnam("nobody").pw_uid)
    assert theirs.find() == {others.pid}
    for search in (mine, theirs):
        search.close()


def test_whose_a_unit_is_is_known_of_earlier_records_as_well(tmp_path: Path, start: Start) -> None:
    main = start()
    record = msgspec.to_builtins(running_record(main))
    del record["uid"]
    (tmp_path / "running.json").write_bytes(msgspec.json.encode(record))
    earlier = read_record(tmp_path / "running.json", ClaimedUnit)
    assert earlier is not None
    assert earlier.uid is None
    assert adoption.uid_of(earlier) == os.getuid()
    assert adoption.uid_of(msgspec.structs.replace(earlier, uid=4711)) == 4711


@only_root
def test_whose_a_unit_is_is_asked_of_its_main_process(start: Start) -> None:
    main = start(user="nobody")
    assert adoption.uid_of(running_record(main)) == pwd.getpwnam("nobody").pw_uid
    gone = msgspec.structs.replace(running_record(main), start_ticks=1)
    assert adoption.uid_of(gone) is None
