"""Stories of faults on a compiled core: it decides what the core in Python decides."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hatch_build import SWITCH, why_not

from tests.compiled import compiled_python

TIMES = {"began", "ended", "run_s", "cpu_s"}


def told(python: Path, first: int, record: Path) -> dict[str, Any]:
    """Return the record of 12 stories, without times."""
    command = [str(python), "-m", "tests.world", "--seeds", "12", "--first", str(first)]
    done = subprocess.run(
        [*command, "--record", str(record)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {
        what: value for what, value in json.loads(record.read_text()).items() if what not in TIMES
    }


@pytest.mark.long  # a wheel is built with a compiled core: two minutes of processor time
@pytest.mark.longest
@pytest.mark.timeout(1200)
def test_a_compiled_core_tells_the_same_stories(
    fresh_seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """mypyc checks the types of values as they move, and a type that is stated wrongly ends a
    submit there alone. Stories use most of what jobs may ask for."""
    monkeypatch.setenv(SWITCH, "1")
    if reason := why_not():
        pytest.skip(reason)
    first = 20_000_000_000 + fresh_seed * 12
    compiled = compiled_python(tmp_path)
    where = "import rmsd_core.planning.planner as planner; print(planner.__file__)"
    file = subprocess.run([str(compiled), "-c", where], capture_output=True, text=True, check=True)
    assert file.stdout.endswith(".so\n")
    same = told(Path(sys.executable), first, tmp_path / "python.json")
    assert told(compiled, first, tmp_path / "compiled.json") == same
