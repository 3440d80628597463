"""The journal: an agent's memory of attempts that have ended."""

from __future__ import annotations

from pathlib import Path

import pytest

import rmsd_agent.state.journal
from rmsd_agent.state.journal import Journal
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import EndedAttempt


def ended(job_id: int) -> EndedAttempt:
    return EndedAttempt(job_id, 1, "n", True, 1, 1, 2, Cause.EXIT, exit_code=3, message="so")


def test_what_is_noted_is_there_for_the_next_agent(tmp_path: Path) -> None:
    Journal(tmp_path).add([ended(1), ended(2)])
    Journal(tmp_path).add([ended(3)])
    assert Journal(tmp_path).read() == [ended(1), ended(2), ended(3)]
    assert (tmp_path / "ended.jsonl").stat().st_mode & 0o077 == 0


def test_a_line_that_was_cut_off_costs_no_other(tmp_path: Path) -> None:
    """A full disk cuts a line off, or a crash, after which another agent goes on."""
    for journal in (Journal(tmp_path), Journal(tmp_path)):
        for job_id in (1, 2):
            journal.add([ended(job_id)])
            with (tmp_path / "ended.jsonl").open("ab") as file:
                file.write(b'{"noted_s":1')
    assert journal.read() == [ended(1), ended(2)] * 2


def test_only_the_latest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rmsd_agent.state.journal, "MOST_NOTES", 10)
    journal = Journal(tmp_path)
    for job_id in range(1, 36):
        journal.add([ended(job_id)])
    assert [one.job_id for one in journal.read()] == [*range(21, 36)]
    assert [one.job_id for one in Journal(tmp_path).read()] == [*range(21, 36)]


def test_what_is_older_than_a_month_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path)
    journal.add([ended(1)])
    monkeypatch.setattr(rmsd_agent.state.journal, "LONGEST_S", -1.0)
    assert journal.read() == []
