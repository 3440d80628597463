"""`rmsd report`: one file with everything in it, that works in a browser."""

from __future__ import annotations

import hashlib
import html
import os
import random
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe, written_out
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import format_swf
from rmsd_lab_cli.pictures.figures import OF_SCHEDULES
from tests.browser import Page
from tests.cli.gantt_page import PANELS, gantt_data, in_browser, unpacked
from tests.cli.report_page import SVG, Links
from tests.cli.simulated import SWF
from tests.commands import rmsd

DATA = os.environ.get("RMSD_TEST_DATA")
MACHINE = 64


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make so many jobs that a browser has to sum them up."""
    path = tmp_path_factory.mktemp("report") / "sample.swf"
    lines = format_swf(sample_trace(9000, MACHINE, seed=5), {"MaxProcs": str(MACHINE)})
    path.write_text("".join(lines))
    return path


@pytest.fixture(scope="module")
def report(trace: Path) -> Path:
    path = trace.with_name("report.html")
    rmsd("report", trace, "--recipe", "easy", "--recipe", "easy++", "-o", path)
    return path


@pytest.mark.slow
def test_the_page_is_well_formed_and_loads_nothing(report: Path) -> None:
    page = Links()
    page.feed(report.read_text())
    assert page.open == []
    assert page.loaded == []
    assert not re.search(r"url\((?!#)|href=\"(?!#)", report.read_text())


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_table_says_what_simulate_says(report: Path, trace: Path) -> None:
    shown = rmsd("simulate", trace, "--recipe", "easy++").stdout
    text = report.read_text()
    for line in shown.splitlines():
        if line.startswith(("mean wait", "longest wait", "mean response")):
            assert f"<td>{line.split()[-1]}</td>" in text


@pytest.mark.slow
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


@pytest.mark.slow
def test_names_that_are_markup_are_shown_as_they_are(tmp_path: Path) -> None:
    source, out = tmp_path / "t.swf", tmp_path / "x.html"
    source.write_text(SWF.replace(" 1 1 -1", " 1 </script><b> -1"))
    rmsd("report", source, "-o", out, "--title", "<i>&")
    page = Links()
    page.feed(out.read_text())
    assert page.open == []
    assert gantt_data(out)["users"] == ["</script><b>", "2"]
    assert "<h1>&lt;i&gt;&amp;</h1>" in out.read_text()


async def _panels(page: Page) -> list[dict[str, str]]:
    panels = f"{PANELS}.map((one) => ({{...one.dataset}}))"
    found: list[dict[str, str]] = await page.evaluate(panels)
    return found


async def _place(page: Page) -> tuple[float, float, float, float]:
    """Return left, top, width and height of the first panel, which is scrolled to."""
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


@pytest.mark.slow
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


@pytest.mark.slow
async def test_a_job_under_the_pointer_says_what_it_is(report: Path, trace: Path) -> None:
    """The picture says what the schedule has of the job, and says it in the job's own rows."""
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.long  # simulates a year of a large trace
@pytest.mark.skipif(DATA is None, reason="RMSD_TEST_DATA names no folder with traces/")
async def test_a_year_of_ctc_is_small_enough_to_send(tmp_path: Path) -> None:
    log = Path(DATA or "") / "traces" / "CTC-SP2-1996-3.1-cln.swf.gz"
    out = tmp_path / "ctc.html"
    rmsd("report", log, "--recipe", "fcfs", "-o", out)
    assert out.stat().st_size < 2_600_000

    async with in_browser(out) as page:
        assert [panel["mode"] for panel in await _panels(page)] == ["tiles"]
