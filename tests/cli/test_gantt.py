"""`rmsd gantt`: of a schedule file, and of a daemon with past, present and plan."""

from __future__ import annotations

import argparse
import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from matplotlib.patches import Patch

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.charts.gantt import KILLED, OVER, PLANNED, RUNNING, Gantt, gantt_of
from rmsd_lab.charts.rows import RowRange
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab_cli.pictures.gantt_drawing import gantt_drawn
from rmsd_lab_cli.pictures.gantt_text import gantt_text
from rmsd_lab_cli.pictures.live import of_directory, of_server
from rmsd_lab_cli.pictures.observed import Observed, gantt_of_observed
from rmsd_lab_cli.pictures.output import write_page
from rmsd_lab_cli.pictures.packed import packed
from rmsd_lab_cli.pictures.page import Page
from rmsd_lab_cli.pictures.picture import Picture, svg_element
from tests.cli.gantt_page import gantt_data, in_browser, unpacked
from tests.cli.simulated import SWF
from tests.commands import rmsd
from tests.live import Daemon

SVG = "{http://www.w3.org/2000/svg}"
TIMED = 'recipe = "timed-easy,trial=10"\nkill_grace = "1s"\n'
LONG_AT_FIRST = '[ "$RMS_ATTEMPT" = 2 ] || sleep 600'
NOW_US = 1000 * SECOND_US


def shown(*arguments: str | Path, columns: int = 60) -> list[str]:
    """Return the text that a terminal of this width gets."""
    env = os.environ | {"COLUMNS": str(columns), "LINES": "24"}
    return rmsd("gantt", *arguments, env=env).stdout.splitlines()


@pytest.fixture
def schedule(tmp_path: Path) -> tuple[Path, Path]:
    """Return the trace, and its schedule under EASY: job 1 has all four processors until 100, then
    2 and 3 have two each, until 150 and 110."""
    trace, out = tmp_path / "t.swf", tmp_path / "easy.csv"
    trace.write_text(SWF)
    rmsd("simulate", trace, "--recipe", "easy", "--schedule", out)
    return trace, out


@pytest.mark.slow
def test_a_schedule_as_text(schedule: tuple[Path, Path]) -> None:
    trace, out = schedule
    assert shown(out, "--trace", trace, columns=32) == [
        "easy.csv: 3 jobs on 4 processors",
        "0 AAAAAAAAAAAAAAAAAAAABBBBBBBBBB",
        "1 AAAAAAAAAAAAAAAAAAAABBBBBBBBBB",
        "2 AAAAAAAAAAAAAAAAAAAACC........",
        "3 AAAAAAAAAAAAAAAAAAAACC........",
        "  +-----------------------------",
        "  day 0",
        "",
        "one letter for each job",
        "A 1 1, 4 cores, over: day 0 to d",
        "B 2 1, 2 cores, over: d 0 00:01:",
        "C 3 2, 2 cores, over: d 0 00:01:",
    ]
    assert shown(out, "--trace", trace, "--since", "50s", columns=32)[1:4] == [
        "0 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "2 BBBBBB........................",
    ]


def test_a_schedule_as_a_picture_and_as_a_page(schedule: tuple[Path, Path]) -> None:
    trace, out = schedule
    picture, page = out.with_suffix(".svg"), out.with_suffix(".html")
    rmsd("gantt", out, "--trace", trace, "-o", picture)
    titles = [title.text or "" for title in ElementTree.parse(picture).iter(f"{SVG}title")]
    assert sorted(re.findall(r"job \d", " ".join(titles))) == ["job 1", "job 2", "job 3"]
    rmsd("gantt", out, "--trace", trace, "-o", page)
    assert gantt_data(page)["runs"][0]["bars"] == 3


@pytest.mark.slow
def test_a_picture_of_very_many_jobs_has_cells() -> None:
    """The picture has a few paths instead of one for each job."""
    schedule = simulate(sample_trace(5000, 64, seed=2), 64, parse_recipe("easy"))
    gantt = gantt_of(schedule, "easy")
    since_us, until_us = gantt.span_us()
    many = gantt_drawn(gantt, since_us, until_us, str)
    assert many.tips == {}
    assert 1 < len(patches(many)) <= 8
    few = gantt_drawn(gantt, since_us, since_us + 10_000 * SECOND_US, str)
    assert len(patches(few)) == len(few.tips) > 10


def patches(picture: Picture) -> list[Patch]:
    """Return what lies on the ground of the plot."""
    [axes] = picture.figure.axes
    return list(axes.patches)


def test_a_picture_of_a_daemon_shows_who_runs_what_is_planned_and_what_was_killed() -> None:
    attempt = {
        "attempt": 1,
        "start_us": NOW_US - 300 * SECOND_US,
        "end_us": NOW_US - 100 * SECOND_US,
        "nodelist": "n1",
        "node_cpus": [4],
    }
    start = {"job_id": 12, "start_us": NOW_US + 100 * SECOND_US, "end_us": NOW_US + 400 * SECOND_US}
    views = [view(12, attempt=1, cpus=4), view(7, **on("rack17-of-the-old-hall", 4, ago_s=50))]
    nodes = {"n1": 4, "rack17-of-the-old-hall": 4}
    told = Observed("here", "easy", False, NOW_US, nodes, views, {12: [attempt]}, [start])
    gantt = gantt_of_observed(told, None)
    picture = gantt_drawn(gantt, *gantt.span_us(), str)
    assert Counter(re.sub("processors, (.*?):.*", r"\1", tip) for tip in picture.tips.values()) == (
        Counter({"job 12, user ann, 4 killed": 1, "job 12, user ann, 4 planned": 1})
        + Counter({"job 7, user ann, 4 running": 1})
    )
    opacity = {picture.tips[str(one.get_gid())]: one.get_alpha() for one in patches(picture)}
    assert [opacity[tip] for tip in sorted(opacity)] == [1.0, 0.35, 0.75]
    words = {text.text for text in ElementTree.fromstring(svg_element(picture)).iter(f"{SVG}text")}
    assert {"now", "n1", "…he-old-hall", "12", "7"} <= words


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-o", "x.gif"], 2, ".html or .svg or .pdf or .png"),
        (["--since", "nonsense"], 2, "--since"),
        (["--ahead", "1h"], 2, "--ahead is for a daemon"),
        (["--server", "unix:/nowhere"], 2, "--server is for a daemon"),
        (["-o", "nowhere/x.svg"], 1, "cannot write nowhere/x.svg"),
    ],
)
def test_what_cannot_be_is_refused(
    schedule: tuple[Path, Path], arguments: list[str], code: int, message: str
) -> None:
    trace, out = schedule
    done = rmsd("gantt", out, "--trace", trace, *arguments, expect=code)
    assert message in done.stderr


def test_a_file_without_its_trace_and_a_folder_that_is_no_state(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("job_id,submit,start,end\n")
    assert "--trace" in rmsd("gantt", file, expect=2).stderr
    assert "no state directory" in rmsd("gantt", tmp_path, expect=1).stderr
    nowhere = tmp_path / "nowhere"
    assert f"cannot read {nowhere}: no such file" in rmsd("gantt", nowhere, expect=1).stderr
    assert "--trace and --procs" in rmsd("gantt", tmp_path, "--procs", "3", expect=2).stderr


# ---------------------------------------------------------------- what a daemon tells


def view(job_id: int, **more: object) -> dict[str, Any]:
    """Return a job that waits, as the API lists it."""
    known = {
        "job_id": job_id,
        "user": "ann",
        "state": "PENDING",
        "submit_us": NOW_US - 500 * SECOND_US,
        "start_us": None,
        "end_us": None,
        "estimate_s": 100.0,
        "prediction_s": 100.0,
        "trial_end_us": None,
        "cpus": 2,
        "nodelist": "",
        "node_cpus": [],
        "attempt": 0,
    }
    return known | more


def on(nodelist: str, *cores: int, ago_s: int, **more: object) -> dict[str, Any]:
    """Return what is different in a job that runs on these nodes."""
    return {
        "state": "RUNNING",
        "start_us": NOW_US - ago_s * SECOND_US,
        "cpus": sum(cores),
        "nodelist": nodelist,
        "node_cpus": list(cores),
        "attempt": 1,
        **more,
    }


def observed(views: list[dict[str, Any]], **more: Any) -> Observed:
    nodes = {"n1": 4, "n2": 4}
    counted = more.get("counted", False)
    return Observed("here", "easy", counted, NOW_US, nodes, views, more.get("attempts", {}), [])


def ends_s(gantt: Gantt) -> dict[int, int]:
    """Return how long each job still runs from now on, by job."""
    return {bar.job_id: (bar.end_us - NOW_US) // SECOND_US for bar in gantt.bars}


def test_until_when_running_jobs_are_drawn() -> None:
    """A job is drawn until its predicted end, a trial until its end, and an overdue job until
    now."""
    gantt = gantt_of_observed(
        observed(
            [
                view(1, **on("n1", 1, ago_s=30)),
                view(2, **on("n1", 1, ago_s=30, trial_end_us=NOW_US + 60 * SECOND_US)),
                view(3, **on("n1", 1, ago_s=300)),
                view(4, **on("n1", 1, ago_s=30, prediction_s=None)),
            ]
        ),
        None,
    )
    assert ends_s(gantt) == {1: 70, 2: 60, 3: 0, 4: 3600}
    assert {bar.kind for bar in gantt.bars} == {RUNNING}


def test_jobs_lie_on_their_nodes_also_on_those_that_are_gone() -> None:
    gantt = gantt_of_observed(
        observed([view(1, **on("n[1-2]", 1, 4, ago_s=9)), view(2, **on("old", 8, ago_s=9))]), None
    )
    assert gantt.lines == [("n1", 0, 4), ("n2", 4, 8), ("old", 8, 16)]
    assert {bar.job_id: bar.pieces for bar in gantt.bars} == {
        1: ((0, 1), (4, 4)),
        2: ((8, 8),),
    }


def test_a_daemon_of_before_does_not_say_how_many_cores_of_each_node() -> None:
    views = [view(1, **on("n[1-2]", 2, 1, ago_s=10, attempt=2)), view(2, attempt=1)]
    attempt = {"attempt": 1, "start_us": NOW_US - 90, "end_us": NOW_US - 50, "nodelist": "n1"}
    del views[0]["node_cpus"]
    gantt = gantt_of_observed(observed(views, attempts={2: [attempt]}), None)
    assert {bar.job_id: sum(count for _, count in bar.pieces) for bar in gantt.bars} == {
        1: 3,
        2: 2,
    }


def test_planned_jobs_are_drawn_beside_reservations_for_others() -> None:
    """The chart would otherwise show a job on a node that is in maintenance by then."""
    soon = NOW_US + 50 * SECOND_US
    maintenance = {"name": "fix", "nodelist": "n1", "start_us": soon, "end_us": NOW_US << 1}
    for inside, first in (("", 4), ("fix", 0)):
        told = replace(
            observed([view(1, reservation=inside)]),
            starts=[{"job_id": 1, "start_us": NOW_US, "end_us": NOW_US + 100 * SECOND_US}],
            reservations=[maintenance],
        )
        [bar] = gantt_of_observed(told, None).bars
        assert bar.pieces == (RowRange(first, 2),)
    crowded = replace(told, views=[view(1, cpus=8)])  # there is no other space
    gantt = gantt_of_observed(crowded, None)
    assert gantt.bars[0].pieces == (RowRange(0, 8),)
    [run] = packed([gantt], calendar=True)["runs"]
    assert run["reservations"][0][0] == "fix"
    assert run["places"][run["reservations"][0][3]] == [(0, 4)]


@pytest.mark.long  # draws a page in a browser
async def test_names_of_reservations_are_text(tmp_path: Path) -> None:
    hostile = "<img src=x onerror=document.title=1></script><script>document.title=2</script>"
    soon = {"nodelist": "n1", "start_us": NOW_US + SECOND_US, "end_us": NOW_US + 90 * SECOND_US}
    views = [view(1, **on("n1", 2, ago_s=9)), view(2, **on("n2", 2, ago_s=9))]
    told = replace(observed(views), reservations=[{"name": hostile, **soon}])
    gantt = gantt_of_observed(told, None)
    file = tmp_path / "page.html"
    write_page(file, Page("title", ["about"], gantt=packed([gantt], calendar=True)))
    async with in_browser(file) as page:
        await page.until("document.querySelector('.gantt-panel canvas').dataset.reserved === '1'")
        assert await page.evaluate("document.title") == "title"
    drawn = gantt_drawn(gantt, NOW_US, NOW_US + 90 * SECOND_US, str)
    assert hostile in drawn.description
    root = ElementTree.fromstring(svg_element(drawn))
    assert len(list(root.iter(f"{SVG}pattern"))) == 1
    tips = [str(title.text) for title in root.iter(f"{SVG}title")]
    assert any(tip.startswith(f"reserved for {hostile}: ") for tip in tips)


def test_texts_name_the_latest_reservations() -> None:
    reserved = [
        {"name": f"r{at}", "nodelist": "n1", "start_us": at, "end_us": at + 1} for at in range(30)
    ]
    told = replace(observed([view(1, **on("n1", 2, ago_s=9))]), reservations=reserved)
    gantt = gantt_of_observed(told, None)
    lines = gantt_text(gantt, 0, NOW_US, width=60, height=9, colour=False, instant=str)
    named = [line for line in lines if line.startswith("reserved")]
    assert named[0] == "reserved earlier: 10 times"
    assert named[1:] == [f"reserved n1 for r{at}: {at} to {at + 1}" for at in range(10, 30)]


def test_counted_processors_are_of_no_node() -> None:
    """A job's node is then where its script runs, and may have fewer cores."""
    views = [view(1, **on("n1", 6, ago_s=9)), view(2, **on("n1", 2, ago_s=9))]
    gantt = gantt_of_observed(observed(views, counted=True), None)
    assert (gantt.lines, gantt.rows) == ([], 8)
    assert [bar.pieces for bar in gantt.bars] == [((0, 6),), ((6, 2),)]


def test_many_nodes_share_lines_and_a_job_on_neighbours_is_one_piece() -> None:
    nodes = {f"n{at:03}": 64 for at in range(200)}
    job = view(1, **on("n[000-099]", *[64] * 100, ago_s=100, prediction_s=200.0))
    gantt = gantt_of_observed(Observed("here", "easy", False, NOW_US, nodes, [job], {}, []), None)
    assert gantt.bars[0].pieces == ((0, 6400),)
    lines = gantt_text(gantt, *gantt.span_us(), width=35, height=4, colour=False)
    assert lines[:4] == [
        "n[000-049] AAAAAAAAAAAAAAAAAAAAAAAA",
        "n[050-099] AAAAAAAAAAAAAAAAAAAAAAAA",
        "n[100-149] ........................",
        "n[150-199] ........................",
    ]


def test_what_was_over_before_is_left_out() -> None:
    over = {"state": "COMPLETED", "end_us": NOW_US - 50 * SECOND_US}
    views = [view(1, **on("n1", 1, ago_s=90, **over)), view(2, **on("n2", 1, ago_s=90))]
    assert ends_s(gantt_of_observed(observed(views), NOW_US - 40 * SECOND_US)) == {2: 10}
    assert ends_s(gantt_of_observed(observed(views), None)) == {1: -50, 2: 10}


def test_jobs_that_never_ran_are_not_drawn() -> None:
    views = [view(1, state="CANCELLED", end_us=NOW_US), view(2)]
    assert gantt_of_observed(observed(views), None).bars == []


def test_the_text_of_nodes_planned_and_killed() -> None:
    attempt = {
        "attempt": 1,
        "start_us": NOW_US - 100 * SECOND_US,
        "end_us": NOW_US - 50 * SECOND_US,
        "nodelist": "n1",
        "node_cpus": [4],
    }
    task = {"array_job_id": 7, "array_task_id": 3}
    told = observed(
        [
            view(1, attempt=1, cpus=4),
            view(2, **on("n2", 4, ago_s=100, prediction_s=200.0, **task)),
        ],
        attempts={1: [attempt]},
    )
    starts = [
        {"job_id": 1, "start_us": NOW_US + 50 * SECOND_US, "end_us": NOW_US + 100 * SECOND_US}
    ]
    gantt = gantt_of_observed(
        Observed("here", "easy", False, NOW_US, told.nodes, told.views, told.attempts, starts), None
    )
    since_us, until_us = gantt.span_us()

    def instant(us: int) -> str:
        return f"{us // SECOND_US}s"

    lines = gantt_text(gantt, since_us, until_us, width=43, height=4, colour=False, instant=instant)
    assert lines[:3] == [
        "n1 **********....................aaaaaaaaaa",
        "n2 BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB",
        "   ------------+-------^-------------------",
    ]
    assert "*: ended, to run again" in "\n".join(lines)
    assert "small: planned" in "\n".join(lines)
    assert "B 7_3 ann" in "\n".join(lines)
    painted = gantt_text(
        gantt, since_us, until_us, width=43, height=4, colour=True, instant=instant
    )
    assert re.sub(r"\x1b\[\d+m", "", "\n".join(painted)) == "\n".join(lines)


@pytest.mark.long  # waits for jobs of a real daemon
@pytest.mark.live
async def test_past_present_and_plan_of_a_daemon(
    start_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "2x2", config=TIMED)
    specs = [{"script": f"#!/bin/sh\n{LONG_AT_FIRST}\n", "tasks": 4}, {"script": "#!/bin/true\n"}]
    restarted, other = (job["job_id"] for job in daemon.client.submit(specs))
    daemon.wait(other)  # after the first one's trial, however late anybody is
    daemon.wait(restarted)
    running = daemon.submit("sleep 600", tasks=4, time_limit_s=900, restartable=False)
    daemon.wait_for(running, "RUNNING")
    waiting = daemon.submit("true", tasks=3, time_limit_s=60, restartable=False)
    server = f"unix:{daemon.state}/rmsd.sock"

    told = of_server(argparse.Namespace(server=server, token_file=None, ca_file=None), None)
    gantt = gantt_of_observed(told, None)
    assert Counter((bar.job_id, bar.kind) for bar in gantt.bars) == Counter(
        [
            (restarted, KILLED),
            (restarted, OVER),
            (other, OVER),
            (running, RUNNING),
            (waiting, PLANNED),
        ]
    )
    planned = next(bar for bar in gantt.bars if bar.kind == PLANNED)
    [start] = daemon.client.plan()["starts"]
    assert planned.start_us == start["start_us"]
    assert [line[1:] for line in gantt.lines] == [(0, 2), (2, 4)]
    for one, other in combinations(gantt.bars, 2):
        rows = [{piece.first + n for piece in bar.pieces for n in range(piece.rows)}
                for bar in (one, other)]  # fmt: skip
        together = max(one.start_us, other.start_us) < min(one.end_us, other.end_us)
        assert not together or not rows[0] & rows[1]

    text = shown("--server", server, "--ahead", "1h")
    assert text[0].startswith(f"{server}, recipe timed-easy")
    assert any(", 4 cores, running: " in line for line in text)
    page = tmp_path / "live.html"
    rmsd("gantt", "--server", server, "-o", page)
    data = gantt_data(page)
    assert data["calendar"]
    assert len(data["runs"][0]["lines"]) == 2
    assert sorted(unpacked(data["runs"][0])[7]) == [0, 0, 1, 2, 3]

    async with in_browser(page) as browser:
        await browser.until(
            "document.querySelector('.gantt-panel canvas').dataset.mode === 'blocks'"
        )
    stored = gantt_of_observed(of_directory(daemon.state), None)
    assert Counter(bar.kind for bar in stored.bars) == {KILLED: 1, OVER: 2, RUNNING: 1}
    assert "what is planned is not stored" in shown(daemon.state)[0]
    daemon.client.cancel(waiting)
    daemon.client.cancel(running)


def test_a_daemon_that_is_not_there() -> None:
    assert "rmsd: error" in rmsd("gantt", "--server", "unix:/nowhere/x.sock", expect=75).stderr
