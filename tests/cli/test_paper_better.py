"""`rmsd paper run better`: the study's criteria, its intervals, and its tables one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rmsd_lab.measures.statistics import paired_interval
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import TraceJob, format_swf
from rmsd_lab.workloads.workload import with_missing_estimates_filled
from rmsd_lab_cli.papers.better.criteria import Criterion, Figures, criteria, in_enough_copies
from rmsd_lab_cli.papers.better.must_hold import judged as finding_of
from rmsd_lab_cli.papers.better.runs import COMPARED, GROUPS, LOGS, copies_of, run_of
from rmsd_lab_cli.papers.catalogue import EXPERIMENTS, named
from rmsd_lab_cli.papers.execute import execute
from rmsd_lab_cli.papers.experiment import COSTS, USERS, Cell, Experiment, PaperTable
from rmsd_lab_cli.papers.outcome import as_text, judged
from tests.commands import rmsd

EASY = Figures(wait_s=6000, slowdown=90, longest_s=100_000, percentile_s=50_000)
EASY_PLUS = Figures(wait_s=5000, slowdown=50, longest_s=200_000, percentile_s=60_000)
SJF = Figures(wait_s=3000, slowdown=20, longest_s=900_000, percentile_s=40_000)
AT_THE_LIMIT = Figures(wait_s=4000, slowdown=35, longest_s=120_000, percentile_s=55_000)


def failing(ours: Figures, easy: Figures = EASY) -> set[str]:
    return {one.name for one in criteria(ours, easy, EASY_PLUS, SJF) if not one.holds}


def test_all_criteria_hold_at_their_limits() -> None:
    assert len(criteria(AT_THE_LIMIT, EASY, EASY_PLUS, SJF)) == 6
    assert failing(AT_THE_LIMIT) == set()


@pytest.mark.parametrize(
    ("beyond", "fails"),
    [
        ({"wait_s": 4001}, {"half way, wait [min]"}),
        ({"slowdown": 35.01}, {"half way, b. slowdown"}),
        ({"wait_s": 5001}, {"half way, wait [min]", "no worse than EASY++, wait [min]"}),
        ({"slowdown": 50.1}, {"half way, b. slowdown", "no worse than EASY++, b. slowdown"}),
        ({"longest_s": 120_001}, {"longest wait [h]"}),
        ({"percentile_s": 55_001}, {"99th percentile of waits [h]"}),
    ],
)
def test_each_criterion_fails_beyond_its_limit(beyond: dict[str, float], fails: set[str]) -> None:
    assert failing(AT_THE_LIMIT._replace(**beyond)) == fails


def test_the_way_counts_only_where_jobs_wait() -> None:
    slow = AT_THE_LIMIT._replace(wait_s=4500, slowdown=45)
    assert failing(slow, EASY._replace(wait_s=60)) != set()
    assert failing(slow, EASY._replace(wait_s=59.9)) == set()


@pytest.mark.parametrize(
    ("held", "copies", "enough"), [(18, 20, True), (17, 20, False), (0, 0, True), (2, 3, False)]
)
def test_nine_of_ten_copies_are_enough(held: int, copies: int, enough: bool) -> None:
    assert in_enough_copies([True] * held + [False] * (copies - held)) is enough


def test_a_verdict_marks_what_fails_and_counts_copies() -> None:
    asked = [Criterion("wait [min]", 70, 75), Criterion("longest wait [h]", 136, 126)]
    holds, numbers = finding_of(asked, [True, True])
    assert not holds
    assert "wait [min] 70.00 of 75.00;" in numbers
    assert "136.0 of 126.0 (no)" in numbers
    assert "2 of 2 copies" in numbers
    assert finding_of(asked[:1], [True] * 9 + [False]).holds
    assert not finding_of(asked[:1], [True] * 8 + [False] * 2).holds


def test_a_cell_shows_paired_differences_in_percent() -> None:
    ours, theirs = (copies_of(LOGS["KTH"], recipe, 3) for recipe in ("rmsd", "easy++"))
    waits_s = {**dict(zip(ours, (80.0, 90.0, 82.0), strict=True))}
    waits_s |= dict(zip(theirs, (100.0, 110.0, 90.0), strict=True))
    known: Any = {run: {"waits": {"wait_s": {"mean": wait_s}}} for run, wait_s in waits_s.items()}
    cell = Cell("rmsd", "wait", "[%]", ours, "waits/wait_s/mean", interval=True, against=theirs)
    experiment = Experiment("x", "x", "x", [PaperTable("x", [cell])])
    assert set(experiment.needs()) == {*ours, *theirs}
    outcome = judged(experiment, known, {})
    ((_, verdict),) = outcome.cells[0]
    expected = paired_interval([100, 110, 90], [80, 90, 82])
    assert verdict.ours == pytest.approx(expected.mean)
    assert verdict.half_width == pytest.approx(expected.half_width)
    assert "-16.00 ±17.21" in as_text(outcome, {})


def test_estimates_that_a_trace_lacks_are_no_run_times() -> None:
    jobs = [
        TraceJob(1, 0, 50, 1, 600, "1", 1),
        TraceJob(2, 0, 70, 1, 70, "1", 1),  # the parser's, of a job without an estimate
        TraceJob(3, 0, 0, 1, 1, "1", 1),
    ]
    filled = with_missing_estimates_filled(jobs)
    assert [job.estimate_s for job in filled] == [600, 70, 70]
    assert with_missing_estimates_filled([]) == []


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    folder = tmp_path / "traces"
    folder.mkdir()
    lines = format_swf(sample_trace(200, 100, seed=3), {"MaxProcs": "100"})
    (folder / "KTH-SP2-1996-2.swf").write_text("".join(lines))
    return folder


@pytest.mark.slow
def test_users_and_kills_are_measured(traces: Path) -> None:
    log = next(traces.iterdir())
    gentle, killing = (
        execute(run_of(LOGS["KTH"], recipe), log, list(GROUPS))
        for recipe in ("rmsd-gentle", "rmsd")
    )
    assert gentle[COSTS] == {"kills_per_job": 0, "lost_share": 0}
    assert killing[COSTS]["kills_per_job"] > 0
    assert killing[COSTS]["kills_per_job"] == killing["trials"]["attempts_mean"] - 1
    assert 1 <= killing[USERS]["median"] <= killing[USERS]["p90"] <= killing[USERS]["maximum"]
    dear = execute(run_of(LOGS["KTH"], "rmsd", restart_cost_s=3000), log, list(GROUPS))
    assert dear[COSTS]["lost_share"] > killing[COSTS]["lost_share"]


@pytest.mark.slow
def test_a_table_alone_and_all_share_their_runs(traces: Path) -> None:
    kept = traces.parent / "kept"
    options = ("--traces", traces, "--results", kept)
    done = rmsd("paper", "run", "better-copies", "better-verdicts", "--copies", "2", *options)
    assert "mean of 2 shaken copies" in done.stdout
    assert "rmsd-gentle on KTH" in done.stdout
    assert "in 0 of 2 copies" in done.stdout or "of 2 copies" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    runs = set(kept.iterdir())
    again = rmsd("paper", "run", "better-users", "better-categories", *options, "--json")
    assert set(kept.iterdir()) == runs
    report = json.loads(again.stdout)
    assert [one["name"] for one in report["experiments"]] == ["better-users", "better-categories"]


def test_all_is_all_of_the_papers_and_copies_are_for_better() -> None:
    assert {one.name for one in named("better")} == {
        name for name in EXPERIMENTS if "better" in name
    }
    assert not [one for one in named("all") if one.name.startswith("better")]
    assert len(named("better-copies", 3)[0].needs()) == 3 * len(COMPARED) * 3
    refused = rmsd("paper", "run", "thesis-4.1", "--copies", "3", expect=2)
    assert "--copies is for better" in refused.stderr
    assert "at least 0" in rmsd("paper", "run", "better", "--copies", "-1", expect=2).stderr
