"""A small study of a small trace."""

from __future__ import annotations

from pathlib import Path

from rmsd_lab_cli.studies.results_file import Row, read_results
from tests.commands import rmsd

STUDY = """\
recipes = ["easy", "easy++"]
loads = [0.7, "recorded"]
seeds = 2
traces = ["sample.swf"]
"""


def results(folder: Path, *options: str | Path) -> list[Row]:
    """Return the results of the study in a folder."""
    rmsd("study", folder / "study.toml", "--out", folder / "out.csv", *options)
    return read_results(folder / "out.csv")
