"""`rmsd replay --fidelity-sweep`: rates and runs, real daemons each.

Long: a daemon is started for every rate and run.
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest

from tests.cli.replayed import SWF
from tests.commands import rmsd

pytestmark = pytest.mark.long


@pytest.fixture
def swf_text() -> str:
    return SWF


@pytest.mark.live
def test_every_rate_is_run_so_often_and_summed_up(swf: Path) -> None:
    arguments = ["replay", swf, "--fidelity-sweep", "--rates", "5000,2000", "--runs", "2"]
    report = json.loads(rmsd(*arguments, "--recipe", "easy++", "--json").stdout)
    assert (report["schema"], report["jobs"]) == ("rmsd.fidelity/1", 6)
    assert [at["rate"] for at in report["rates"]] == [5000, 2000]
    manifest = report["manifest"]
    assert (manifest["exec"], manifest["rates"], manifest["seed"]) == ("timer", [5000, 2000], 1)
    for at in report["rates"]:
        assert len(at["runs"]) == 2
        assert set(at["median"]) == set(at["least"]) == set(at["greatest"]) <= set(at["runs"][0])
        for key, median in at["median"].items():
            values = [run[key] for run in at["runs"]]
            assert median == statistics.median(values)
            assert (at["least"][key], at["greatest"][key]) == (min(values), max(values))
        assert all(run["daemon_cpu_s"] > 0 for run in at["runs"])
    began = [run["begun"] for runs in zip(*_runs(report), strict=True) for run in runs]
    assert began == sorted(began)  # a run of every rate, then the next of every rate
    chaos = report["chaos"]
    assert (chaos["shakes"], chaos["moved_by_up_to_s"]) == (60, 4)
    for key in ("wait_mean_deviation", "bounded_slowdown_deviation"):
        assert chaos[key]["p5"] <= chaos[key]["p50"] <= chaos[key]["p95"]
    assert chaos["wait_mean_deviation"]["p5"] < chaos["wait_mean_deviation"]["p95"]


def _runs(report: dict[str, list[dict[str, list[dict[str, str]]]]]) -> list[list[dict[str, str]]]:
    return [at["runs"] for at in report["rates"]]


@pytest.mark.live
def test_the_text_has_a_line_for_every_rate_and_one_for_chaos(swf: Path) -> None:
    arguments = ["--fidelity-sweep", "--rates", "2000", "--runs", "1", "--exec", "process"]
    lines = rmsd("replay", swf, *arguments).stdout.splitlines()
    assert lines[0].endswith("6 jobs, exec process, counted")
    assert [line.split()[0] for line in lines[3:5]] == ["2000", "shaken"]
    assert "runs of each rate: 1." in "\n".join(lines)


@pytest.mark.live
def test_a_sweep_goes_on_from_the_runs_that_were_kept(swf: Path, tmp_path: Path) -> None:
    kept = tmp_path / "runs.json"
    arguments = ["replay", swf, "--fidelity-sweep", "--rates", "5000", "--json", "--resume", kept]
    [first] = _runs(json.loads(rmsd(*arguments, "--runs", "1").stdout))
    [more] = _runs(json.loads(rmsd(*arguments, "--runs", "2").stdout))
    assert more[0] == first[0]
    assert len(more) == 2
    [again] = _runs(json.loads(rmsd(*arguments, "--runs", "1").stdout))
    assert again == first
    assert len(json.loads(kept.read_text())["runs"]) == 2
    [other] = _runs(json.loads(rmsd(*arguments, "--runs", "1", "--recipe", "fcfs").stdout))
    assert other[0]["begun"] > more[1]["begun"]
    kept.write_text("{")
    assert "is no rmsd.runs/1 file" in rmsd(*arguments, expect=1).stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rates", "1000"], "give that as well"),
        (["--runs", "2"], "give that as well"),
        (["--resume", "runs.json"], "give that as well"),
        (["--fidelity-sweep", "--rates", "1000,0"], "0.001 to 1000000"),
        (["--fidelity-sweep", "--rates", "1000,"], "not a number"),
        (["--fidelity-sweep", "--runs", "0"], "1 to 1000"),
        (["--fidelity-sweep", "--rate", "1000"], "give --rates"),
        (["--fidelity-sweep", "--server", "unix:/x"], "fresh daemon"),
        (["--fidelity-sweep", "--recipe", "easy", "--recipe", "fcfs"], "one --recipe"),
        (["--fidelity-sweep", "--metrics", "waits"], "fidelity figures alone"),
        (["--fidelity-sweep", "--schedule", "x.csv"], "one schedule for each run"),
    ],
)
def test_options_that_mean_nothing_are_refused(swf: Path, arguments: list[str], said: str) -> None:
    assert said in rmsd("replay", swf, *arguments, expect=2).stderr
