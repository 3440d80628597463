"""The check of the way that other accounts have to a directory."""

from __future__ import annotations

from pathlib import Path

from rmsd_process.ownership import closed_to_others


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
