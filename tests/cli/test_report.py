"""`rmsd report`: one file with everything in it, that works in a browser."""

from __future__ import annotations

import hashlib
import html
import os
import random
import re
import struct
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe, written_out
from rmsd_lab.charts.gantt import KINDS, Gantt, gantt_of
from rmsd_lab.measures.statistics import mean_interval
from rmsd_lab.schedule import Schedule, Scheduled
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import format_swf
from rmsd_lab_cli.pictures.chart import Axis, BarChart, Line, LineChart
from rmsd_lab_cli.pictures.drawing import drawn
from rmsd_lab_cli.pictures.figures import OF_SCHEDULES, charts
from rmsd_lab_cli.pictures.packed import packed
from rmsd_lab_cli.pictures.picture import Picture, content, svg_element
from rmsd_lab_cli.pictures.results import charts as charts_of_results
from rmsd_lab_cli.pictures.results import tables as tables_of_results
from rmsd_lab_cli.studies.results_file import Row, read_results
from rmsd_wire.durations import format_duration
from tests.browser import Page
from tests.cli.gantt_page import PANELS, gantt_data, in_browser, unpacked
from tests.cli.simulated import SWF
from tests.commands import rmsd
from tests.core.schedules import scheduled, schedules

DATA = os.environ.get("RMSD_TEST_DATA")
MACHINE = 64
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough jobs that a browser has to sum them up."""
    path = tmp_path_factory.mktemp("report") / "sample.swf"
    lines = format_swf(sample_trace(9000, MACHINE, seed=5), {"MaxProcs": str(MACHINE)})
    path.write_text("".join(lines))
    return path


@pytest.fixture(scope="module")
def report(trace: Path) -> Path:
    path = trace.with_name("report.html")
    rmsd("report", trace, "--recipe", "easy", "--recipe", "easy++", "-o", path)
    return path


class _Links(HTMLParser):
    """The files that a page would load, and the elements that are not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "wbr", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """`<path/>`"""


def test_the_page_is_well_formed_and_loads_nothing(report: Path) -> None:
    page = _Links()
    page.feed(report.read_text())
    assert page.open == []
    assert page.loaded == []
    assert not re.search(r"url\((?!#)|href=\"(?!#)", report.read_text())


def test_every_chart_is_in_it_with_a_title_and_a_description(report: Path) -> None:
    charts = re.findall(r"<svg.*?</svg>", report.read_text(), re.DOTALL)
    roots = [ElementTree.fromstring(text) for text in charts]
    assert len(roots) == len(OF_SCHEDULES)
    for root in roots:
        title, about = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
        assert title is not None
        assert title.text
        assert about is not None
        assert about.text
        assert root.get("aria-labelledby") == f"{title.get('id')} {about.get('id')}"


def test_the_table_says_what_simulate_says(report: Path, trace: Path) -> None:
    shown = rmsd("simulate", trace, "--recipe", "easy++").stdout
    text = report.read_text()
    for line in shown.splitlines():
        if line.startswith(("mean wait", "longest wait", "mean response")):
            assert f"<td>{line.split()[-1]}</td>" in text


def test_the_data_of_the_gantt_chart_are_the_schedule(trace: Path, report: Path) -> None:
    out = trace.with_name("easy.csv")
    rmsd("simulate", trace, "--recipe", "easy", "--schedule", out)
    data = gantt_data(report)
    ids, submits, waits, runs, *_ = unpacked(data["runs"][0])
    found = []
    submit = data["origin_us"] // data["tick_us"]
    for job, change, wait, run in zip(ids, submits, waits, runs, strict=True):
        submit += change
        found.append(f"{job},{submit},{submit + wait},{submit + wait + run}")
    assert sorted(found) == sorted(out.read_text().splitlines()[1:])
    assert data["tick_us"] == SECOND_US


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
    """One job that takes no time, and none at all: no division by it."""
    for jobs in ([], [scheduled(1, 0, 0, 0)]):
        assert len(charts({"x": Schedule(jobs, 4)})) == len(OF_SCHEDULES)
        assert packed([gantt_of(Schedule(jobs, 4), "x")], calendar=False)["until"] > 0
    assert Gantt("x", [], 4, 4, []).span_us() == (0, 1)


@pytest.mark.long  # each of its examples draws every chart
@settings(max_examples=10)
@given(st.lists(schedules(), min_size=1, max_size=11), st.sampled_from([1, 60, 100_000]))
def test_whatever_is_drawn_lies_inside_its_picture(runs: list[list[Scheduled]], times: int) -> None:
    """However short or long the jobs are."""
    stretched = {
        f"run {at}": Schedule([_longer(job, times) for job in jobs], 8)
        for at, jobs in enumerate(runs)
    }
    for chart in charts(stretched):
        assert_inside(drawn(chart))


def assert_inside(picture: Picture) -> None:
    """All that can be seen lies inside the picture, and the curves lie inside the plot."""
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


@pytest.mark.parametrize("unit", ["s", "", "%", "time"])
@pytest.mark.parametrize("most", [0.4, 45.0, 2400.0, 72e3, 4e9])
@pytest.mark.parametrize("log", [False, True])
def test_labels_of_the_y_axis_are_clear_of_its_title(unit: str, most: float, log: bool) -> None:
    axis = Axis("what it is", unit, log=log)
    lines = LineChart("a", "A", "A.", Axis("load"), axis, [Line("easy", [(0.5, 1), (1, most)])])
    bars = BarChart("b", "B", "B.", axis, ["all"], {"easy": [most]})
    for chart in (lines, bars):
        picture = drawn(chart)
        assert_inside(picture)
        [axes] = picture.figure.axes
        labels = [one for one in axes.get_yticklabels() if one.get_text()]
        assert labels or log
        for label in labels:
            assert not label.get_window_extent().overlaps(axes.yaxis.label.get_window_extent())


@pytest.mark.parametrize("series", [1, 3, 11])
@pytest.mark.parametrize("name", ["easy", "timed-easy++,order=lxfw,trial=300,predictor=recent2"])
def test_every_series_is_drawn_and_named(name: str, series: int) -> None:
    """Names get as many rows as they need, and the plot keeps its height."""
    names = [f"{name}-{at}" for at in range(series)]
    lines = [Line(one, [(1.0, at), (2.0, at + 1.0)]) for at, one in enumerate(names)]
    picture = drawn(LineChart("a", "A", "A.", Axis("load"), Axis("wait", "s"), lines))
    assert_inside(picture)
    [axes], [legend] = picture.figure.axes, picture.figure.legends
    assert len(axes.lines) == series
    assert [text.get_text() for text in legend.get_texts()] == names
    assert axes.bbox.height > 150
    assert not legend.get_window_extent().overlaps(axes.get_tightbbox())


@pytest.mark.parametrize("series", [1, 3, 8])
def test_lines_that_cannot_be_followed_have_plots_of_their_own(series: int) -> None:
    """The queue lengths of three recipes over a year had painted over each other."""
    names = [f"$easy$-{at}" for at in range(series)]
    lines = [Line(one, [(1.0, 0.0), (2.0, at + 1.0)]) for at, one in enumerate(names)]
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


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_names_are_drawn_as_they_are(suffix: str) -> None:
    """Dollars are no formula; what steers a terminal, which XML cannot have, is replaced."""
    names = ["_hidden", "a$b$c", "日本", "\x01ctl\x1b[31m", "", "<b>&"]
    lines = [Line(one, [(1.0, at), (2.0, at + 1.0)]) for at, one in enumerate(names)]
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
    line = Line("easy", [(0.5, 60.0), (0.9, 600.0)], [(30.0, 90.0), None])
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


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_the_same_chart_is_the_same_file(suffix: str) -> None:
    def file() -> bytes:
        lines = [Line("easy", [(0.5, 60.0), (0.9, 600.0)])]
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


def test_what_is_no_picture_needs_no_matplotlib(tmp_path: Path) -> None:
    """And a picture says what to install, before the trace is run."""
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


def test_a_home_that_keeps_no_caches_is_not_complained_of(tmp_path: Path) -> None:
    """As that of a service: matplotlib would warn of it."""
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


def test_a_schedule_needs_its_trace_and_gives_the_same_figures(tmp_path: Path) -> None:
    source, csv = tmp_path / "t.swf", tmp_path / "easy.csv"
    source.write_text(SWF)
    rmsd("simulate", source, "--schedule", csv)
    assert "--trace" in rmsd("report", csv, "-o", tmp_path / "x.html", expect=2).stderr
    ours, theirs = tmp_path / "a.svg", tmp_path / "b.svg"
    rmsd("report", csv, "--trace", source, "-o", ours, "--figure", "queue")
    rmsd("report", source, "--recipe", "easy", "-o", theirs, "--figure", "queue")
    assert ours.read_text() == theirs.read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-o", "x.svg"], 2, "needs --figure"),
        (["-o", "x.html", "--figure", "queue"], 2, ".svg or .pdf or .png"),
        (["-o", "x.svg", "--figure", "wait-by-load"], 2, "there are: wait-cdf"),
        (["-o", "x.html", "--recipe", "nonsense"], 2, "--recipe"),
        (["-o", "x.html", "--recipe", "easy", "--recipe", "easy"], 2, "occurs twice"),
        (["-o", "x.html", "--trace", "y.swf"], 2, "--trace belongs to schedules"),
        (["-o", "nowhere/x.html"], 1, "cannot write nowhere/x.html"),
    ],
)
def test_what_cannot_be_is_refused(
    tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    source = tmp_path / "t.swf"
    source.write_text(SWF)
    assert message in rmsd("report", source, *arguments, expect=code).stderr


def test_a_page_says_what_it_was_made_of(report: Path, trace: Path) -> None:
    digest = hashlib.sha256(trace.read_bytes()).hexdigest()[:12]
    footer = report.read_text().partition("<footer>")[2]
    assert f"{trace.name}, {trace.stat().st_size:,} bytes, sha256 {digest}" in footer
    assert f"easy++: {written_out(parse_recipe('easy++'))}" in html.unescape(
        footer.replace("<wbr>", "")
    )
    assert ",<wbr>" in footer
    assert "rmsd report" in footer


def test_names_that_are_markup_are_shown_as_they_are(tmp_path: Path) -> None:
    source, out = tmp_path / "t.swf", tmp_path / "x.html"
    source.write_text(SWF.replace(" 1 1 -1", " 1 </script><b> -1"))
    rmsd("report", source, "-o", out, "--title", "<i>&")
    page = _Links()
    page.feed(out.read_text())
    assert page.open == []
    assert gantt_data(out)["users"] == ["</script><b>", "2"]
    assert "<h1>&lt;i&gt;&amp;</h1>" in out.read_text()


# ---------------------------------------------------------------- results

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


def test_results_of_several_traces_are_told_apart(study: Path) -> None:
    rows = read_results(study)
    both = [*rows, *({**row, "trace": "other"} for row in rows)]
    assert len(tables_of_results(both)) == 2
    names = [chart.name for chart in charts_of_results(both)]
    assert len(set(names)) == len(names) == 12
    assert {name.rpartition("-")[2] for name in names} == {"sample", "other"}


def test_a_report_of_results_schedules_and_runs_together(study: Path, tmp_path: Path) -> None:
    source, run, out = tmp_path / "t.swf", tmp_path / "run.json", tmp_path / "all.html"
    source.write_text(SWF)
    run.write_text(rmsd("simulate", source, "--recipe", "sjf", "--load", "0.8", "--json").stdout)
    rmsd("report", study, run, source, "-o", out)
    page = _Links()
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


# ---------------------------------------------------------------- in a browser


async def _panels(page: Page) -> list[dict[str, str]]:
    panels = f"{PANELS}.map((one) => ({{...one.dataset}}))"
    found: list[dict[str, str]] = await page.evaluate(panels)
    return found


async def _place(page: Page) -> tuple[float, float, float, float]:
    """Left, top, width and height of the first panel, which is scrolled to."""
    left, top, width, height = await page.evaluate(
        f"(() => {{ const one = {PANELS}[0]; one.scrollIntoView();"
        "const box = one.getBoundingClientRect();"
        "return [box.left, box.top, box.width, box.height] })()"
    )
    return left, top, width, height


async def _drawn(page: Page, than: int) -> list[dict[str, str]]:
    """Return the panels once they have been drawn again, and are complete."""
    await page.until(
        f"{PANELS}.every((one) => one.dataset.frames > {than} && one.dataset.missing === '0')"
    )
    return await _panels(page)


async def test_the_gantt_chart_is_drawn_zoomed_and_moved(report: Path) -> None:
    async with in_browser(report) as page:
        before = await _drawn(page, 0)
        assert [panel["mode"] for panel in before] == ["sums", "sums"]
        assert all(int(panel["blocks"]) >= 9000 for panel in before)
        whole = float(before[0]["until"]) - float(before[0]["since"])
        left, top, width, height = await _place(page)
        x, y = left + width / 2, top + height / 2
        for _ in range(6):
            await page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300)
        span = "one.dataset.until - one.dataset.since"
        await page.until(f"{PANELS}.every((one) => {span} < {whole / 300})")  # all the six
        await page.until(f"{PANELS}.every((one) => one.dataset.mode === 'blocks')")
        after = await _panels(page)
        span = float(after[0]["until"]) - float(after[0]["since"])
        assert span < whole / 50
        assert {(panel["since"], panel["until"]) for panel in after} == {
            (after[0]["since"], after[0]["until"])
        }
        await page.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        await page.mouse("mouseMoved", x - width / 4, y, button="left", buttons=1)
        await page.mouse("mouseReleased", x - width / 4, y, button="left", clickCount=1)
        moved = await _drawn(page, int(after[0]["frames"]))
        assert float(moved[0]["since"]) > float(after[0]["since"])
        assert float(moved[0]["until"]) - float(moved[0]["since"]) == pytest.approx(span)
        await page.evaluate(f"{PANELS}[0].focus()")
        await page.key("0")
        await page.until(f"{PANELS}[0].dataset.since === '{before[0]['since']}'")
        await page.key("+")
        await page.until(f"{PANELS}[0].dataset.since !== '{before[0]['since']}'")


async def test_a_job_under_the_pointer_says_what_it_is(report: Path, trace: Path) -> None:
    """As the schedule has it, and in its own rows."""
    out = trace.with_name("hover.csv")
    rmsd("simulate", trace, "--recipe", "easy", "--schedule", out)
    lines = [line.split(",") for line in out.read_text().splitlines()[1:]]
    lasting = [line for line in lines if int(line[3]) - int(line[2]) > 600]
    job, submit, start, end = map(int, random.Random(1).choice(lasting))
    data = gantt_data(report)
    columns = unpacked(data["runs"][0])
    at = columns[0].index(job)
    piece = sum(columns[8][:at])
    row, rows = columns[9][piece], columns[10][piece]
    assert columns[4][at] >= rows

    async with in_browser(report) as page:
        box = "document.querySelector('.gantt-tools input[type=number]')"
        await page.evaluate(f"{box}.value = {job}; {box}.dispatchEvent(new Event('change'))")
        await page.until(f"{PANELS}[0].dataset.mode === 'blocks'")
        left, top, width, height = await _place(page)
        panel = (await _panels(page))[0]
        since, until = float(panel["since"]), float(panel["until"])
        gutter, axis = 52, 22
        middle = (start + end) / 2 - data["origin_us"] / data["tick_us"]
        x = left + gutter + (middle - since) / (until - since) * (width - gutter)
        y = top + (row + rows / 2) / MACHINE * (height - axis)
        await page.mouse("mouseMoved", x, y)
        await page.until("!document.querySelector('.gantt-tip').hidden")
        text = await page.evaluate("document.querySelector('.gantt-tip').textContent")
        assert f"job {job}, user " in text
        assert text.splitlines()[1].endswith(", easy")
        day, clock = divmod(start, 86400)
        hours, minutes, seconds = clock // 3600, clock // 60 % 60, clock % 60
        assert f"started day {day}, {hours:02}:{minutes:02}:{seconds:02}" in text
        status = await page.evaluate("document.querySelector('.gantt-status').textContent")
        assert f"job {job}, user " in status
        assert submit <= start


async def test_a_job_that_is_no_number_is_not_looked_for(report: Path) -> None:
    async with in_browser(report) as page:
        status = "document.querySelector('.gantt-status').textContent"
        box = "document.querySelector('.gantt-tools input[type=number]')"
        await page.evaluate(f"{box}.focus()")
        await page.key("e")
        await page.evaluate(f"{box}.dispatchEvent(new Event('change'))")
        await page.until(f"{status}.includes('a job is found by its number')")
        await page.evaluate(f"{box}.value = ''; {box}.dispatchEvent(new Event('change'))")
        assert "there is no job" not in await page.evaluate(status)
        await page.evaluate(f"{box}.value = '99999999'; {box}.dispatchEvent(new Event('change'))")
        assert "there is no job 99999999" in await page.evaluate(status)


async def test_the_page_fits_a_phone_and_follows_the_reader_s_colours(report: Path) -> None:
    async with in_browser(report) as page:
        await page.resize(400, 800)
        await page.until(f"{PANELS}[0].clientWidth < 400")
        await page.until("document.documentElement.scrollWidth <= 400")
        await page.until(f"{PANELS}.every((one) => Number(one.dataset.named) >= 2)")
        caption = "document.querySelector('caption span').getBoundingClientRect()"
        assert await page.evaluate(f"{caption}.left") >= 0
        assert await page.evaluate(f"{caption}.right") <= 400
        light = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        await page.media(dark=True)
        dark = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert light == "rgb(255, 255, 255)"
        assert dark != light


@pytest.mark.long  # simulates a year of a large trace twice
@pytest.mark.skipif(DATA is None, reason="RMSD_TEST_DATA names no folder with traces/")
async def test_a_year_of_ctc_is_small_enough_to_send(tmp_path: Path) -> None:
    log = Path(DATA or "") / "traces" / "CTC-SP2-1996-3.1-cln.swf.gz"
    out = tmp_path / "ctc.html"
    rmsd("report", log, "--recipe", "fcfs", "--recipe", "easy", "-o", out)
    assert out.stat().st_size < 5_000_000

    async with in_browser(out) as page:
        assert [panel["mode"] for panel in await _panels(page)] == ["tiles", "tiles"]
