"""The records of units: who has started one, and who gives it up."""

from __future__ import annotations

import errno
import os
import subprocess
import time
from pathlib import Path

import pytest

from rmsd_agent.state.files import read_record, remove_tree, replace_record, write_record
from rmsd_agent.state.records import ClaimedUnit, SavedAttempt
from rmsd_agent.units import adoption, leftovers
from rmsd_agent.units.adoption import StopOrder
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import Launch
from tests.agent.parts import keeper_of, running_record


async def test_a_unit_that_lost_its_shepherd_is_known_to_have_started(tmp_path: Path) -> None:
    """The shepherd may have died after it had recorded the start, and before it could tell."""
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as main:
        write_record(tmp_path / "running.json", running_record(main))
        told: list[int] = []
        order = StopOrder(Cause.USER, time.monotonic())
        keeper = keeper_of(lambda: order, told.append)
        status = await adoption.outcome(tmp_path, None, keeper)
        main.kill()
    assert status is not None
    assert (told, status.cause) == ([main.pid], Cause.USER)


def test_a_record_that_cannot_be_replaced_stays(tmp_path: Path) -> None:
    path = tmp_path / "attempt.json"
    first, second = (Launch(n, 1, "n1", True, 0, 60.0, 1.0, 1) for n in (1, 2))
    write_record(path, first)
    path.with_suffix(".new").mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        replace_record(path, second)
    assert read_record(path, Launch) == first
    path.with_suffix(".new").rmdir()
    replace_record(path, second)
    assert read_record(path, Launch) == second


def test_a_unit_that_was_given_up_is_taken_by_no_shepherd(tmp_path: Path) -> None:
    """This holds whichever side has given the unit up. A unit that a shepherd has is not given
    up."""
    saved = SavedAttempt(Launch(1, 1, "n1", True, 0, 60.0, 1.0, 1), 0.0, None, "")
    write_record(tmp_path / "attempt.json", saved)
    units = given_up, earlier, claimed = [tmp_path / name for name in ("a.0", "a.1", "a.2")]
    for unit_dir in units:
        unit_dir.mkdir()
    (earlier / "running.json").write_bytes(b"given up by the agent")
    (claimed / "running.json").touch()
    assert leftovers.claim(given_up)
    assert read_record(given_up / "running.json", ClaimedUnit) is None
    with pytest.raises(FileExistsError):
        os.open(given_up / "running.json", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    replace_record(tmp_path / "attempt.json", saved)
    assert [leftovers.claim(unit_dir) for unit_dir in units] == [True, True, False]


def test_a_unit_that_is_dropped_is_out_of_a_late_shepherds_reach_while_it_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = SavedAttempt(Launch(1, 1, "n1", True, 0, 60.0, 1.0, 1), 0.0, None, "boot")
    unit_dir = tmp_path / "1.1.n1" / "batch"
    left = tmp_path / "dropped.1.1.n1.batch"  # an agent that was killed left this
    for path in (unit_dir, left):
        path.mkdir(parents=True)
        (path / "script").touch()
    write_record(unit_dir.parent / "attempt.json", saved)
    deleted: list[Path] = []

    def delete(path: Path) -> None:
        assert unit_dir.exists() == (not deleted)
        remove_tree(path)
        deleted.append(path)

    monkeypatch.setattr(leftovers, "remove_tree", delete)
    assert leftovers.read_attempt(unit_dir.parent, "boot") is None
    assert deleted == [left, left]
    assert [path.name for path in tmp_path.rglob("*")] == ["1.1.n1", "attempt.json"]


def test_a_unit_is_dropped_on_a_full_disk_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    unit_dir = tmp_path / "1.1.n1" / "batch"
    unit_dir.mkdir(parents=True)
    monkeypatch.setattr(Path, "rename", full)
    leftovers.drop(unit_dir)
    assert [path.name for path in tmp_path.rglob("*")] == ["1.1.n1"]
