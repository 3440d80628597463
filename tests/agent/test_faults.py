"""The fault of a failed launch, by what the shepherd looks at."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from pathlib import Path

import pytest

from rmsd_agent.shepherd.standalone import faults
from rmsd_agent.shepherd.standalone.accounts import Account

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another account")

NOBODY = 65534


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[Path]:
    """Yield an empty directory of root's that all may pass, looked at with the rights of
    `nobody`."""
    for directory in (tmp_path, *tmp_path.parents[:-2]):
        directory.chmod(0o755)
    homes = tmp_path / "homes"
    homes.mkdir()
    os.seteuid(NOBODY)
    yield homes
    os.seteuid(0)


def account(home: Path) -> Account:
    entry = pwd.getpwuid(NOBODY)
    return Account(pwd.struct_passwd((*entry[:5], str(home), entry[6])))


def test_an_empty_directory_of_homes_is_the_nodes_fault(homes: Path) -> None:
    """The fault is the node's for all that lies below the home, and for nothing else."""
    ann = account(homes / "ann")
    for path in ("", "project", "project/../other", "a/b/c.out"):
        assert faults.missing_homes(str(homes / "ann" / path), ann) == str(homes)
    for path in ("bob", "ann2", "ann/../bob"):
        assert faults.missing_homes(str(homes / path), ann) == ""


def test_a_missing_home_among_others_may_be_missing_everywhere(homes: Path) -> None:
    os.seteuid(0)
    (homes / "bob").mkdir()
    os.seteuid(NOBODY)
    assert faults.missing_homes(str(homes / "ann/x"), account(homes / "ann")) == ""
    assert faults.missing_homes("/nowhere/x", account(Path("/nowhere"))) == ""


def test_what_the_user_can_have_done_is_not_the_nodes_fault(homes: Path) -> None:
    """The user has removed the home, or something in it."""
    os.seteuid(0)
    os.chown(homes, NOBODY, -1)
    os.seteuid(NOBODY)
    assert faults.missing_homes(str(homes / "ann/x"), account(homes / "ann")) == ""
    (homes / "ann").mkdir()
    assert faults.missing_homes(str(homes / "ann/x"), account(homes / "ann")) == ""


def test_an_empty_mount_point_may_mount_homes_when_they_are_needed() -> None:
    """Automounters do so: /proc/sys/fs/binfmt_misc and /dev/mqueue are such places, if they are
    there and empty."""
    places = [place for place in map(Path, ("/dev/mqueue", "/dev/shm")) if place.is_mount()]
    for place in places:
        assert faults.missing_homes(str(place / "ann/x"), account(place / "ann")) == ""
