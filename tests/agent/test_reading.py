"""Output files, read for many at a time."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rmsd_agent.calls import calls, reading
from rmsd_agent.calls.reading import Part, Reader, TooManyReads
from rmsd_agent.machine.users import Users
from rmsd_agent.state.records import status_now
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import Launch
from rmsd_wire.link_calls import ReadFile, Reply
from tests.waiting import DEADLINE_S, until

HUNG_READ = """
import asyncio, pathlib, threading
from rmsd_agent.calls import reading
from rmsd_agent.machine.users import Users
asked = threading.Event()
def hang(*_):
    asked.set()
    threading.Event().wait()
reading.read_window = hang
async def main():
    reader = reading.Reader(Users(allow_root=True))
    async def read():
        async with reader.read_as("", pathlib.Path("/out"), 0, 1, over=True):
            pass
    task = asyncio.create_task(read())
    while not asked.is_set():
        await asyncio.sleep(0.01)
asyncio.run(main())
"""


def test_a_read_that_hangs_does_not_keep_the_agent_from_its_end() -> None:
    subprocess.run([sys.executable, "-c", HUNG_READ], timeout=DEADLINE_S, check=True)


async def test_all_users_together_have_so_many_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read that is refused gives back its place."""
    answer = threading.Event()
    asked: list[object] = []
    users = [f"user{number}" for number in range(3)]

    def hang(*_: object) -> Part:
        asked.append(None)
        answer.wait()
        return b"", 0

    monkeypatch.setattr(reading, "read_window", hang)
    monkeypatch.setattr(reading, "MAX_READS", 2)
    monkeypatch.setattr(reading, "PATIENCE_S", 0.05)
    monkeypatch.setattr(Users, "runs_as", lambda *_: None)
    reader = Reader(Users(allow_root=True))

    async def read(user: str) -> Part:
        async with reader.read_as(user, tmp_path, 0, 1, over=True) as part:
            return part

    first = [asyncio.create_task(read(user)) for user in users[:2]]
    await until(lambda: len(asked) == 2)
    for _ in range(2 * reading.MAX_READS_OF_A_USER):
        with pytest.raises(TooManyReads, match="2 reads before it are not done yet"):
            await read(users[2])
    answer.set()
    monkeypatch.setattr(reading, "PATIENCE_S", DEADLINE_S)
    assert await asyncio.gather(*first, read(users[2])) == [(b"", 0)] * 3


async def test_a_user_reads_any_number_of_files_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PATIENCE_S", DEADLINE_S)  # a machine may stand still for a while
    path = tmp_path / "out"
    path.write_text("words\n")
    reader = Reader(Users(allow_root=True))

    async def read() -> tuple[bytes, int]:
        async with reader.read_as("", path, 2, 100, over=True) as part:
            return part

    assert await asyncio.gather(*(read() for _ in range(100))) == [(b"rds\n", 6)] * 100


async def test_many_that_follow_one_users_output_share_the_looks_at_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look starts a thread: five hundred readers took a processor."""
    (tmp_path / "out").touch()
    launch = Launch(1, 1, "n1", True, 0, None, 1.0, 1, stdout=str(tmp_path / "out"))
    unit: Any = SimpleNamespace(
        started=None, ended="its end", pid=1, status=None, attempt=SimpleNamespace(launch=launch)
    )
    attempts: Any = SimpleNamespace(unit=lambda *_: unit)
    replies: list[Reply] = []
    pauses_s: list[float] = []

    async def deliver(reply: Reply) -> None:
        replies.append(reply)

    async def wait(event: object, seconds: float) -> None:
        if event == "its end":
            pauses_s.append(seconds)
        if len(pauses_s) == 40:
            unit.status = status_now(Cause.EXIT)

    monkeypatch.setattr(calls, "wait_at_most", wait)
    answers = calls.Calls(attempts, cast("Any", None), Users(allow_root=True), deliver)
    reads = [ReadFile(n, 1, 1, "n1", "stdout", 0, 1, 1000.0) for n in range(40)]
    await asyncio.gather(*map(answers.answer, reads))
    assert answers.waiting == 0
    assert [reply.status for reply in replies] == [200] * 40
    assert max(pauses_s) == pytest.approx(5 * calls.FILE_POLL_S)
