"""The checks of the way to a file or directory: who can change it, and who can pass."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rmsd_process.ownership import (
    ChangeableError,
    check_program,
    check_way,
    closed_file,
    closed_to_others,
)


def test_the_topmost_closed_directory_is_named(tmp_path: Path) -> None:
    outer, inner = tmp_path / "outer", tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    for path in (outer, inner):
        path.chmod(0o755)
    above = closed_to_others(tmp_path)  # pytest may have closed its own
    assert closed_to_others(inner) == above
    for path in (inner, outer):
        path.chmod(0o700)
        assert closed_to_others(inner) == (above or path)


def test_a_file_is_closed_by_itself_or_by_a_directory(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "ca.pem"
    file.parent.mkdir(mode=0o755)
    file.touch(0o644)
    above = closed_to_others(tmp_path)
    assert closed_file(file) == above
    file.chmod(0o640)
    assert closed_file(file) == (above or file)
    file.parent.chmod(0o700)
    assert closed_file(file) == (above or file.parent)
    assert closed_file(tmp_path / "missing" / "ca.pem") is None


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to give directories to others")
def test_nothing_on_the_way_to_a_program_belongs_to_others(tmp_path: Path) -> None:
    """The directory of the program itself was looked at alone, and others could rename that one, or
    put another link in the place of one that leads there."""
    ours = _program(tmp_path / "etc")
    link = _program(tmp_path / "theirs").with_name("link")
    link.symlink_to(ours)
    via = ours.with_name("via")
    via.symlink_to("../theirs/link")
    below = _program(link.parent / "site")
    check_program(ours)
    check_program(via)
    os.chown(link.parent, 1234, 1234)
    for path in (link, via, below):
        with pytest.raises(ChangeableError, match=f"{link.parent} belongs to another account"):
            check_program(path)
    check_program(ours)


def test_no_link_to_a_program_is_in_a_directory_that_all_can_change(tmp_path: Path) -> None:
    ours = _program(tmp_path / "etc")
    link = _program(tmp_path / "open").with_name("link")
    link.symlink_to(ours)
    link.parent.chmod(0o777)
    with pytest.raises(ChangeableError, match=f"{link.parent} can be changed by others"):
        check_program(link)
    link.parent.chmod(0o1777)  # others replace nothing of ours there
    check_program(link)


def test_links_that_lead_to_each_other_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="Too many levels"):
        check_way(tmp_path / "a" / "c")


def _program(directory: Path) -> Path:
    """Return a program in a directory, which is made."""
    directory.mkdir(mode=0o755)
    path = directory / "prolog"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path
