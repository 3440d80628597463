"""The commit that `--version` of every program names."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

import pytest

from rmsd_process.installed import add_version_option, commit, installed_version
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [
        "rmsd",
        "rmsd-agent",
        "rsub",
        "rstat",
        "rdel",
        "rjob",
        "rnode",
        "rlog",
        "rattach",
        "rrun",
        "ralloc",
    ],
)
def test_every_program_names_version_and_commit(program: str) -> None:
    done = run_program(program, "--version", expect=0)
    assert done.stdout.startswith(f"{program} 0.")
    assert done.stdout == f"{installed_version(program)}\n"


def test_the_option_leaves_no_value() -> None:
    parser = argparse.ArgumentParser()
    add_version_option(parser, "-V", "--version")
    assert vars(parser.parse_args([])) == {}


def test_a_client_looks_for_the_installation_only_when_asked() -> None:
    code = "import sys, rmsd_client.rstat as r; r.command_parser(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert "rmsd_process.installed" in done.stdout
    for late in ("importlib.metadata", "subprocess"):
        assert late not in done.stdout.split()
