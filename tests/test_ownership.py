"""The check of the way that other accounts have to a directory."""

from __future__ import annotations

from pathlib import Path

from rmsd_process.ownership import closed_file, closed_to_others


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
