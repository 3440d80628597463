"""The pages of `rmsd ui` that are looked at: Gantt chart, cluster and series."""

from __future__ import annotations

import os
import pwd
import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from rmsd_lab.charts.gantt import KILLED, OVER, PLANNED, RUNNING
from rmsd_lab_cli.pictures.observed import gantt_of_observed
from rmsd_ui import runs as runs_module
from rmsd_ui.cluster import HEAT, ClusterSource, heat_of, nodes_by_state, usage_table
from rmsd_ui.daemon import DaemonSocket
from rmsd_ui.following import EventRelay
from rmsd_ui.node_map import MOST_NODES, node_map
from rmsd_ui.runs import Runs, RunsSource
from rmsd_ui.series import COLUMNS, charts_of, columns_of
from rmsd_ui.shared import Shared
from tests.browser import Page, empty_page
from tests.live import Daemon
from tests.ui.dashboards import HOSTILE, PICTURES, Dashboard, dashboard_of, visit
from tests.waiting import wait_until

HOUR_S = 3600.0
PATHS = {"cluster": "/cluster", "map": "/map", "gantt": "/gantt", "series": "/series"}
READY = "document.getElementById('gantt')?.dataset.ready"
CANVAS = "document.querySelector('.gantt-panel canvas')"
STATUS = "document.querySelector('.gantt-status').innerText"
S = 1_000_000


# ------------------------------------------------------------------ of the numbers


def view(submit_s: int, start_s: int | None, end_s: int | None, **more: Any) -> dict[str, Any]:
    """Return a job as the API lists it, of two processors."""
    known = {"eligible_us": None, "cpus": 2, "array_task_str": "", "array_tasks": None}
    at = {"submit_us": submit_s, "start_us": start_s, "end_us": end_s}
    return known | {name: s if s is None else s * S for name, s in at.items()} | more


def test_series_hold_what_jobs_waited_and_used() -> None:
    views = [view(0, 90, 300), view(-50, 30, None), view(100, None, None), view(500, 500, 500)]
    columns = columns_of(views, 0, 600 * S)
    assert len(columns) == COLUMNS
    assert [columns[0].since_us, columns[-1].until_us] == [0, 600 * S]
    width_s = 600 / COLUMNS
    assert sum(one.waiting for one in columns) * width_s == pytest.approx(90 + 30 + 500)
    assert sum(one.processors for one in columns) * width_s == pytest.approx(2 * (210 + 570))
    assert columns[9].started == 1
    assert columns[9].wait_s == 90
    assert columns[30].slowdown == pytest.approx(300 / 210)
    assert columns[50].slowdown == 1.0  # the job took no time
    assert columns[20].slowdown is None
    charts = charts_of(columns, 8, lambda us: str(us // S))
    assert [len(chart.marks) for chart in charts] == [COLUMNS] * 4
    assert charts[1].top == "8.0"  # the machine, though not all of it was in use
    assert charts[2].marks[9].words == "90: 00:01:30"
    assert charts[2].marks[20].words == "200: none"


def test_series_of_nothing_and_of_no_time() -> None:
    assert all(chart.description for chart in charts_of(columns_of([], 5, 5), 0, str))


@pytest.mark.parametrize(
    ("text", "waiting"), [("4-7%2", 4), ("0-8:4,11", 4), ("1,3,...", 50), ("", 1)]
)
def test_an_array_waits_as_its_tasks(text: str, waiting: int) -> None:
    array = view(0, None, None, array_task_str=text, array_tasks=50)
    assert {one.waiting for one in columns_of([array], 60 * S, 120 * S)} == {waiting}


def test_nodes_are_counted_by_their_use() -> None:
    assert [heat_of(used, 8) for used in range(9)] == [0, 1, 1, 2, 2, 3, 3, 4, 5]
    assert heat_of(0, 0) == 0
    nodes = [{"state": "mixed", "cores": 8, "cores_used": used} for used in (1, 7)]
    nodes.append({"state": "down", "cores": 4, "cores_used": 0})
    mixed, down = nodes_by_state(nodes)
    assert (mixed.state, mixed.nodes, mixed.cores, mixed.cores_used) == ("mixed", 2, 16, 8)
    assert (sum(mixed.heat), sum(down.heat), len(HEAT)) == (2, 1, 6)


def test_usage_is_bounded_and_says_so() -> None:
    rows = [{"user": f"u{n}", "processor_s": 3600.0 * n, "jobs": 1} for n in range(1, 15)]
    week = {"usage": rows, "capacity_s": 36000.0}
    table = usage_table("user", {"usage": rows[-1:], "capacity_s": 0.0}, week)
    assert [row.name for row in table.rows] == [f"u{n}" for n in range(14, 4, -1)]
    assert (table.left_out, table.rows[0].week_share) == (4, 1.4)
    assert (table.rows[0].day_h, table.rows[1].day_h, table.rows[0].day_share) == (14.0, 0.0, 0.0)


def node(name: str, **more: Any) -> dict[str, Any]:
    known = {"state": "idle", "cores": 8, "cores_used": 0, "mem_mib": 100, "mem_used_mib": 0}
    listed = {"features": ["fast"], "partitions": ["main"], "jobs": [], "reason": ""}
    return {"name": name} | known | listed | more


def test_a_map_is_bounded_and_says_so() -> None:
    nodes = [node(f"n{number}") for number in range(MOST_NODES + 3)]
    nodes[1] |= {"state": "down", "reason": "x" * 300, "jobs": list(range(9))}
    found = node_map(nodes)
    assert (found.total, found.left_out, found.away_total) == (MOST_NODES + 3, 3, 1)
    assert len(found.data["nodes"]) == MOST_NODES
    assert found.data["words"] == ["idle", "fast", "main", "down"]
    assert found.data["groups"] == ["fast", "main"]
    assert found.data["nodes"][1][6:] == [[1, 2], [[0, 1, 2, 3, 4], 9], "x" * 200]
    [fast] = found.features
    assert (fast.nodes, fast.cores, fast.away) == (MOST_NODES + 3, 8 * (MOST_NODES + 3), 1)


# ------------------------------------------------------------------ from a daemon


async def runs_now(daemon: Daemon, path: str = "") -> Runs:
    socket = DaemonSocket(path or f"{daemon.state}/rmsd.sock")
    try:
        status = await socket.get("/v1/status")
        source = RunsSource(socket, Shared(EventRelay(socket)))
        return await source.runs_of(status, HOUR_S, HOUR_S)
    finally:
        await socket.close()


def kinds(runs: Runs) -> list[str]:
    return sorted(bar.kind for bar in gantt_of_observed(runs.observed, None).bars)


@pytest.mark.live
async def test_runs_are_bounded_and_what_is_left_out_is_told(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        daemon.wait(daemon.submit("true"))
    again = daemon.submit("sleep 600", tasks=8, time_limit_s=1200.0)
    daemon.wait_for(again, "RUNNING")
    daemon.client.change(again, "requeue")
    wait_until(lambda: daemon.client.job(again)["attempt"] == 2)
    daemon.wait_for(again, "RUNNING")
    for _ in range(3):
        daemon.submit("true", tasks=8, time_limit_s=60.0)
    runs = await runs_now(daemon)
    assert runs.left_out == []
    assert kinds(runs) == sorted([OVER] * 3 + [KILLED, RUNNING] + [PLANNED] * 3)
    for name, most in (("MOST_OVER", 2), ("MOST_PLANNED", 1), ("MOST_AGAIN", 0)):
        monkeypatch.setattr(runs_module, name, most)
    runs = await runs_now(daemon)
    assert kinds(runs) == sorted([OVER] * 2 + [RUNNING, PLANNED])
    told = " ".join(runs.left_out)
    assert "More than 2 jobs ended" in told
    assert "Of 3 expected starts the first 1" in told
    assert "Of 1 jobs that were started again" in told


@contextmanager
def another_account() -> Iterator[None]:
    os.seteuid(pwd.getpwnam("daemon").pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.slow
@pytest.mark.live
@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
async def test_a_user_sees_no_jobs_of_others(daemon: Daemon) -> None:
    daemon.stop()
    daemon.root.chmod(0o755)
    public = daemon.root / "run" / "rmsd.sock"
    daemon.options = (*daemon.options, "--socket", str(public))
    daemon.start()
    daemon.wait(daemon.submit("true"))
    daemon.wait_for(daemon.submit("sleep 600", tasks=8), "RUNNING")
    daemon.submit("true", tasks=8, time_limit_s=60.0)
    with another_account():
        runs = await runs_now(daemon, str(public))
        assert (runs.observed.views, list(runs.observed.starts or ())) == ([], [])
        socket = DaemonSocket(str(public))
        source = ClusterSource(socket, Shared(EventRelay(socket)))
        values = await source.values(await socket.get("/v1/status"))
        await socket.close()
    assert [table.rows for table in values["usage"]] == [[], [], []]
    assert sum(one.nodes for one in values["states"]) == len(daemon.client.nodes())


@pytest.mark.slow
@pytest.mark.live
@pytest.mark.parametrize("path", ["/gantt", "/cluster", "/map", "/series", "/static/gantt.js"])
def test_without_the_cookie_no_chart_is_shown(dashboard: Dashboard, path: str) -> None:
    assert dashboard.get(path).status == 403
    answer = dashboard.get(path, Cookie=dashboard.enter())
    assert answer.status == 200
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


# ------------------------------------------------------------------ in a browser


async def choose(page: Page, label: str, value: str) -> None:
    """Choose a value of the list of the chart's tools that has this label."""
    await page.evaluate(
        "(() => { const one = [...document.querySelectorAll('.gantt-tools label')]"
        f".find((made) => made.innerText.startsWith('{label}')).querySelector('select');"
        f"one.value = '{value}'; one.dispatchEvent(new Event('change')); }})()"
    )


@pytest.mark.live
@pytest.mark.long  # draws pages of a real daemon in a browser
async def test_the_gantt_chart_follows_and_leads_to_jobs(
    daemon: Daemon, seen: Dashboard, browser: int
) -> None:
    first = daemon.submit("sleep 600", name=HOSTILE, tasks=8, time_limit_s=1200.0)
    daemon.wait_for(first, "RUNNING")
    async with empty_page(browser) as page:
        await visit(page, seen.address)
        await visit(page, f"http://{seen.host}/gantt?past=1h&ahead=1h")
        await page.until(READY)
        await page.until(f"{CANVAS}.dataset.blocks == '1'")
        await page.evaluate(f"{CANVAS}.focus()")
        await page.key("+")
        await page.until(f"{STATUS}.includes('1:00:00 h')")
        shown = await page.evaluate(STATUS)
        second = daemon.submit("true", name="planned", tasks=8, time_limit_s=60.0)
        await page.until(f"!!document.querySelector('a[href=\"/jobs/{second}\"]')")
        await page.until(f"{CANVAS}.getAttribute('aria-label').includes(' 2 runs')")
        assert await page.evaluate(STATUS) == shown  # the window has stayed
        assert await page.evaluate(f"document.activeElement === {CANVAS}")
        await choose(page, "rows", "job")
        await page.until(f"{CANVAS}.dataset.mode == 'jobs'")
        await page.evaluate(f"{CANVAS}.focus()")
        await page.key("ArrowDown")
        told = await page.evaluate(STATUS)
        assert f"job {first}, user" in told
        assert HOSTILE in told
        await page.key("Enter")
        await page.until(f"location.pathname == '/jobs/{first}'")
        await page.until("document.body?.dataset.followed")
        assert await page.evaluate("document.title") == f"Job {first} - rmsd"
        assert page.errors == []
        assert all(url.startswith(f"http://{seen.host}/") for url in page.requests)


@pytest.mark.live
@pytest.mark.long  # draws a page of a real daemon in a browser
async def test_reservations_are_drawn_before_and_after_their_ends(
    start_daemon: Callable[..., Daemon], browser: int
) -> None:
    """The page is kept as a picture if UI_PICTURES is set."""
    daemon = start_daemon("--no-local-node", "--emulate", "6x4", "--rate", "2000")
    client = daemon.client
    always = {"start_in_s": 0.0, "nodes": "e[1-2]", "maintenance": True, "ignore_jobs": True}
    client.reserve({"name": "over", "duration_s": 3000.0, **always})
    wait_until(lambda: not client.reservations())
    client.reserve({"name": "cut", "duration_s": 80000.0, **always})
    timer = {"user": "anna", "tasks": 8, "time_limit_s": 60000.0}
    [past] = client.submit([{**timer, "emulate": {"run_s": 5000.0}}])
    daemon.wait(past["job_id"])
    client.unreserve("cut")
    client.reserve({"name": "now", "duration_s": 80000.0, **always, "nodes": "e[3-4]"})
    daily = {
        "start_in_s": 4000.0,
        "duration_s": 9000.0,
        "repeat": "daily",
        "nodes": "e6",
        "users": ["root"],
    }
    client.reserve({"name": "course", **daily})
    client.submit([{**timer, "emulate": {"run_s": 50000.0}}])
    with dashboard_of(daemon) as seen:
        async with empty_page(browser) as page:
            await visit(page, seen.address)
            await visit(page, f"http://{seen.host}/gantt?past=6h&ahead=1d")
            await page.until(READY)
            await page.until(f"{CANVAS}.dataset.reserved >= '4'")
            listed = "[...document.querySelectorAll('table')].at(-1).innerText"
            for name, life in {"over": "over", "cut": "over", "now": "now"}.items():
                assert re.search(rf"{name}\te\[\S+\]\t{life}\t", await page.evaluate(listed))
            assert "\tto come\t" in await page.evaluate(listed)
            assert page.errors == []
            if os.environ.get("UI_PICTURES"):
                picture = await page.call("Page.captureScreenshot")
                (PICTURES / "ui-reserved.png").write_bytes(b64decode(picture["data"]))


@pytest.mark.live
@pytest.mark.long  # draws pages of a real daemon in a browser
async def test_a_click_opens_the_page_of_a_job(
    daemon: Daemon, seen: Dashboard, browser: int
) -> None:
    job = daemon.submit("sleep 600", tasks=8, time_limit_s=1200.0)
    daemon.wait_for(job, "RUNNING")
    async with empty_page(browser) as page:
        await visit(page, seen.address)
        await visit(page, f"http://{seen.host}/gantt?past=1h&ahead=1h")
        await page.until(READY)
        await choose(page, "rows", "job")
        box = (
            f"(() => {{ const b = {CANVAS}.getBoundingClientRect();"
            "const plot = b.width - Math.min(110, b.width / 4);"
            "return [b.right - plot / 2 + 4, b.top + 6]; })()"
        )
        x, y = await page.evaluate(box)
        await page.mouse("mouseMoved", x, y)
        await page.until(f"document.querySelector('.gantt-tip').innerText.includes('job {job},')")
        for kind in ("mousePressed", "mouseReleased"):
            await page.mouse(kind, x, y, button="left", clickCount=1)
        await page.until(f"location.pathname == '/jobs/{job}'")


@pytest.mark.live
@pytest.mark.long  # draws pages of a real daemon in a browser
async def test_the_map_follows_and_tells_of_nodes(
    daemon: Daemon, seen: Dashboard, browser: int
) -> None:
    told = "document.querySelector('.told').innerText"
    name = daemon.client.nodes()[0]["name"]
    async with empty_page(browser) as page:
        await visit(page, seen.address)
        await visit(page, f"http://{seen.host}/map")
        await page.evaluate("document.querySelector('canvas.map').focus()")
        await page.key("ArrowRight")
        assert (await page.evaluate(told)).startswith(f"{name}: idle; 0 of ")
        job = daemon.submit("sleep 600", tasks=8)
        await page.until(f"{told}.includes('jobs {job}')")
        daemon.client.drain(name, HOSTILE)
        await page.until(f"{told}.includes('onerror')")
        assert HOSTILE in await page.evaluate(told)
        assert HOSTILE in await page.evaluate("document.querySelector('td.name').innerText")
        cells = "[`n${at}`, 0, at % 9, 8, 0, 1, [1], [[], 0], '']"
        nodes = f"Array.from({{length: 10000}}, (_, at) => {cells})"
        await page.evaluate(
            f"map.put({{words: ['mixed', 'fast'], groups: ['fast'], nodes: {nodes}}})"
        )
        assert await page.evaluate("document.querySelector('canvas.map').dataset.nodes") == "10000"
        assert await page.evaluate("document.querySelector('canvas.map').clientHeight") <= 500
        assert page.errors == []


@pytest.mark.slow
@pytest.mark.live
async def test_pages_of_charts_need_no_script_and_keep_hostile_texts(
    daemon: Daemon, seen: Dashboard
) -> None:
    job = daemon.submit("sleep 600", name=HOSTILE, tasks=8, time_limit_s=1200.0)
    daemon.wait_for(job, "RUNNING")
    reserved = {"name": "later", "start_in_s": 7200.0, "duration_s": 600.0, "nodes": "ALL"}
    daemon.client.reserve(reserved | {"maintenance": True})
    course = reserved | {"name": "course", "start_in_s": 14400.0, "until_us": 1 << 52}
    daemon.client.reserve(course | {"groups": ["root"], "repeat": "weekly"})
    for name in ("gone", "gone-too", "gone-as-well"):
        daemon.client.reserve(
            reserved | {"name": name, "start_in_s": 0.0, "ignore_jobs": True, "maintenance": True}
        )
        daemon.client.unreserve(name)
    cookie = seen.enter()
    pages = {name: seen.get(path, Cookie=cookie) for name, path in PATHS.items()}
    for answer in pages.values():
        assert answer.status == 200
        assert "<img" not in answer.text
        assert "<script>document" not in answer.text
        assert "style=" not in answer.text  # the policy would refuse it
    assert f'<a href="/jobs/{job}">' in pages["gantt"].text
    assert "&lt;img src=x" in pages["gantt"].text
    assert "1 of 1 run," in pages["gantt"].text
    assert "5 of 5 reservations," in pages["gantt"].text
    assert "<td>over</td>" in pages["gantt"].text
    assert '<th scope="row" class="name">later</th>' in pages["gantt"].text
    assert "maintenance" in pages["cluster"].text
    assert "<td>weekly</td>" in pages["cluster"].text
    assert ">@root</td>" in pages["cluster"].text
    assert "8 of 8 processors in use" in pages["cluster"].text
    assert pages["series"].text.count('<rect class="value"') == 4 * COLUMNS
    odd = seen.get("/gantt?past=1000y&ahead=%3Cscript%3E", Cookie=cookie)
    assert (odd.status, "%3C" in odd.text) == (200, False)


def submit_a_day(daemon: Daemon) -> None:
    """Submit jobs of several users: of some hours that pass in seconds, then more that wait."""
    users = ("anna", "ben", "carla", "dora")

    def jobs(count: int, run_s: float) -> list[dict[str, Any]]:
        return [
            {
                "emulate": {"run_s": run_s * (1 + number % 5)},
                "user": users[number % 4],
                "name": ("align", "train", "post")[number % 3],
                "tasks": (1, 8, 2, 4, 32, 3, 16)[number % 7],
                "time_limit_s": run_s * 8,
            }
            for number in range(count)
        ]

    for job in daemon.client.submit(jobs(60, 900.0)):
        daemon.wait(job["job_id"])
    reserved = {
        "name": "upgrade",
        "start_in_s": 40000.0,
        "duration_s": 20000.0,
        "nodes": "e[01-06]",
    }
    daemon.client.reserve(reserved | {"maintenance": True})
    daemon.client.submit(jobs(24, 9000.0))
    daemon.client.drain("e24", "a fan is broken")


@pytest.mark.live
@pytest.mark.long  # waits for hours of a fast clock, and draws pages in a browser
async def test_pages_of_charts_fit_a_phone_and_have_names(
    start_daemon: Callable[..., Daemon], browser: int
) -> None:
    """The pages are kept as pictures for the documents if UI_PICTURES is set."""
    daemon = start_daemon("--no-local-node", "--emulate", "24x4", "--rate", "2000")
    submit_a_day(daemon)
    with dashboard_of(daemon) as seen:
        async with empty_page(browser) as page:
            await visit(page, seen.address)
            for name, path in PATHS.items():
                await visit(page, f"http://{seen.host}{path}", width=390)
                if name == "gantt":
                    await page.until(READY)
                assert await page.evaluate("document.documentElement.scrollWidth") <= 390
                assert await page.evaluate(
                    "[...document.querySelectorAll('a,button,input,select,canvas:not(.over),svg')]"
                    ".every((one) => one.innerText || one.labels?.[0]?.innerText || one.ariaLabel)"
                )
                for dark in (False, True):
                    await page.media(dark=dark)
                    await page.call("Emulation.setScrollbarsHidden", hidden=True)
                    await page.resize(1100, 720)
                    picture = await page.call("Page.captureScreenshot")
                    assert len(picture["data"]) > 1000
                    if os.environ.get("UI_PICTURES"):
                        file = PICTURES / f"ui-{name}-{'dark' if dark else 'light'}.png"
                        file.write_bytes(b64decode(picture["data"]))
            assert page.errors == []
