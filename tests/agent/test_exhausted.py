"""A machine that has nothing left: no process can be started, no thread, no file opened."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, cast
from unittest.mock import AsyncMock

import pytest
from structlog.testing import capture_logs

from rmsd_agent.attempts import cleaner
from rmsd_agent.attempts.attempt import HeldAttempts, NodeAttempt, Unit
from rmsd_agent.attempts.cleaner import Cleaner
from rmsd_agent.attempts.recovery import Recovery
from rmsd_agent.calls.calls import Calls
from rmsd_agent.guarding import guard
from rmsd_agent.guarding.guard import Guard, Guarded
from rmsd_agent.link import link
from rmsd_agent.link.link import Link, LinkError, Server
from rmsd_agent.machine.users import Users
from rmsd_agent.shepherd.standalone import cgroups, ending, processes
from rmsd_agent.shepherd.standalone.unit_spec import MARK, UnitSpec
from rmsd_agent.state.files import write_record
from rmsd_agent.state.records import SavedAttempt, UnitStatus, status_now
from rmsd_agent.units import adoption, pool
from rmsd_agent.units.adoption import StopOrder
from rmsd_agent.units.overdue import Overdue
from rmsd_agent.units.pool import Pool
from rmsd_agent.units.shepherd_lines import Here
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import Launch
from rmsd_wire.link_calls import ReadFile
from tests.agent.parts import keeper_of, running_record
from tests.agent.rig import sleeping
from tests.waiting import DEADLINE_S, until

Logs = list[MutableMapping[str, Any]]


def events(logs: Logs, event: str) -> Logs:
    return [entry for entry in logs if entry["event"] == event]


# ---------------------------------------------------------------- no process


class Timers:
    """Stands in for the event loop; a round of it is as long as anybody waits for."""

    def __init__(self) -> None:
        self._due: list[Callable[[], None]] = []

    def call_later(self, _delay_s: float, call: Callable[[], None]) -> None:
        self._due.append(call)

    def round(self) -> None:
        due, self._due = self._due, []
        for call in due:
            call()


def nothing() -> UnitSpec:
    """Return the spec of a unit that ends at once."""
    return UnitSpec(
        argv=["true"], cwd="/", env={}, stdout="", stderr="", killed_after_s=None, kill_grace_s=0.0
    )


def test_shepherds_that_cannot_be_started_are_tried_at_a_constant_rate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timers = Timers()
    tries = 0
    nursery = SimpleNamespace(awaited=0, arrived=lambda _: None)
    working = False

    def ask() -> bool:
        nonlocal tries
        tries += 1
        nursery.awaited += working
        return working

    nursery.ask = ask
    monkeypatch.setattr(pool, "asyncio", SimpleNamespace(get_running_loop=lambda: timers))
    monkeypatch.setattr(pool, "Nursery", lambda *_: nursery)
    monkeypatch.setattr(pool.os, "cpu_count", lambda: 8)
    shepherds = Pool(cast("Any", SimpleNamespace(control=tmp_path / "control", jobs=tmp_path)))
    shepherds.tell(cast("Any", SimpleNamespace()))
    for number in range(5):
        shepherds.run(f"unit {number}", nothing)
    timers.round()  # the spare one's timer as well
    for _ in range(10):
        before = tries
        timers.round()
        assert tries == before + 1
    working = True
    timers.round()
    assert nursery.awaited == 6  # one for each, and a spare one
    for pid in range(1000, 1006):
        nursery.awaited -= 1
        shepherds.heard(pool.ShepherdLink(shepherds), Here((pid, 1), None, None))
    assert all(shepherds.has(f"unit {number}") for number in range(5))


# ---------------------------------------------------------------- no thread


@pytest.fixture
def no_thread(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let no thread be started from now on, until that is undone."""

    def fail(_: threading.Thread) -> NoReturn:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", fail)
    return monkeypatch


async def test_the_guard_looks_again(no_thread: pytest.MonkeyPatch) -> None:
    no_thread.setattr(guard, "POLL_S", 0.01)
    todo = [Guarded(("1", 1, "n1"), 1, None, set(), set())]  # type: ignore[arg-type]
    watcher = Guard(lambda: todo, lambda _: None, lambda *_: None)
    with capture_logs() as logs:
        watcher.watch()
        await until(lambda: len(events(logs, "guard-blind")) > 1)
        assert "can't start new thread" in events(logs, "guard-blind")[0]["error"]
    no_thread.undo()
    todo.clear()
    await until(lambda: not watcher.is_watching)


async def test_what_is_over_is_deleted_later(tmp_path: Path, no_thread: pytest.MonkeyPatch) -> None:
    no_thread.setattr(cleaner, "RETRY_S", 0.01)
    deleting = Cleaner(tmp_path, None)
    over = tmp_path / "1.1.n1"
    (over / "batch").mkdir(parents=True)
    with capture_logs() as logs:
        deleting.throw_away(over)
        await until(lambda: events(logs, "deletion-delayed"))
    assert over.exists()
    no_thread.undo()
    assert deleting.cleaning is not None
    await deleting.cleaning
    assert not over.exists()


async def test_who_reads_a_file_is_told_to_ask_again(
    tmp_path: Path, no_thread: pytest.MonkeyPatch
) -> None:
    users = Users(allow_root=True)
    deliver = AsyncMock()
    attempts = cast("Any", SimpleNamespace(unit=lambda *_: None))
    calls = Calls(attempts, cast("Any", None), users, deliver)
    ask = ReadFile(7, 1, 1, "n1", "stdout", 0, 10, path=str(tmp_path / "out"))
    await calls.answer(ask)
    reply = deliver.await_args_list[0].args[0]
    no_thread.undo()
    assert (reply.call, reply.status, reply.error) == (7, 503, "can't start new thread")


async def test_the_daemon_is_dialed_again(no_thread: pytest.MonkeyPatch) -> None:
    """An address is looked up in a thread."""
    with capture_logs() as logs:
        dialing = asyncio.create_task(Link(Server("https://localhost:1")).run(cast("Any", None)))
        await until(lambda: events(logs, "no-link") or dialing.done())
        assert not dialing.done()
        assert events(logs, "no-link")[0]["reason"] == "can't start new thread"
    no_thread.undo()
    dialing.cancel()
    await asyncio.gather(dialing, return_exceptions=True)


async def test_a_fault_of_our_own_is_no_lack_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    async def dial(*_: object) -> Any:
        return SimpleNamespace(send_bytes=None, close=lambda: asyncio.sleep(0))

    def fail() -> NoReturn:
        raise RuntimeError("dictionary changed size during iteration")

    monkeypatch.setattr(link.Link, "dial", dial)
    agent = cast("Any", SimpleNamespace(hello=fail, link_lost=lambda: None))
    with pytest.raises(RuntimeError, match="changed size") as raised:
        await Link(Server("https://localhost:1")).run(agent)
    assert not isinstance(raised.value, LinkError)


# ---------------------------------------------------------------- no file


@contextmanager
def no_file() -> Iterator[None]:
    """Leave this process no file to open."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


# long: one watch is followed through all that happens to it
async def test_a_watch_goes_on_where_it_was_when_files_can_be_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watch forgets neither what it has seen nor why it ends the unit."""
    monkeypatch.setattr(adoption, "POLL_S", 0.01)
    unit_dir = tmp_path / "1.1.n1" / "batch"
    unit_dir.mkdir(parents=True)
    go, mark = tmp_path / "go", f"1{os.getpid():07d}77"
    script = f"trap '' TERM; env -i setsid sleep {mark} & until [ -e {go} ]; do sleep 0.02; done"
    order: StopOrder | None = None
    terminated = asyncio.Event()
    blind = ExitStack()

    def terminate(find: Callable[[], set[int]]) -> None:
        real_terminate(find)
        blind.enter_context(no_file())
        terminated.set()

    real_terminate = ending.terminate
    monkeypatch.setattr(ending, "terminate", terminate)

    async def watched(main: subprocess.Popen[bytes]) -> UnitStatus | None:
        nonlocal order
        keeper = keeper_of(lambda: order)
        with capture_logs() as logs:
            with no_file():
                watch = asyncio.create_task(adoption.outcome(unit_dir, None, keeper))
                await until(lambda: events(logs, "watch-blind") or watch.done())
            await until(lambda: events(logs, "shepherd-killed") or watch.done())
            order = StopOrder(Cause.USER, time.monotonic())
            await until(lambda: terminated.is_set() or watch.done())
            try:
                go.mkdir()  # opens no file; nobody is looking when the main process ends
                await until(lambda: main.poll() is not None)
            finally:
                blind.close()
            async with asyncio.timeout(DEADLINE_S):
                status = await watch
        assert len(events(logs, "watch-blind")) == 1
        return status

    env = {"PATH": os.defpath, MARK: str(unit_dir)}
    with subprocess.Popen(["sh", "-c", script], env=env, start_new_session=True) as main:
        try:
            write_record(unit_dir / "running.json", running_record(main))
            await until(lambda: sleeping(mark))
            status = await watched(main)
            assert status is not None
            assert status.cause is Cause.USER
            assert not sleeping(mark)
        finally:
            main.kill()
            for left in sleeping(mark):
                left.kill()


def test_who_is_in_a_cgroup_is_not_nobody_when_it_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "cgroup.procs").write_text("42\n")
    with no_file(), pytest.raises(OSError, match="Too many open files"):
        cgroups.members(str(tmp_path))
    assert cgroups.members(str(tmp_path)) == {42}
    assert cgroups.members(str(tmp_path / "gone")) == set()


async def test_an_overdue_unit_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rmsd_agent.units.overdue.SLACK_S", 0.0)
    monkeypatch.setattr("rmsd_agent.units.overdue.AWAKE_S", 0.01)
    looks = 0

    def shepherd_of(_: str) -> tuple[int, int]:
        nonlocal looks
        looks += 1
        if looks < 3:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return shepherd

    with subprocess.Popen(["sleep", "60"]) as stopped:
        stopped.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, stopped.pid, os.WSTOPPED | os.WNOWAIT)
        found = processes.process(stopped.pid)
        assert found is not None
        shepherd = (stopped.pid, found.start_ticks)
        overdue = Overdue(shepherd_of)
        overdue.expect_end("unit", 0.0)
        try:
            with capture_logs() as logs:
                await until(
                    lambda: events(logs, "shepherd-stopped") or not overdue.expects_end("unit")
                )
            assert events(logs, "shepherd-stopped")
        finally:
            overdue.forget("unit")
            stopped.kill()


async def test_what_has_ended_is_not_run_again_by_who_watched_for_its_shepherd(
    tmp_path: Path,
) -> None:
    """A shepherd told the end when it had dialed in anew, and the directory is deleted."""
    launch = Launch(1, 1, "n1", True, 0, None, 1.0, 1)
    attempt = NodeAttempt(SavedAttempt(launch, 0.0, None, ""), tmp_path / "1.1.n1")
    unit = Unit(attempt, "batch")
    unit.make_spec = cast("Any", dict)
    unit.status = status_now(Cause.EXIT)
    given: list[str] = []
    shepherds: Any = SimpleNamespace(has=lambda _: False)
    runner: Any = SimpleNamespace(run=lambda again: given.append(again.name))
    nothing = cast("Any", None)
    recovery = Recovery(HeldAttempts(), shepherds, runner, nothing, nothing)
    await recovery.see_to(unit, None)
    assert given == []
