"""The verdict of `tests.ci` on tests that fail or are skipped.

Long: each test runs pytest, some with workers.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent
CONFIG = "[pytest]\nmarkers =\n    live\n    golden\n"
HEAD = "from pathlib import Path\nimport pytest\n"
UNSTEADY = """
@pytest.mark.live
@pytest.mark.parametrize("name", {names})
def test_unsteady(name):
    path = Path(__file__).with_name(name)
    had_failed = path.exists()
    path.touch()
    assert had_failed
"""
BROKEN = "@pytest.mark.live\ndef test_broken():\n    assert False\n"
WRONG = "def test_wrong():\n    assert False\n"
GOLDEN = "@pytest.mark.golden\n@pytest.mark.skip\ndef test_golden():\n    pass\n"
CANNOT_RUN = """
def test_skipped():
    pytest.skip("cgroup version 2 has no memory controller here")
"""
OTHER_SKIP = "@pytest.mark.skip(reason='no browser')\ndef test_skipped():\n    pass\n"
NO_LIBRARY = "pytest.importorskip('no_such_library')\n"
NO_PYTHON = "]\n"


def run(folder: Path, *tests: str, options: tuple[str, ...] = ()) -> tuple[int, str]:
    """Return the exit code of a run of these tests, and its text."""
    (folder / "pytest.ini").write_text(CONFIG)
    (folder / "test_it.py").write_text("\n".join([HEAD, *tests]))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "tests.ci", "--flaky", str(folder / "flaky")),
            *("-p", "xdist", "-c", str(folder / "pytest.ini"), *options, str(folder)),
        ],
        cwd=ROOT,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # plugins take most of a start
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def flaky(folder: Path) -> list[str]:
    path = folder / "flaky"
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.long  # each runs pytest as a process, which repeats tests
@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "by workers"])
def test_a_live_test_that_passes_when_it_is_repeated_is_flaky(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    code, text = run(tmp_path, UNSTEADY.format(names=["a", "b"]), CANNOT_RUN, options=options)
    assert code == 0, text
    assert sorted(flaky(tmp_path)) == [
        "test_it.py::test_unsteady[a]",
        "test_it.py::test_unsteady[b]",
    ]
    assert "FLAKY: test_it.py::test_unsteady[a]" in text


def test_three_tests_are_too_many(tmp_path: Path) -> None:
    code, text = run(tmp_path, UNSTEADY.format(names=["a", "b", "c"]))
    assert (code, flaky(tmp_path)) == (1, []), text


def test_the_flaky_tests_of_earlier_runs_count(tmp_path: Path) -> None:
    (tmp_path / "flaky").write_text("one\n")
    code, text = run(tmp_path, UNSTEADY.format(names=["a", "b"]))
    assert (code, flaky(tmp_path)) == (1, ["one"]), text
    code, text = run(tmp_path, UNSTEADY.format(names=["d"]))
    assert (code, flaky(tmp_path)) == (0, ["one", "test_it.py::test_unsteady[d]"]), text


@pytest.mark.parametrize("other", [BROKEN, WRONG, NO_PYTHON, GOLDEN, OTHER_SKIP])
def test_any_other_failure_fails_the_run(tmp_path: Path, other: str) -> None:
    code, text = run(tmp_path, UNSTEADY.format(names=["a"]), other)
    assert code != 0, text


def test_a_golden_test_may_not_be_skipped(tmp_path: Path) -> None:
    code, text = run(tmp_path, GOLDEN, options=("-n", "2"))
    assert code == 1
    assert "SKIPPED, and golden: test_it.py::test_golden" in text


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "by workers"])
def test_a_test_that_this_kind_of_machine_can_run_may_not_be_skipped(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    code, text = run(tmp_path, OTHER_SKIP, options=options)
    assert code == 1
    assert "SKIPPED, and can run here: test_it.py::test_skipped: no browser" in text


def test_a_file_that_is_skipped_as_a_whole_fails_the_run(tmp_path: Path) -> None:
    code, text = run(tmp_path, NO_LIBRARY)
    assert code == 1
    assert "SKIPPED, and can run here: test_it.py" in text


def test_a_test_that_no_machine_of_this_kind_can_run_may_be_skipped(tmp_path: Path) -> None:
    assert run(tmp_path, CANNOT_RUN)[0] == 0
