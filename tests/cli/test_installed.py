"""The commit that `rmsd --version` names."""

from __future__ import annotations

import json
import subprocess
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

import pytest

from rmsd_cli.installed import commit
from tests.commands import run_program


def installed(folder: Path, record: object) -> Distribution:
    """Return a distribution with this record of its origin."""
    info = folder / "rmsd-0.1.0.dist-info"
    info.mkdir()
    (info / "direct_url.json").write_text(json.dumps(record))
    return PathDistribution(info)


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", "-C", folder, *who, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_an_editable_installation_tells_the_commit_of_its_checkout(tmp_path: Path) -> None:
    checkout = tmp_path / "a checkout"
    checkout.mkdir()
    record = {"url": checkout.as_uri(), "dir_info": {"editable": True}}
    found = installed(tmp_path, record)
    assert commit(found) == ""
    git(checkout, "init", "-q")
    (checkout / "file").write_text("old")
    git(checkout, "add", "file")
    git(checkout, "commit", "-qm", "first")
    head = git(checkout, "rev-parse", "HEAD")
    assert commit(found) == head[:12]
    (checkout / "file").write_text("new")
    assert commit(found) == f"{head[:12]}-dirty"


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"url": "https://x/rmsd", "vcs_info": {"vcs": "git", "commit_id": "a1b2c3"}}, "a1b2c3"),
        ({"url": "file:///x/rmsd", "dir_info": {}}, ""),
        ({"url": "https://x/rmsd.whl", "archive_info": {}}, ""),
        ({"dir_info": {"editable": True}}, ""),
        ([], ""),
    ],
)
def test_other_installations_tell_what_their_record_has(
    tmp_path: Path, record: object, told: str
) -> None:
    assert commit(installed(tmp_path, record)) == told


def test_an_installation_without_a_record_tells_no_commit(tmp_path: Path) -> None:
    assert commit(PathDistribution(tmp_path)) == ""


def test_rmsd_names_its_version() -> None:
    done = run_program("rmsd", "--version", expect=0)
    assert done.stdout.startswith("rmsd 0.")
