"""`rmsd report` of a study's results: means, intervals, and each trace by itself."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rmsd_lab.measures.statistics import mean_interval
from rmsd_lab_cli.pictures.chart import BarChart, LineChart
from rmsd_lab_cli.pictures.results import charts as charts_of_results
from rmsd_lab_cli.pictures.results import tables as tables_of_results
from rmsd_lab_cli.studies.results_file import Row, read_results
from rmsd_wire.durations import format_duration
from tests.cli.report_page import SVG, Links
from tests.cli.simulated import SWF
from tests.commands import rmsd

STUDY = """\
recipes = ["fcfs", "easy"]
loads = [0.6, 0.8]
seeds = 3
metrics = ["categories"]
[[traces]]
model = "sample"
jobs = 120
procs = 16
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the results of a study of two recipes at two loads, with three seeds."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "study.toml").write_text(STUDY)
    out = folder / "results.csv"
    rmsd("study", folder / "study.toml", "--out", out, "-j", "1", "--results", folder / "kept")
    return out


@pytest.mark.slow
def test_results_have_means_with_intervals(study: Path) -> None:
    rows = read_results(study)
    waits = [float(row["wait_s.mean"] or 0) for row in rows if _is(row, "easy", 0.8)]
    found = mean_interval(waits)
    assert found.values == 3
    assert found.half_width is not None
    [table] = tables_of_results(rows)
    line = next(line for line in table.rows if line[:2] == ["easy", "0.8"])
    assert line[2:4] == [
        "3",
        f"{format_duration(found.mean)} ± {format_duration(found.half_width)}",
    ]


def _is(row: Row, recipe: str, load: float) -> bool:
    return row["recipe"] == recipe and row["load"] == load


def test_results_by_load_and_by_kind(study: Path) -> None:
    rows = read_results(study)
    drawn = {chart.name: chart for chart in charts_of_results(rows)}
    assert list(drawn) == [
        "wait-by-load",
        "slowdown-by-load",
        "response-by-load",
        "utilization-by-load",
        "wait-by-kind",
        "slowdown-by-kind",
    ]
    chart = drawn["slowdown-by-load"]
    assert isinstance(chart, LineChart)
    assert [line.name for line in chart.lines] == ["fcfs", "easy"]
    for line in chart.lines:
        assert [load for load, _ in line.points] == [0.6, 0.8]
        for (load, mean), ends in zip(line.points, line.intervals, strict=True):
            values = [float(row["bounded_slowdown.mean"] or 0)
                      for row in rows if _is(row, line.name, load)]  # fmt: skip
            assert mean == pytest.approx(sum(values) / 3)
            assert ends is not None
            assert (ends[0] + ends[1]) / 2 == pytest.approx(mean)
    kinds = drawn["wait-by-kind"]
    assert isinstance(kinds, BarChart)
    values = [float(row["metrics.categories.all.wait_mean_s"] or 0)
              for row in rows if _is(row, "easy", 0.8)]  # fmt: skip
    assert kinds.bars["easy"][-1] == pytest.approx(sum(values) / 3)


def _recorded(seed: int, offered: float, wait_s: float) -> Row:
    """Return the row of a run as recorded, whose jobs offer a load of their own."""
    kinds = {f"metrics.categories.{kind}.wait_mean_s": wait_s for kind in ("SN", "all")}
    return {"trace": "sample", "load": None, "seed": seed, "recipe": "easy", **kinds,
            "offered_load": offered, "wait_s.mean": wait_s}  # fmt: skip


def test_runs_as_recorded_are_one_load_whatever_each_seed_offers(study: Path) -> None:
    recorded = [_recorded(1, 0.32, 30), _recorded(2, 0.43, 60), _recorded(3, 0.45, 90)]
    [table] = tables_of_results(recorded)
    half = format_duration(mean_interval([30, 60, 90]).half_width or 0)
    assert [line[:4] for line in table.rows] == [["easy", "recorded", "3", f"00:01:00 ± {half}"]]
    [kinds] = charts_of_results(recorded)
    assert isinstance(kinds, BarChart)
    assert kinds.title == "Mean wait by kind, sample, as recorded"
    assert kinds.bars["easy"] == [60, None, None, None, 60]

    mixed = [*read_results(study), *recorded]  # the recorded jobs offer 0.4 on average
    [table] = tables_of_results(mixed)
    assert [line[:3] for line in table.rows] == [
        ["easy", "recorded", "3"],
        *([recipe, load, "3"] for load in ("0.6", "0.8") for recipe in ("fcfs", "easy")),
    ]
    chart = next(chart for chart in charts_of_results(mixed) if chart.name == "wait-by-load")
    assert isinstance(chart, LineChart)
    loads = {line.name: [load for load, _ in line.points] for line in chart.lines}
    assert loads == {"fcfs": [0.6, 0.8], "easy": [pytest.approx(0.4), 0.6, 0.8]}


def test_a_run_whose_load_is_not_known_is_in_the_table_and_not_on_the_axis(study: Path) -> None:
    mixed = [*read_results(study), {**_recorded(1, 0, 30), "offered_load": None}]
    assert tables_of_results(mixed)[0].rows[0][:3] == ["easy", "recorded", "1"]
    chart = next(chart for chart in charts_of_results(mixed) if chart.name == "wait-by-load")
    assert isinstance(chart, LineChart)
    assert all([load for load, _ in line.points] == [0.6, 0.8] for line in chart.lines)


def test_results_of_several_traces_are_told_apart(study: Path) -> None:
    rows = read_results(study)
    both = [*rows, *({**row, "trace": "other"} for row in rows)]
    assert len(tables_of_results(both)) == 2
    names = [chart.name for chart in charts_of_results(both)]
    assert len(set(names)) == len(names) == 12
    assert {name.rpartition("-")[2] for name in names} == {"sample", "other"}


@pytest.mark.slow
def test_a_report_of_results_schedules_and_runs_together(study: Path, tmp_path: Path) -> None:
    source, run, out = tmp_path / "t.swf", tmp_path / "run.json", tmp_path / "all.html"
    source.write_text(SWF)
    run.write_text(rmsd("simulate", source, "--recipe", "sjf", "--load", "0.8", "--json").stdout)
    rmsd("report", study, run, source, "-o", out)
    page = Links()
    page.feed(out.read_text())
    assert page.open == []
    found = re.findall(r"<caption><span>(\w+)", out.read_text())
    assert found == ["Waits", "sample", "t"]
    picture = tmp_path / "x.svg"
    rmsd("report", study, "-o", picture, "--figure", "wait-by-load")
    assert ElementTree.fromstring(picture.read_text()).tag == f"{SVG}svg"
    twice = rmsd("report", study, study, "-o", out, expect=2).stderr
    assert "seed 1, recipe fcfs' occurs twice" in twice
    missing = rmsd("report", study, "-o", picture, "--figure", "queue", expect=2).stderr
    assert "there are: wait-by-load, slowdown-by-load" in missing
