"""`rmsd paper`: experiments, verdicts, and what is kept of an interrupted command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rmsd_cli.errors import CommandError
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import format_swf
from rmsd_lab_cli.papers import flurry, trends, verdicts
from rmsd_lab_cli.papers.catalogue import EXPERIMENTS, PUBLISHED, named
from rmsd_lab_cli.papers.execute import execute
from rmsd_lab_cli.papers.experiment import FLURRY, Cell, Experiment, PaperTable, Simulation
from rmsd_lab_cli.papers.outcome import judged, missed
from rmsd_lab_cli.papers.workloads import CHANGES, find_sources, prepared, trace_at
from tests.commands import rmsd

DATA = os.environ.get("RMSD_TEST_DATA")
RUN = Simulation("KTH-SP2-1996", 100, "easy")


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """Return a folder with a tiny stand-in for the KTH log."""
    folder = tmp_path / "traces"
    folder.mkdir()
    lines = format_swf(sample_trace(150, 100, seed=1), {"MaxProcs": "100"})
    (folder / "KTH-SP2-1996-2.swf").write_text("".join(lines))
    return folder


def run(traces: Path, *arguments: str) -> dict[str, Any]:
    """Return the JSON of `rmsd paper run`, its results kept beside the traces."""
    kept = traces.parent / "kept"
    done = rmsd("paper", "run", "--traces", traces, "--results", kept, "--json", *arguments)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_list_names_every_experiment(traces: Path) -> None:
    shown = rmsd("paper", "list", "--traces", traces).stdout
    assert all(name in shown for name in EXPERIMENTS)
    assert "1/4" in next(line for line in shown.splitlines() if line.startswith("thesis-4.3 "))
    listed = json.loads(rmsd("paper", "list", "--json").stdout)
    assert listed["schema"] == "rmsd.paper/1"
    assert [experiment["name"] for experiment in listed["experiments"]] == list(EXPERIMENTS)


def test_names_are_experiments_or_their_beginnings() -> None:
    assert [experiment.name for experiment in named("thesis-4.1")] == ["thesis-4.1"]
    assert len(named("thesis-4")) > 8
    assert named("all") == list(PUBLISHED.values())
    assert named("thes") == []


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS.keys())
def test_every_experiment_is_sound(experiment: Any) -> None:
    assert experiment.tables or experiment.claims
    for simulation in experiment.needs():
        parse_recipe(simulation.recipe)
        assert all(name in {*CHANGES, "load"} for name, *_ in simulation.changes)
    for table in experiment.tables:
        assert table.cells
        for cell in table.cells:
            assert cell.published is None or float(cell.published) >= 0
            assert cell.runs


@pytest.mark.slow
def test_published_beside_ours_with_a_verdict(traces: Path) -> None:
    shown = rmsd(
        "paper", "run", "thesis-4.3", "--traces", traces, "--results", traces.parent / "kept"
    ).stdout
    assert "KTH: KTH-SP2-1996-2.swf, 100 processors" in shown
    assert "BLUE: no trace (SDSC-BLUE-2000), 12 cells not shown" in shown
    assert "36 no trace" in shown
    assert max(map(len, shown.splitlines())) <= 100

    report = run(traces, "thesis-4.3")
    assert report["schema"] == "rmsd.paper/1"
    assert report["traces"].keys() == {"KTH-SP2-1996"}
    (table,) = report["experiments"][0]["tables"]
    cells = {(c["row"], c["column"], c["unit"]): c for c in table["cells"]}
    cell = cells["KTH", "EASY", "wait [min]"]
    assert cell["published"] == 114
    assert cell["verdict"] == "missed"
    assert cell["runs"][0]["recipe"] == "easy,extra=needed"
    assert cell["runs"][0]["trace_sha256"] == report["traces"]["KTH-SP2-1996"]["sha256"]
    ours = rmsd(
        "simulate", traces / "KTH-SP2-1996-2.swf", "--trim", "thesis", "--recipe", "easy", "--json"
    )
    assert cell["ours"] == pytest.approx(json.loads(ours.stdout)["wait_s"]["mean"] / 60)
    assert cells["CTC", "EASY", "wait [min]"]["ours"] is None


@pytest.mark.slow
def test_finished_runs_are_kept_and_used_again(traces: Path) -> None:
    first = run(traces, "thesis-4.3")
    kept = list((traces.parent / "kept").glob("*.json"))
    assert len(kept) == 4  # recipes, on the one log that is there
    for path in kept:
        stored = json.loads(path.read_text())
        stored["result"]["waits"]["wait_s"]["mean"] = 60 * 114.0
        path.write_text(json.dumps(stored))

    def waits(report: dict[str, Any]) -> list[float]:
        cells = report["experiments"][0]["tables"][0]["cells"]
        return [c["ours"] for c in cells if c["row"] == "KTH" and c["unit"] == "wait [min]"]

    assert waits(run(traces, "thesis-4.3")) == [114.0] * 4
    assert waits(run(traces, "thesis-4.3", "--fresh")) == waits(first)
    kept[0].write_text("{")  # a broken file counts as missing
    assert waits(run(traces, "thesis-4.3")) == waits(first)


@pytest.mark.slow
def test_another_trace_is_another_run(traces: Path) -> None:
    first = run(traces, "thesis-4.2")
    (traces / "KTH-SP2-1996-2.swf").write_text(
        "".join(format_swf(sample_trace(150, 100, seed=2), {}))
    )
    assert run(traces, "thesis-4.2") != first


@pytest.mark.slow
def test_what_is_missed_is_shaken(traces: Path) -> None:
    report = run(traces, "thesis-4.3", "--shake", "3", "--seed", "7")
    assert (report["shaken_runs"], report["seed"]) == (3, 7)
    cells = report["experiments"][0]["tables"][0]["cells"]
    for cell in cells:
        if cell["verdict"] == "missed":
            low, high = cell["shaken"]
            assert low <= high
            assert not low <= cell["published"] <= high
        if cell["verdict"] == "reproduced" and cell["column"] == "PERFECT++":
            break
    else:
        pytest.fail("perfect predictions are accurate, whatever the trace")
    assert any(cell["verdict"] == "missed" for cell in cells)
    assert run(traces, "thesis-4.3", "--shake", "3", "--seed", "7") == report


@pytest.mark.slow
def test_generated_sets_need_no_trace() -> None:
    sources = find_sources({"dynp-set1", "KTH-SP2-1996"}, Path(__file__).parent)
    assert sources.keys() == {"dynp-set1"}
    jobs, processors = prepared(Simulation("dynp-set1", 96, "dynp", (("shrunk", 0.5),)), None)
    assert (len(jobs), processors) == (8469, 96)


def test_the_version_that_the_papers_used_is_preferred(tmp_path: Path) -> None:
    for name in ("KTH-SP2-1996-2.1-cln.swf", "KTH-SP2-1996-1.swf", "KTH-SP2-1996-2.swf.gz"):
        (tmp_path / name).write_text("")
    for name in ("CTC-SP2-1996-2.swf", "CTC-SP2-1996-2.1-cln.swf.gz", "CTC-SP2-1996-3.1-cln.swf"):
        (tmp_path / name).write_text("")
    (tmp_path / "CTC-SP2-1996-9.1-cln.swf.txt").write_text("")
    sources = find_sources({"KTH-SP2-1996", "CTC-SP2-1996", "CTC-SP2-1995"}, tmp_path)
    assert {name: source.name for name, source in sources.items()} == {
        "KTH-SP2-1996": "KTH-SP2-1996-2.swf.gz",
        "CTC-SP2-1996": "CTC-SP2-1996-3.1-cln.swf",
    }


@pytest.mark.slow
def test_interrupted_runs_are_kept_and_the_rest_is_made_later(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    lines = format_swf(sample_trace(3000, 100, seed=1), {"MaxProcs": "100"})
    (tmp_path / "KTH-SP2-1996-2.swf").write_text("".join(lines))
    arguments = ["paper", "run", "thesis-4", "--traces", str(tmp_path), "--results", str(kept)]
    with subprocess.Popen(
        [sys.executable, "-m", "rmsd_cli.main", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        while not list(kept.glob("*.json")) and process.poll() is None:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        shown, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert shown == ""
    finished = {path: path.stat().st_mtime_ns for path in kept.glob("*.json")}
    assert finished
    report = json.loads(rmsd(*arguments, "--json").stdout)
    assert len(list(kept.glob("*.json"))) > len(finished)
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert len(report["experiments"]) == len(named("thesis-4"))


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["run", "thesis-9"], 2, "no experiment 'thesis-9'; there are: thesis-"),
        (["run", "thesis-4.1", "--shake", "-1"], 2, "--shake"),
        (["run", "thesis-4.1", "--processes", "0"], 2, "--processes"),
        (["run", "thesis-4.1", "--traces", "/nonexistent"], 1, "cannot read /nonexistent"),
        (["run"], 2, "NAME"),
        ([], 2, "list|run"),
    ],
)
def test_wrong_usage_is_explained(arguments: list[str], code: int, said: str) -> None:
    done = rmsd("paper", *arguments, expect=code)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_trace_that_cannot_be_read_is_named(traces: Path) -> None:
    (traces / "KTH-SP2-1996-2.swf").write_text("1 2 3\n")
    kept = traces.parent / "kept"
    done = rmsd("paper", "run", "thesis-4.1", "--traces", traces, "--results", kept, expect=1)
    assert "KTH-SP2-1996-2.swf, line 1: 3 fields" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_trace_without_users_is_refused_where_they_are_needed(traces: Path) -> None:
    jobs = [job._replace(user="-1") for job in sample_trace(150, 100, seed=1)]
    (traces / "KTH-SP2-1996-2.swf").write_text("".join(format_swf(jobs, {})))
    kept = traces.parent / "kept"
    done = rmsd("paper", "run", "thesis-4.2", "--traces", traces, "--results", kept, expect=1)
    assert "does not know its users" in done.stderr


def cell(published: str | None, within: float = 0.06) -> Cell:
    return Cell("KTH", "EASY", "min", (RUN,), "waits/wait_s/mean", 1 / 60, published, within)


@pytest.mark.parametrize(
    ("published", "minutes", "verdict"),
    [
        ("100", 105.9, verdicts.REPRODUCED),
        ("100", 94.1, verdicts.REPRODUCED),
        ("100", 106.6, verdicts.MISSED),
        ("0.1", 0.149, verdicts.REPRODUCED),  # printed as 0.1
        ("0.1", 0.151, verdicts.MISSED),
        ("2.8", 2.849, verdicts.REPRODUCED),
        ("0", 0.4, verdicts.REPRODUCED),
        ("0", 0.6, verdicts.MISSED),
        (None, 7.0, verdicts.SHOWN),
    ],
)
def test_a_verdict_is_by_deviation_or_by_rounding(
    published: str | None, minutes: float, verdict: str
) -> None:
    judged = verdicts.judge(cell(published), minutes * 60)
    assert judged.verdict == verdict
    assert judged.ours == pytest.approx(minutes)


def test_a_published_value_inside_the_spread_is_within_shaking() -> None:
    waits_s = [60.0 * minutes for minutes in range(60, 161)]  # 5th and 95th percentile: 65, 155
    judged = verdicts.judge(cell("100"), 200 * 60, waits_s)
    assert judged.verdict == verdicts.WITHIN_SHAKING
    assert judged.shaken == pytest.approx((65, 155))
    assert judged.deviation == pytest.approx(1.0)
    assert verdicts.judge(cell("64"), 200 * 60, waits_s).verdict == verdicts.MISSED
    assert verdicts.judge(cell("100"), None).verdict == verdicts.UNDEFINED


@pytest.mark.parametrize(
    ("judge", "true", "false"),
    [
        (trends.rises, [1, 2, 1.99, 3], [1, 2, 1.9, 3]),
        (trends.falls, [3, 2, 2.01, 1], [3, 2, 2.1, 1]),
        (trends.dips, [2, 3, 1, 4], [2, 2, 3, 4]),
        (trends.turns_up, [5, 3, 2, 2.1], [5, 3, 2, 2.01]),
        (trends.turns_up, [5, 3, 2, 9], [5, 6, 7, 9]),
        (trends.peaks_inside, [1, 3, 2], [1, 2, 3]),
        (trends.ends_higher, [1, 0, 2], [2, 3, 1]),
        (trends.ends_lower, [2, 3, 1], [1, 0, 2]),
    ],
)
def test_shapes_of_curves(judge: trends.Judge, true: list[float], false: list[float]) -> None:
    assert judge(true)
    assert not judge(false)


def known(*waits_s: float | None) -> dict[Simulation, dict[str, dict[str, Any]]]:
    """Return the measures of runs that differ in their processors alone: their mean waits."""
    return {
        replace(RUN, processors=at): {"waits": {"wait_s": None if w is None else {"mean": w}}}
        for at, w in enumerate(waits_s, 1)
    }


def claim_verdict(
    judge: trends.Judge, runs: dict[Simulation, dict[str, dict[str, Any]]]
) -> tuple[str, str]:
    points = [[replace(RUN, processors=at)] for at in (1, 2, 3)]
    claim = trends.curve("it rises", points, "waits/wait_s/mean", judge, 1 / 60)
    outcome = judged(Experiment("x", "x", "x", (), [claim]), runs, {})
    ((_, verdict, numbers),) = outcome.claims
    return verdict, numbers


def test_a_claim_holds_or_not_or_cannot_be_told() -> None:
    assert claim_verdict(trends.rises, known(60, 120, 180)) == ("holds", "1.00, 2.00, 3.00")
    assert claim_verdict(trends.falls, known(60, 120, 180))[0] == "does not hold"
    assert claim_verdict(trends.rises, known(60, 120))[0] == "no trace"
    assert claim_verdict(trends.rises, known(60, 120, None))[0] == "not defined"


def test_claims_about_pairs_mark_those_that_differ() -> None:
    one, other, third = known(60, 120, 180)
    pairs = [("a", [one], [other]), ("b", [third], [other])]

    def verdict(share: float) -> tuple[str, str]:
        claim = trends.every(
            "less", pairs, "waits/wait_s/mean", lambda x, y: x < y, 1 / 60, share=share
        )
        outcome = judged(Experiment("x", "x", "x", (), [claim]), known(60, 120, 180), {})
        return outcome.claims[0][1:]

    assert verdict(1.0) == ("does not hold", "a 1.00 : 2.00, b 3.00 : 2.00 (no)")
    assert verdict(0.5)[0] == "holds"


def test_a_cell_is_the_mean_of_its_runs_and_is_shaken_run_by_run() -> None:
    runs = known(60, 180)
    mean = Cell("x", "x", "min", tuple(runs), "waits/wait_s/mean", 1 / 60, "3")
    experiment = Experiment("x", "x", "x", [PaperTable("x", [mean])])
    assert missed(experiment, runs) == {run: {"waits"} for run in runs}
    shaken = {run: [replace(run, changes=(("shaken", seed),)) for seed in (1, 2)] for run in runs}
    of_shaken = {
        at: {"waits": {"wait_s": {"mean": 120.0 * seed}}}
        for of_run in shaken.values()
        for seed, at in enumerate(of_run, 1)
    }
    ((_, verdict),) = judged(experiment, runs | of_shaken, shaken).cells[0]
    assert verdict.ours == pytest.approx(2)
    assert verdict.shaken == pytest.approx((2, 4))
    assert verdict.verdict == "within shaking"


@pytest.mark.long  # simulates a year of a log under five recipes, which computes for some 10 s
@pytest.mark.skipif(DATA is None, reason="RMSD_TEST_DATA names no folder with traces/")
@pytest.mark.golden
def test_published_numbers_come_out_on_the_real_log(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    log = "KTH-SP2-1996-2.1-cln.swf.gz"
    (folder / log).symlink_to(Path(DATA or "") / "traces" / log)
    report = run(folder, "thesis-4.3", "timed-fig-7")
    thesis, timed = report["experiments"]
    assert thesis["verdicts"] == {"reproduced": 12, "no trace": 36}
    assert timed["verdicts"]["reproduced"] == 2


@pytest.mark.slow
def test_a_flurry_is_put_in_and_looked_at_apart(tmp_path: Path) -> None:
    """The trace is a stand-in for the SDSC log, with a long job of that number in it."""
    sample = sample_trace(150, 128, seed=1)
    long = sample[60]._replace(number=flurry.JOB, run_s=5000)
    jobs = [*sample[:60], long, *sample[61:]]
    log = tmp_path / "SDSC-SP2-1998-4.2-cln.swf"
    log.write_text("".join(format_swf(jobs, {"MaxProcs": "128"})))
    simulation = flurry.run(30, flurry=True)
    changed, processors = prepared(simulation, log)
    assert processors == 128
    assert len(changed) == len(jobs) + 375
    assert next(job.run_s for job in changed if job.number == flurry.JOB) == 5030
    found = execute(simulation, log, ["waits", FLURRY])
    means = found[FLURRY]
    assert min(means["flurry"], means["others"]) < means["all"]
    assert means["all"] < max(means["flurry"], means["others"])
    assert found["waits"]["bounded_slowdown"]["mean"] == pytest.approx(means["all"])
    without = execute(flurry.run(30, flurry=False), log, [FLURRY])[FLURRY]
    assert without["flurry"] is None
    assert without["all"] == without["others"]
    log.write_text("".join(format_swf(sample, {"MaxProcs": "128"})))
    trace_at.cache_clear()
    with pytest.raises(CommandError, match="there is no job 64241"):
        prepared(simulation, log)


def test_what_is_said_of_curves_of_a_flurry() -> None:
    assert flurry.spread([90, 110, 100]) == pytest.approx(0.2)
    assert flurry.together([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert flurry.together([1, 1, 1], [10, 20, 30]) == 0
    (cell,) = [c for t in flurry.EXPERIMENT.tables for c in t.cells if c.published == "99"]
    assert cell.runs == (flurry.run(0, flurry=False),)
