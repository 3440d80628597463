"""Charts as pictures: everything is drawn inside of them, in every format."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.model_time import SECOND_US
from rmsd_lab.charts.gantt import KINDS, Gantt, gantt_of
from rmsd_lab.schedule import Schedule, Scheduled
from rmsd_lab_cli.pictures.chart import Axis, BarChart, ChartLine, LineChart
from rmsd_lab_cli.pictures.drawing import drawn
from rmsd_lab_cli.pictures.figures import OF_SCHEDULES, charts
from rmsd_lab_cli.pictures.packed import packed
from rmsd_lab_cli.pictures.picture import Picture, content, svg_element
from tests.cli.gantt_page import unpacked
from tests.cli.report_page import SVG
from tests.cli.simulated import SWF
from tests.commands import rmsd
from tests.core.schedules import scheduled, schedules


@pytest.mark.parametrize("late_us", [0, 1, 1500, 250_000])
def test_instants_between_ticks_are_kept_to_a_millisecond(late_us: int) -> None:
    jobs = [
        job._replace(start_us=job.start_us + late_us, end_us=job.end_us + late_us)
        for job in (scheduled(1, 5, 7, 20, 3), scheduled(2, 6, 8, 9, 2))
    ]
    data = packed([gantt_of(Schedule(jobs, 8), "x")], calendar=True)
    ids, submits, waits, runs, sizes, users, estimates, kinds, *_ = unpacked(data["runs"][0])
    tick_us = data["tick_us"]
    assert tick_us >= 1000
    assert (ids, sizes, kinds) == ([1, 2], [3, 2], [KINDS.index("over")] * 2)
    submit = 0
    for job, change, wait, run in zip(jobs, submits, waits, runs, strict=True):
        submit += change
        start_us = data["origin_us"] + (submit + wait) * tick_us
        assert abs(job.start_us - start_us) < 1000
        assert abs(job.end_us - start_us - run * tick_us) < 1000
    assert users == [0, 0]
    assert estimates == [-1, -1]


def test_centuries_fit() -> None:
    """Ticks get longer where 31 bits would not do."""
    jobs = [scheduled(1, 0, 3, 9), scheduled(2, 9_000_000_000, 9_000_000_001, 5)]
    data = packed([gantt_of(Schedule(jobs, 8), "x")], calendar=False)
    assert data["until"] * data["tick_us"] >= 9_000_000_006 * SECOND_US
    assert data["until"] < 1 << 31


def test_nothing_to_draw_is_drawn_too() -> None:
    """There is one job that takes no time, or none at all, and nothing divides by the time."""
    for jobs in ([], [scheduled(1, 0, 0, 0)]):
        assert len(charts({"x": Schedule(jobs, 4)})) == len(OF_SCHEDULES)
        assert packed([gantt_of(Schedule(jobs, 4), "x")], calendar=False)["until"] > 0
    assert Gantt("x", [], 4, 4, []).span_us() == (0, 1)


@pytest.mark.long  # each of its examples draws every chart
@settings(max_examples=10)
@given(st.lists(schedules(), min_size=1, max_size=11), st.sampled_from([1, 60, 100_000]))
def test_whatever_is_drawn_lies_inside_its_picture(runs: list[list[Scheduled]], times: int) -> None:
    """This holds however short or long the jobs are."""
    stretched = {
        f"run {at}": Schedule([_longer(job, times) for job in jobs], 8)
        for at, jobs in enumerate(runs)
    }
    for chart in charts(stretched):
        assert_inside(drawn(chart))


def assert_inside(picture: Picture) -> None:
    """Assert that all that can be seen lies inside the picture, and the curves inside the plot."""
    figure = picture.figure
    whole, seen = figure.bbox.padded(1), figure.get_tightbbox().transformed(figure.dpi_scale_trans)
    assert whole.x0 <= seen.x0 <= seen.x1 <= whole.x1
    assert whole.y0 <= seen.y0 <= seen.y1 <= whole.y1
    for axes in figure.axes:
        plot = axes.bbox.padded(20)
        for line in axes.lines:
            box = line.get_window_extent()
            assert plot.x0 <= box.x0 <= box.x1 <= plot.x1
            assert plot.y0 <= box.y0 <= box.y1 <= plot.y1


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["s", "", "%", "time"])
@pytest.mark.parametrize("most", [0.4, 45.0, 2400.0, 72e3, 4e9])
@pytest.mark.parametrize("log", [False, True])
def test_labels_of_the_y_axis_are_clear_of_its_title(unit: str, most: float, log: bool) -> None:
    axis = Axis("what it is", unit, log=log)
    lines = LineChart(
        "a", "A", "A.", Axis("load"), axis, [ChartLine("easy", [(0.5, 1), (1, most)])]
    )
    bars = BarChart("b", "B", "B.", axis, ["all"], {"easy": [most]})
    for chart in (lines, bars):
        picture = drawn(chart)
        assert_inside(picture)
        [axes] = picture.figure.axes
        labels = [one for one in axes.get_yticklabels() if one.get_text()]
        assert labels or log
        for label in labels:
            assert not label.get_window_extent().overlaps(axes.yaxis.label.get_window_extent())


@pytest.mark.slow
@pytest.mark.parametrize("series", [1, 3, 11])
@pytest.mark.parametrize("name", ["easy", "timed-easy++,order=lxfw,trial=300,predictor=recent2"])
def test_every_series_is_drawn_and_named(name: str, series: int) -> None:
    """Names get as many rows as they need, and the plot keeps its height."""
    names = [f"{name}-{at}" for at in range(series)]
    lines = [ChartLine(one, [(1.0, at), (2.0, at + 1.0)]) for at, one in enumerate(names)]
    picture = drawn(LineChart("a", "A", "A.", Axis("load"), Axis("wait", "s"), lines))
    assert_inside(picture)
    [axes], [legend] = picture.figure.axes, picture.figure.legends
    assert len(axes.lines) == series
    assert [text.get_text() for text in legend.get_texts()] == names
    assert axes.bbox.height > 150
    assert not legend.get_window_extent().overlaps(axes.get_tightbbox())


@pytest.mark.slow
@pytest.mark.parametrize("series", [1, 3, 8])
def test_lines_that_cannot_be_followed_have_plots_of_their_own(series: int) -> None:
    """The queue lengths of three recipes over a year had painted over each other."""
    names = [f"$easy$-{at}" for at in range(series)]
    lines = [ChartLine(one, [(1.0, 0.0), (2.0, at + 1.0)]) for at, one in enumerate(names)]
    axis = Axis("waiting jobs")
    chart = LineChart("q", "Q", "Q.", Axis("time", "time"), axis, lines, steps=True, smooth=False)
    picture = drawn(chart)
    assert_inside(picture)
    plots = picture.figure.axes
    assert [len(axes.lines) for axes in plots] == [1] * series
    assert {axes.get_ylim() for axes in plots} == {(0.0, float(series))}
    assert all(axes.bbox.height > 80 for axes in plots)
    shown = [axes.get_title(loc="left") for axes in plots]
    assert shown == (names if series > 1 else [""])


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_names_are_drawn_as_they_are(suffix: str) -> None:
    """Dollars are no formula; what steers a terminal, which XML cannot have, is replaced."""
    names = ["_hidden", "a$b$c", "日本", "\x01ctl\x1b[31m", "", "<b>&"]
    lines = [ChartLine(one, [(1.0, at), (2.0, at + 1.0)]) for at, one in enumerate(names)]
    picture = drawn(LineChart("a", "$x$ \x02", "\x03", Axis("load"), Axis("wait"), lines))
    assert content(picture, suffix)
    [legend] = picture.figure.legends
    shown = ["_hidden", "a$b$c", "日本", "?ctl?[31m", "", "<b>&"]
    assert [text.get_text() for text in legend.get_texts()] == shown
    assert list(picture.tips.values()) == shown
    root = ElementTree.fromstring(svg_element(picture))
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"$x$ ?", "a$b$c", "日本", "?ctl?[31m"} <= set(words)


def test_a_point_has_its_interval_and_says_what_it_is() -> None:
    line = ChartLine("easy", [(0.5, 60.0), (0.9, 600.0)], [(30.0, 90.0), None])
    picture = drawn(LineChart("a", "A", "A.", Axis("load"), Axis("wait", "s"), [line], dots=True))
    [axes] = picture.figure.axes
    intervals = [list(one.get_ydata()) for one in axes.lines if one.get_marker() == "_"]
    assert intervals == [[30.0, 90.0]]
    root = ElementTree.fromstring(svg_element(picture))
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert titles == ["A", "easy", "easy: 0.50, 1 min", "easy: 0.90, 10 min"]


def test_bars_are_as_high_as_their_values_and_missing_ones_are_left_out() -> None:
    chart = BarChart("b", "B", "B.", Axis("wait"), ["SN", "all"], {"a": [3, None], "b": [0, 9]})
    picture = drawn(chart)
    [axes] = picture.figure.axes
    heights = {picture.tips[str(one.get_gid())]: one.get_height() for one in axes.patches}
    assert heights == {"a, SN: 3": 3, "b, SN: 0": 0, "b, all: 9": 9}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_the_same_chart_is_the_same_file(suffix: str) -> None:
    def file() -> bytes:
        lines = [ChartLine("easy", [(0.5, 60.0), (0.9, 600.0)])]
        return content(drawn(LineChart("a", "A", "", Axis("x"), Axis("y"), lines)), suffix)

    assert file() == file()
    assert b"Date" not in file()


def _longer(job: Scheduled, times: int) -> Scheduled:
    return job._replace(
        submit_us=job.submit_us * times,
        start_us=job.start_us * times,
        end_us=job.end_us * times,
        run_us=job.run_us * times,
    )


@pytest.mark.slow
@pytest.mark.parametrize("figure", OF_SCHEDULES)
def test_a_figure_is_a_picture_of_its_own(tmp_path: Path, figure: str) -> None:
    source, out = tmp_path / "t.swf", tmp_path / "out.svg"
    source.write_text(SWF)
    rmsd("report", source, "--recipe", "fcfs", "--recipe", "easy", "-o", out, "--figure", figure)
    root = ElementTree.fromstring(out.read_text())
    assert root.tag == f"{SVG}svg"
    style = root.find(f"{SVG}style")
    assert style is not None
    assert "prefers-color-scheme:dark" in (style.text or "")
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert [text for text in texts if text in ("fcfs", "easy")] == ["fcfs", "easy"]


@pytest.mark.slow
def test_a_figure_as_png_and_as_pdf(tmp_path: Path) -> None:
    source, png, pdf = tmp_path / "t.swf", tmp_path / "out.png", tmp_path / "out.pdf"
    source.write_text(SWF)
    rmsd("report", source, "-o", png, "--figure", "wait-cdf")
    written = png.read_bytes()
    assert written.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", written[16:24]) == (1320, 900)
    rmsd("report", source, "-o", pdf, "--figure", "wait-cdf")
    assert pdf.read_bytes().startswith(b"%PDF-")


def rmsd_without_matplotlib(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from rmsd_cli.main import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_what_is_no_picture_needs_no_matplotlib(tmp_path: Path) -> None:
    """A picture says what to install, before the trace is run."""
    source, schedule = tmp_path / "t.swf", tmp_path / "easy.csv"
    source.write_text(SWF)
    rmsd("simulate", source, "--schedule", schedule)
    gantt = ["gantt", schedule, "--trace", source]
    assert rmsd_without_matplotlib(*gantt).returncode == 0
    assert rmsd_without_matplotlib(*gantt, "-o", tmp_path / "x.html").returncode == 0
    for refused in (
        [*gantt, "-o", tmp_path / "x.svg"],
        ["report", source, "-o", tmp_path / "y.html"],
        ["report", source, "-o", tmp_path / "x.png", "--figure", "queue"],
    ):
        done = rmsd_without_matplotlib(*refused)
        assert done.returncode == 1
        assert "pictures need matplotlib (pip install '.[lab]'" in done.stderr


@pytest.mark.slow
def test_a_home_that_keeps_no_caches_is_not_complained_of(tmp_path: Path) -> None:
    """The home of a service is such a home: matplotlib would warn of it."""
    source, out = tmp_path / "t.swf", tmp_path / "x.svg"
    source.write_text(SWF)
    command = [sys.executable, "-m", "rmsd_cli.main", "report", str(source), "-o", str(out)]
    caches = ("MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
    env = {name: value for name, value in os.environ.items() if name not in caches}
    done = subprocess.run(
        [*command, "--figure", "queue"],
        env=env | {"HOME": "/proc/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
