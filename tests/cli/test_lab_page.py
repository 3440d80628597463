"""The commands on the page of the lab work as they are written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rmsd_lab_cli.studies.results_file import read_results

PAGE = Path(__file__).parent.parent.parent / "docs" / "lab.md"


def section(title: str) -> str:
    """Return the text below a heading, up to the next."""
    pattern = rf"^##+ {re.escape(title)}\n(.*?)(?=^##+ |\Z)"
    (text,) = re.findall(pattern, PAGE.read_text(), re.DOTALL | re.MULTILINE)
    return str(text)


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which the commands of "From beginning to end" were given."""
    folder = tmp_path_factory.mktemp("lab")
    (script,) = re.findall(r"```sh\n(.*?)```", section("From beginning to end"), re.DOTALL)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-eu", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "XDG_CACHE_HOME": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "metrics.categories.SN.bounded_slowdown_mean" in done.stdout
    return folder


@pytest.mark.long  # the commands of the page compute for 8 s
def test_a_study_from_beginning_to_end(typed: Path) -> None:
    assert len(read_results(typed / "results.csv")) == 40
    assert (typed / "results.csv.manifest.json").exists()
    assert "timed-easy" in (typed / "report.html").read_text()


@pytest.mark.long  # needs the same commands
def test_all_columns_of_results_are_on_the_page(typed: Path) -> None:
    named = re.findall(r"`([a-zA-Z_.*]+)`", section("Results of a study"))
    exact = {name for name in named if not name.endswith("*")}
    beginnings = tuple(name.rstrip("*") for name in named if name.endswith(".*"))
    assert "metrics.GROUP." in beginnings
    for column in read_results(typed / "results.csv")[0]:
        assert column in exact or column.startswith(("metrics.", *beginnings)), column
