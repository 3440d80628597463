"""The fixture `slurm` in a run of pytest of its own, as other projects have it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import DEADLINE_S

_TESTS = """
import os, subprocess, pytest

def submit():
    return subprocess.run(["sbatch", "--wrap", "sleep 1000"], capture_output=True, text=True)

def test_one(slurm):
    assert "SLURM_JOB_ID" not in os.environ
    assert submit().stdout == "Submitted batch job 1\\n"
    slurm.refuse_submits(5)
    slurm.fail_node("node1")
    print("folder", slurm.bin)

def test_two_has_the_same_cluster_without_faults_and_jobs(slurm):
    assert subprocess.check_output(["squeue", "-h"]) == b""
    assert subprocess.check_output(["sinfo", "-h", "-o", "%D %t"]) == b"2 idle\\n"
    assert submit().returncode == 0
    print("folder", slurm.bin)

@pytest.mark.slurm(nodes=1)
def test_three_has_another(slurm):
    assert subprocess.check_output(["sinfo", "-h", "-o", "%D"]) == b"1\\n"

def test_four_has_none():
    assert "RMSD_TEST_CLUSTER" not in os.environ
"""


def _pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=2 * DEADLINE_S
    )


@pytest.mark.live
@pytest.mark.long  # pytest starts two clusters
def test_tests_share_a_cluster_and_leave_it_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "99")  # These tests may run in a job of a cluster.
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    (tmp_path / "test_it.py").write_text(_TESTS)
    done = _pytest(tmp_path, "-rP", "--strict-markers")
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout
    folders = re.findall(r"^folder (.*)/bin$", done.stdout, re.MULTILINE)
    assert len(folders) == 2
    assert len(set(folders)) == 1
    assert not Path(folders[0]).exists()


@pytest.mark.live
@pytest.mark.long  # three clusters start
def test_the_example_of_the_guide_passes(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/slurm-for-tests.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    first, program, tests, story = blocks
    (tmp_path / "work.py").write_text(program)
    (tmp_path / "test_work.py").write_text(tests)
    done = _pytest(tmp_path)
    assert "4 passed" in done.stdout, done.stdout
    command = [sys.executable, "-c", first]
    shown = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "JOBID" in shown.stdout
    command = [sys.executable, "-c", story]
    drawn = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert drawn.stdout.count("'act': ") == 3


@pytest.mark.slow
def test_who_does_not_ask_for_it_does_not_pay_for_it(tmp_path: Path) -> None:
    """Nothing of rmsd but the plugin itself is loaded."""
    (tmp_path / "test_it.py").write_text(
        "import sys\ndef test_it():\n"
        "    loaded = {name for name in sys.modules if name.split('.')[0].startswith('rmsd')}\n"
        "    assert loaded == {'rmsd', 'rmsd.testing', 'rmsd.testing.plugin'}\n"
    )
    done = _pytest(tmp_path)
    assert done.returncode == 0, done.stdout
