"""The records in docs/ name the commits that they speak of."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests import recorded


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def test_a_record_is_older_than_the_code_that_has_changed_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    docs = tmp_path / "docs"
    for folder in ("docs", *recorded.CODE):
        (tmp_path / folder).mkdir()
    git(tmp_path, "init", "-q")
    (tmp_path / "rmsd" / "file").write_text("1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    first = git(tmp_path, "rev-parse", "HEAD").strip()[:12]
    (docs / "soak.json").write_text(json.dumps({"commit": first}))
    (docs / "kills.json").write_text(json.dumps({"scenarios": {"cut": {"commit": first}}}))
    monkeypatch.setattr(recorded, "FOLDER", docs)
    monkeypatch.setattr(recorded, "RECORDS", ("soak.json", "kills.json"))
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "records")
    assert recorded.ages() == {"soak.json": {first: 0}, "kills.json": {first: 0}}
    assert recorded.main() == 0

    (tmp_path / "rmsd" / "file").write_text("2")
    git(tmp_path, "commit", "-qam", "two")
    assert recorded.ages() == {"soak.json": {first: 1}, "kills.json": {first: 1}}
    capsys.readouterr()
    assert recorded.main() == 1
    assert (
        f"docs/soak.json          {first}  1 changes of the code since" in capsys.readouterr().out
    )


@pytest.mark.parametrize("name", recorded.RECORDS)
def test_every_record_names_its_commits(name: str) -> None:
    record = json.loads((recorded.FOLDER / name).read_text())
    assert all(not commit.endswith("-dirty") for commit in recorded.commits_of(record))
    assert recorded.commits_of(record)
