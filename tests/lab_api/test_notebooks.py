"""The notebooks of the documents are executed as they are written.

Jupyter runs as a program, in a folder of its own: its kernel is another process.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.trace_command import TRACES, needs_traces
from tests.commands import BIN

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"
NAMES = ["own-policy", "thesis-table", "which-recipe"]
KTH = "KTH-SP2-1996-2.1-cln.swf.gz"


def cells(path: Path) -> list[dict[str, Any]]:
    found = json.loads(path.read_text())["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


def executed(name: str, folder: Path) -> list[dict[str, Any]]:
    """Execute a notebook in an empty folder, and return what its cells show."""
    work = folder / "work"
    work.mkdir()
    notebook = shutil.copy(NOTEBOOKS / f"{name}.ipynb", work)
    own = ("XDG_CACHE_HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")
    env = os.environ | {name: str(folder / name) for name in own}
    env |= {"RMSD_TRACES": str(folder), "PATH": f"{BIN}:{os.environ['PATH']}"}
    done = subprocess.run(
        [BIN / "jupyter-execute", "--inplace", "--startup_timeout=240", notebook],
        cwd=work,
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [output for cell in cells(Path(notebook)) for output in cell["outputs"]]


def shown(outputs: list[dict[str, Any]], kind: str) -> str:
    return "\n".join("".join(one.get("data", {}).get(kind, "")) for one in outputs)


def test_all_notebooks_are_executed_and_kept_without_outputs() -> None:
    assert sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")) == NAMES
    for name in NAMES:
        for cell in cells(NOTEBOOKS / f"{name}.ipynb"):
            assert cell["outputs"] == []
            assert cell["execution_count"] is None


@pytest.mark.long  # a kernel, and simulations
@pytest.mark.timeout(900)
def test_the_notebook_of_the_recipes(tmp_path: Path) -> None:
    outputs = executed("which-recipe", tmp_path)
    assert "rmsd-gentle" in shown(outputs, "text/plain")
    assert "interval does not contain 0" in shown(outputs, "text/html")
    assert shown(outputs, "image/png")
    plain(outputs)


@pytest.mark.live
@pytest.mark.long  # a kernel, simulations, and a replay through a daemon
@pytest.mark.timeout(900)
def test_the_notebook_of_the_own_policy(tmp_path: Path) -> None:
    outputs = executed("own-policy", tmp_path)
    text = shown(outputs, "text/plain")
    assert "['order=aged-saf']" in text
    assert "<replay easy++,order=aged-saf: 150 jobs, 32 processors" in text
    assert "'distribution': 'mine.py'" in text
    plain(outputs)


@pytest.mark.long  # a kernel, and simulations
@pytest.mark.timeout(900)
def test_the_notebook_of_the_thesis_without_logs(tmp_path: Path) -> None:
    outputs = executed("thesis-table", tmp_path)
    text = shown(outputs, "text/plain")
    assert "{'no trace': 48}" in text
    assert "<trace sample: 2,000 jobs, 100 processors>" in text
    plain(outputs)


@pytest.mark.golden
@pytest.mark.long  # a kernel, and a year of KTH four times, twice
@pytest.mark.timeout(900)
@needs_traces
def test_the_notebook_of_the_thesis_reproduces_the_table_of_kth(tmp_path: Path) -> None:
    (tmp_path / KTH).symlink_to(TRACES / KTH)
    outputs = executed("thesis-table", tmp_path)
    text = shown(outputs, "text/plain")
    assert "{'no trace': 36, 'reproduced': 12}" in text
    assert "<trace KTH-SP2-1996-2.1-cln: 28,476 jobs" in text
    plain(outputs)


def plain(outputs: list[dict[str, Any]]) -> None:
    """Check that no output is for a terminal, and that none is an empty box."""
    for one in outputs:
        assert one["output_type"] != "error"
        for kind, text in one.get("data", {}).items():
            assert "\x1b" not in "".join(text)
            assert text, kind
