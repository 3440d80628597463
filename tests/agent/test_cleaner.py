"""Deleting what is over, while somebody keeps the kernel from it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest
from structlog.testing import capture_logs

from rmsd_agent.attempts import cleaner
from rmsd_agent.attempts.cleaner import Cleaner
from tests.agent.unanswered import WRITES_FROM_NOTHING
from tests.waiting import wait_until


def directory(where: Path, name: str) -> Path:
    made = where / name
    (made / "s.0").mkdir(parents=True)
    (made / "s.0" / "stdout").write_text("output")
    return made


class Hung(NamedTuple):
    """A directory of a task, and the process that hangs while it writes to the task's output."""

    directory: Path
    writer: subprocess.Popen[bytes]
    earlier: list[psutil.Process]

    def is_there(self) -> bool:
        return self.directory.exists()

    def children(self) -> list[psutil.Process]:
        """Return the children that this process has since the test began."""
        return [one for one in psutil.Process().children() if one not in self.earlier]

    async def end(self, deleting: Cleaner) -> None:
        """End the writer, so that the processes that hang in a deletion end, and are collected."""
        os.killpg(self.writer.pid, signal.SIGKILL)
        self.writer.wait()
        others = self.children()
        wait_until(lambda: all(one.status() == psutil.STATUS_ZOMBIE for one in others))
        deleting.throw_away(self.directory)
        assert deleting.cleaning is not None
        await deleting.cleaning


@pytest.fixture
def hung(tmp_path: Path) -> Iterator[Hung]:
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    found = directory(tmp_path, "1.1.n1")
    earlier = psutil.Process().children()
    command = [sys.executable, "-c", WRITES_FROM_NOTHING, mounted, found / "s.0" / "stdout"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        if b"not here" in process.stdout.readline():
            pytest.skip("no FUSE here")
        yield Hung(found, process, earlier)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")
async def test_a_hung_deletion_keeps_nothing_else_waiting(
    tmp_path: Path, hung: Hung, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleaner, "PATIENCE_S", 0.3)
    others = [directory(tmp_path, f"{number}.1.n1") for number in range(2, 60)]
    deleting = Cleaner(tmp_path, None)
    with capture_logs() as logs:
        for one in (others[0], hung.directory, *others[1:]):
            deleting.throw_away(one)
        assert deleting.cleaning is not None
        await deleting.cleaning
    assert not any(one.exists() for one in others)
    assert hung.is_there()
    hangs = [one["path"] for one in logs if one["event"] == "deletion-hangs"]
    assert hangs == [str(hung.directory)]
    await hung.end(deleting)
    assert not hung.is_there()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")
async def test_the_end_of_the_agent_does_not_wait_for_a_deletion(
    tmp_path: Path, hung: Hung
) -> None:
    deleting = Cleaner(tmp_path, None)
    deleting.throw_away(hung.directory)
    await asyncio.sleep(0)
    wait_until(lambda: len(hung.children()) == 2, "the process that deletes is there")
    deleting.close()
    assert deleting.cleaning is not None
    await deleting.cleaning
    assert hung.is_there()
    await hung.end(deleting)


async def test_what_cannot_be_deleted_is_told(tmp_path: Path) -> None:
    here, file = directory(tmp_path, "1.1.n1"), tmp_path / "2.1.n1"
    file.write_text("")
    deleting = Cleaner(tmp_path, None)
    with capture_logs() as logs:
        deleting.throw_away(file)
        deleting.throw_away(tmp_path / "3.1.n1")
        deleting.throw_away(here)
        assert deleting.cleaning is not None
        await deleting.cleaning
    assert not here.exists()
    [told] = logs
    assert (told["event"], told["path"]) == ("not-deleted", str(file))
    assert "Not a directory" in told["error"]
