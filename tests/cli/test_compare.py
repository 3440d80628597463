"""`rmsd compare`: recipes pair by pair, schedules job by job."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_lab.measures.statistics import batch_means, paired_interval, t_quantile
from rmsd_lab_cli.studies.comparison import Comparison, compare
from rmsd_lab_cli.studies.results_file import Row, write_results
from tests.commands import rmsd


def row(recipe: str, seed: int | None, wait_s: float, **more: Any) -> Row:
    return {
        "trace": "KTH",
        "load": 0.9,
        "seed": seed,
        "recipe": recipe,
        "procs": 100,
        "jobs.simulated": 10,
        "offered_load": 0.9 + (seed or 0) / 1e6,
        "wait_s.mean": wait_s,
        "bounded_slowdown.mean": wait_s / 10,
        "utilization": 0.9,
        **more,
    }


def results(folder: Path, rows: list[Row], name: str = "r.csv") -> Path:
    path = folder / name
    write_results(path, rows)
    return path


def compared(*arguments: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(rmsd("compare", *arguments, "--json").stdout)
    assert found["schema"] == "rmsd.compare/1"
    return found


SHARED = [1000.0, 3000.0, 2000.0]
EASY = [row("easy", seed, wait_s) for seed, wait_s in enumerate(SHARED, 1)]
BETTER = [
    row("easy++", seed, wait_s - saved)
    for seed, (wait_s, saved) in enumerate(zip(SHARED, (90, 100, 110), strict=True), 1)
]


@pytest.mark.slow
def test_differences_are_taken_pair_by_pair(tmp_path: Path) -> None:
    found = compared(results(tmp_path, EASY + BETTER), "--metric", "wait_s.mean")
    assert (found["baseline"], found["confidence"]) == ("easy", 0.95)
    (one,) = found["comparisons"]
    half = t_quantile(0.975, 2) * 10 / 3**0.5
    assert one == {
        "trace": "KTH",
        "load": 0.9,
        "metric": "wait_s.mean",
        "name": "easy++",
        "pairs": 3,
        "baseline_mean": 2000,
        "mean": 1900,
        "difference": -100,
        "low": pytest.approx(-100 - half),
        "high": pytest.approx(-100 + half),
        "relative": -0.05,
        "significant": True,
    }


def test_pairs_are_those_of_one_seed_in_any_order(tmp_path: Path) -> None:
    lonely = row("easy++", 9, 5.0)
    shuffled = results(
        tmp_path, [BETTER[2], EASY[1], lonely, BETTER[0], EASY[0], EASY[2], BETTER[1]]
    )
    (one,) = compared(shuffled, "--baseline", "easy", "--metric", "wait_s.mean")["comparisons"]
    assert (one["pairs"], one["difference"]) == (3, -100)


def test_what_is_chance_is_not_marked(tmp_path: Path) -> None:
    rng = random.Random(1)
    noise = [row("noise", seed, wait_s + rng.gauss(0, 50)) for seed, wait_s in enumerate(SHARED, 1)]
    shown = rmsd("compare", results(tmp_path, EASY + BETTER + noise)).stdout
    marked = [line.split()[0] for line in shown.splitlines() if " * " in line[1:]]
    assert marked == ["easy++", "easy++"]  # wait and slowdown; utilization is the same
    assert shown.startswith("KTH, load 0.9")
    assert max(map(len, shown.splitlines())) <= 80
    assert "* the 95% interval does not contain 0" in shown


def test_more_confidence_is_harder_to_get(tmp_path: Path) -> None:
    path = results(tmp_path, EASY + BETTER)

    def width(*options: str) -> float:
        one = compared(path, *options)["comparisons"][0]
        return float(one["high"] - one["low"])

    assert width("--confidence", "0.9") < width() < width("--confidence", "0.99")
    together = compared(path, "--bonferroni")
    assert together["confidence_of_each"] == pytest.approx(1 - 0.05 / 3)
    assert width("--bonferroni") > width()


def test_each_trace_and_load_by_itself(tmp_path: Path) -> None:
    lighter = [{**one, "load": None} for one in EASY + BETTER]
    found = compared(results(tmp_path, EASY + BETTER + lighter))
    assert [(one["load"], one["metric"]) for one in found["comparisons"]] == [
        (load, metric)
        for load in (0.9, None)
        for metric in ("wait_s.mean", "bounded_slowdown.mean", "utilization")
    ]


def test_one_pair_has_no_interval(tmp_path: Path) -> None:
    path = results(tmp_path, [row("easy", None, 10.0), row("easy++", None, 5.0)])
    (one, *_) = compared(path)["comparisons"]
    assert (one["difference"], one["low"], one["significant"]) == (-5, None, False)
    assert "give the study some seeds" in rmsd("compare", path).stdout


@pytest.mark.slow
def test_a_study_from_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    study = tmp_path / "s.toml"
    study.write_text(
        'recipes = ["fcfs", "easy"]\nseeds = 6\n'
        '[[traces]]\nmodel = "sample"\njobs = 150\nprocs = 16\n'
    )
    made = rmsd("study", study, "--out", tmp_path / "r.parquet", "--json").stdout
    (tmp_path / "r.json").write_text(made)
    found = compared(tmp_path / "r.parquet")
    assert compared(tmp_path / "r.json") == found
    wait = found["comparisons"][0]
    assert (wait["name"], wait["pairs"], wait["significant"]) == ("easy", 6, True)
    assert wait["difference"] < 0  # backfilling helps


def test_what_simulate_printed(tmp_path: Path) -> None:
    trace = tmp_path / "t.swf"
    trace.write_text(rmsd("generate", "--jobs", "100", "--procs", "8").stdout)
    for recipe in ("fcfs", "easy"):
        printed = rmsd("simulate", trace, "--recipe", recipe, "--load", "0.8", "--json").stdout
        (tmp_path / f"{recipe}.json").write_text(printed)
    found = compared(tmp_path / "fcfs.json", tmp_path / "easy.json")
    assert {(one["load"], one["pairs"]) for one in found["comparisons"]} == {(0.8, 1)}


def test_pairs_of_other_jobs_are_refused(tmp_path: Path) -> None:
    other = row("easy++", 1, 5.0, offered_load=0.7)
    said = rmsd("compare", results(tmp_path, [*EASY, other]), expect=1).stderr
    assert "easy++ on KTH, load 0.9, seed 1 and easy on KTH, load 0.9, seed 1 are not of" in said
    assert "offered_load is 0.7 and 0.9" in said
    path = results(tmp_path, EASY)
    assert (
        "is there twice"
        in rmsd("compare", path, path, results(tmp_path, BETTER, "b.csv"), expect=1).stderr
    )


def test_files_of_the_same_runs(tmp_path: Path) -> None:
    after = [{**one, "recipe": "easy"} for one in BETTER]
    files = [results(tmp_path, EASY, "before.csv"), results(tmp_path, after, "after.csv")]
    assert "--by says what else may differ" in rmsd("compare", *files, expect=2).stderr
    twice = rmsd("compare", *files, results(tmp_path, BETTER, "b.csv"), expect=1).stderr
    assert "easy on KTH, load 0.9, seed 1 is there twice; files of the same runs" in twice
    found = compared(*files, "--by", "file", "--metric", "wait_s.mean")
    assert (found["by"], found["baseline"]) == ("file", "before")
    (one,) = found["comparisons"]
    assert {key: one[key] for key in ("trace", "recipe", "load", "name", "difference")} == {
        "trace": "KTH",
        "recipe": "easy",
        "load": 0.9,
        "name": "after",
        "difference": -100,
    }
    assert rmsd("compare", *files, "--by", "file").stdout.startswith("KTH, easy, load 0.9")


def test_traces_of_the_same_jobs_and_loads(tmp_path: Path) -> None:
    exact = [{**one, "trace": "KTH-exact"} for one in BETTER]
    light = [{**one, "load": 0.5, "offered_load": 0.5} for one in BETTER]
    path = results(tmp_path, [*EASY, *BETTER, *exact, *light])
    (one,) = compared(path, "--by", "trace", "--metric", "wait_s.mean")["comparisons"]
    assert (one["recipe"], one["name"], one["difference"]) == ("easy++", "KTH-exact", 0)
    (one,) = compared(path, "--by", "load", "--baseline", "0.9", "--metric", "wait_s.mean")[
        "comparisons"
    ]
    assert (one["trace"], one["recipe"], one["name"]) == ("KTH", "easy++", "0.5")


def test_metrics_by_pattern(tmp_path: Path) -> None:
    found = compared(results(tmp_path, EASY + BETTER), "--metric", "*.mean")
    assert [one["metric"] for one in found["comparisons"]] == [
        "wait_s.mean",
        "bounded_slowdown.mean",
    ]


# ---------------------------------------------------------------- schedules


def schedule(folder: Path, name: str, waits_s: list[float]) -> Path:
    path = folder / f"{name}.csv"
    lines = [f"{at + 1},{at},{at + wait_s},{at + wait_s + 20}" for at, wait_s in enumerate(waits_s)]
    path.write_text("\n".join(["job_id,submit,start,end", *lines]) + "\n")
    return path


def test_schedules_are_compared_by_batches_of_jobs(tmp_path: Path) -> None:
    rng = random.Random(2)
    before = [round(rng.uniform(0, 1000), 3) for _ in range(105)]
    after = [round(wait_s / 2, 3) for wait_s in before]
    files = [schedule(tmp_path, "before", before), schedule(tmp_path, "after", after)]
    found = compared(*files, "--batches", "10")
    assert (found["jobs"], found["batches"], found["baseline"]) == (105, 10, "before")
    wait = found["comparisons"][0]
    expected = paired_interval(batch_means(before, 10), batch_means(after, 10))
    assert (wait["metric"], wait["name"], wait["pairs"]) == ("wait_s", "after", 10)
    assert [wait[key] for key in ("difference", "low", "high")] == pytest.approx(expected[1:])
    slowdown = found["comparisons"][1]
    assert slowdown["metric"] == "bounded_slowdown"
    tail = before[5:]
    assert slowdown["baseline_mean"] == pytest.approx(sum((w + 20) / 20 for w in tail) / 100)
    shown = rmsd("compare", *files, "--batches", "10", "--baseline", "after").stdout
    assert "105 jobs in 10 batches of 10; the first 5 are left out." in shown


def test_batches_that_depend_on_each_other_are_said(tmp_path: Path) -> None:
    rising = [float(at) for at in range(200)]
    files = [schedule(tmp_path, "a", [0.0] * 200), schedule(tmp_path, "b", rising)]
    assert "still depend on each other (correlation 0.8" in rmsd("compare", *files).stdout
    assert compared(*files)["correlation"] > 0.8


@pytest.mark.slow
def test_what_cannot_be_compared(tmp_path: Path) -> None:
    one, other = schedule(tmp_path, "one", [1.0] * 30), schedule(tmp_path, "other", [2.0] * 29)
    found, single = results(tmp_path, EASY + BETTER), schedule(tmp_path, "single", [1.0])
    for arguments, code, said in (
        ([one], 2, "one schedule has nothing to be compared with"),
        ([one, other], 1, "30 jobs and"),
        ([one, found], 2, "is a schedule and"),
        ([one, one], 2, "two schedules have the same name"),
        ([one, other, "--baseline", "none"], 2, "no such schedule; there are: one, other"),
        ([one, other, "--metric", "wait"], 2, "schedules tell wait_s, bounded_slowdown"),
        ([one, other, "--batches", "31"], 2, "31 batches: give --batches 2 to 30"),
        ([single, one], 1, "to compare schedules, they need at least 2 jobs"),
        ([one, other, "--by", "file"], 2, "--by is of results"),
        ([found, "--by", "load"], 2, "nothing to compare: all results are of the load 0.9"),
        ([found, "--batches", "5"], 2, "--batches is of schedules"),
        ([found, "--baseline", "fcfs"], 2, "no such recipe here; there are: easy; easy++"),
        ([found, "--metric", "wait_s.men"], 2, "did you mean wait_s.mean"),
        ([found, "--metric", "trace"], 2, "no such column of numbers; there are "),
        ([found, "--confidence", "95"], 2, "--confidence 95: above 0 and below 1"),
        (
            [results(tmp_path, EASY, "e.csv")],
            2,
            "nothing to compare: all results are of the recipe easy",
        ),
        (["/nonexistent.csv"], 1, "cannot read /nonexistent.csv"),
        (
            [results(tmp_path, [EASY[0], BETTER[1]], "p.csv")],
            1,
            "no run differs from one of the baseline, easy, in the recipe alone",
        ),
    ):
        done = rmsd("compare", *arguments, expect=code)
        assert said in done.stderr
        assert "Traceback" not in done.stderr
    shifted = tmp_path / "shifted.csv"
    shifted.write_text(one.read_text().replace("\n7,6,", "\n7,5,"))
    said = rmsd("compare", one, shifted, expect=1).stderr
    assert "line 8: job 7 submitted at 6 and job 7 at 5" in said
    (tmp_path / "x.json").write_text('{"schema": "rmsd.metrics/1"}')
    assert "is no --json of" in rmsd("compare", tmp_path / "x.json", expect=1).stderr


# ---------------------------------------------------------------- properties

WAITS = st.lists(st.tuples(*[st.integers(0, 10**6)] * 3), min_size=2, max_size=8)


@pytest.mark.slow
@given(waits=WAITS, seed=st.integers(0, 2**32))
def test_the_order_of_rows_does_not_matter(waits: list[tuple[int, ...]], seed: int) -> None:
    rows = rows_of_waits(waits)
    shuffled = rows[:]
    random.Random(seed).shuffle(shuffled)
    first, second = (found(listed, "a") for listed in (rows, shuffled))
    assert first.keys() == second.keys() == {"b", "c"}
    for name, one in first.items():
        assert one.difference == pytest.approx(second[name].difference)


@given(waits=WAITS)
def test_the_other_way_round_is_the_opposite(waits: list[tuple[int, ...]]) -> None:
    rows = rows_of_waits(waits)
    one, other = found(rows, "a")["b"], found(rows, "b")["a"]
    assert one.difference.mean == pytest.approx(one.mean - one.baseline_mean)
    assert (one.baseline_mean, one.mean) == (other.mean, other.baseline_mean)
    assert one.difference.mean == -other.difference.mean
    assert one.difference.excludes_zero == other.difference.excludes_zero


def rows_of_waits(waits: list[tuple[int, ...]]) -> list[Row]:
    return [
        row(name, seed, float(wait_s))
        for seed, of_seed in enumerate(waits)
        for name, wait_s in zip("abc", of_seed, strict=True)
    ]


def found(rows: list[Row], baseline: str) -> dict[str, Comparison]:
    (group,) = compare(rows, "recipe", baseline, ["wait_s.mean"], 0.95)
    return {one.name: one for one in group.comparisons}
