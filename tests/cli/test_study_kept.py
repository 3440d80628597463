"""`rmsd study` again: what is kept of its runs, and of an interrupted command."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import format_swf
from tests.cli.studies import STUDY, results


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "cache" / "rmsd" / "study").glob("*.json"))


def doctor(paths: list[Path], wait_s: float) -> None:
    """Nothing but a kept run has this mean wait."""
    for path in paths:
        stored = json.loads(path.read_text())
        stored["result"]["report"]["wait_s"]["mean"] = wait_s
        path.write_text(json.dumps(stored))


@pytest.mark.slow
def test_what_is_kept_is_not_made_again(folder: Path) -> None:
    first = results(folder)
    doctor(kept(folder), 4711.0)
    assert {row["wait_s.mean"] for row in results(folder)} == {4711.0}
    (folder / "study.toml").write_text(STUDY.replace('["easy",', '["fcfs", "easy",'))
    assert [row["recipe"] for row in results(folder) if row["wait_s.mean"] != 4711.0] == [
        "fcfs"
    ] * 4
    (folder / "study.toml").write_text(STUDY)
    fresh = results(folder, "--fresh")
    assert [row["wait_s.mean"] for row in fresh] == [row["wait_s.mean"] for row in first]
    kept(folder)[0].write_text("{")  # a broken file counts as missing
    assert len(results(folder)) == 8


@pytest.mark.slow
def test_more_metrics_are_made_once_and_fewer_are_there(folder: Path) -> None:
    results(folder, "--metrics", "waits")
    doctor(kept(folder), 4711.0)
    rows = results(folder, "--metrics", "categories")
    assert {row["wait_s.mean"] == 4711.0 for row in rows} == {False}
    assert not any(name.startswith("metrics.waits") for name in rows[0])
    doctor(kept(folder), 4711.0)
    rows = results(folder, "--metrics", "waits,categories")
    assert {row["wait_s.mean"] for row in rows} == {4711.0}


@pytest.mark.slow
def test_another_trace_under_the_same_name_is_another_run(folder: Path) -> None:
    results(folder)
    doctor(kept(folder), 4711.0)
    lines = format_swf(sample_trace(120, 16, seed=2), {"MaxProcs": "16"})
    (folder / "sample.swf").write_text("".join(lines))
    assert 4711.0 not in {row["wait_s.mean"] for row in results(folder)}


@pytest.mark.long  # each runs a study three times
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_study_goes_on_where_it_was(
    folder: Path, number: signal.Signals, code: int
) -> None:
    study = (
        'recipes = ["fcfs", "easy", "conservative", "easy++"]\nseeds = {}\n'
        '[[traces]]\nmodel = "sample"\njobs = 300\nprocs = 32\n'
    )
    (folder / "study.toml").write_text(study.format(5000))
    command = [sys.executable, "-m", "rmsd_cli.main", "study", str(folder / "study.toml")]
    command += ["--jobs", "2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not kept(folder):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        _, said = process.communicate()
    assert process.returncode == code
    assert "resource_tracker" not in said
    finished = len(kept(folder))
    assert 0 < finished < 20_000
    found = re.search(f"([0-9,]+) of 20,000 runs are kept in {folder / 'cache/rmsd/study'}", said)
    assert found
    assert finished - int(found[1].replace(",", "")) in (0, 1)  # the run may have been just kept
    assert "Traceback" not in said
    doctor(kept(folder), 4711.0)
    seeds = finished // 4 + 3
    (folder / "study.toml").write_text(study.format(seeds))
    rows = results(folder)
    assert [row["wait_s.mean"] for row in rows].count(4711.0) == finished
    assert len(rows) == len(kept(folder)) == 4 * seeds


@pytest.mark.slow
def test_nobody_works_on_when_the_command_is_killed(folder: Path) -> None:
    (folder / "study.toml").write_text(
        'recipes = ["conservative", "easy"]\nseeds = 500\n'
        '[[traces]]\nmodel = "sample"\njobs = 1000\nprocs = 32\n'
    )
    command = [sys.executable, "-m", "rmsd_cli.main", "study", str(folder / "study.toml")]
    with subprocess.Popen([*command, "--jobs", "2"]) as process:
        while not kept(folder):
            assert process.poll() is None
            time.sleep(0.01)
        workers = psutil.Process(process.pid).children(recursive=True)
        process.kill()
    assert len(workers) >= 2
    _, left = psutil.wait_procs(workers, timeout=60)
    assert not left
    assert len(kept(folder)) < 1000
