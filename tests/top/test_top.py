"""`rmsd top` under Textual's pilot, against a real daemon."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from rmsd_client.api import Client
from rmsd_client.show.news import LinkState
from rmsd_top.app import TopApp
from rmsd_top.loops import call_in
from rmsd_top.screens import NodesScreen, Question, TextScreen
from tests.live import Daemon
from tests.waiting import until

pytestmark = pytest.mark.live

HOSTILE = "[bold red]x[/] [@click=app.quit]y[/]"
WIDE = (160, 40)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Daemon]:
    daemon = Daemon("--cores", "2")
    try:
        yield daemon.start()
    finally:
        daemon.close()


@pytest.fixture(autouse=True)
def no_job_is_left(cluster: Daemon) -> Iterator[None]:
    yield
    live = [job["job_id"] for job in cluster.client.jobs()]
    if live:
        cluster.client.cancel_all(live)
        for job_id in live:
            cluster.wait(job_id)


@asynccontextmanager
async def opened(
    daemon: Daemon, size: tuple[int, int] = WIDE, **options: bool
) -> AsyncIterator[tuple[TopApp, Pilot[None]]]:
    """Yield the running application, once it hears of what changes."""
    app = TopApp(lambda: Client(daemon.client.server, retry_for_s=0.0), **options)
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(lambda: app.link is LinkState.LIVE)
        yield app, pilot


def text_of(app: TopApp, selector: str) -> str:
    """Return the text of a part of the screen; "" while it is not there."""
    return " ".join(str(one.render()) for one in app.screen.query(selector).results(Static))


def rows(app: TopApp) -> list[str]:
    """Return the lines of the table, cells divided by bars."""
    return [
        "|".join(cell.plain for cell in app.table.get_row_at(line))
        for line in range(app.table.row_count)
    ]


def names(app: TopApp) -> list[str]:
    return [line.split("|")[1] for line in rows(app)]


@pytest.mark.slow
async def test_the_queue_and_the_live_output_of_a_job_are_side_by_side(
    cluster: Daemon,
) -> None:
    async with opened(cluster) as (app, pilot):
        await until(lambda: "no such jobs" in text_of(app, "#job"))
        one = cluster.submit(
            "echo first; while [ ! -e go ]; do sleep 0.1; done; echo second", name="one"
        )
        two = cluster.submit("echo other; exec sleep 600", name="two")
        waits = cluster.submit("true", name="behind", tasks=2)
        await until(lambda: len(rows(app)) == 3 and " ".join(rows(app)).count("|R|") == 2)
        assert [line.split("|")[0] for line in rows(app)] == [str(two), str(one), str(waits)]
        await until(lambda: "2 running, 1 waiting" in text_of(app, "#status"))
        await until(lambda: app.table.job is not None)
        await pilot.press("home")
        await until(lambda: "other" in app.output.text)
        await pilot.press("down")
        await until(lambda: app.output.text.strip() == "first")
        await until(lambda: f"{one} one of " in text_of(app, "#job"))
        (cluster.work / "go").touch()
        await until(lambda: "second" in app.output.text)
        await until(lambda: "one" not in names(app))
        await until(lambda: "COMPLETED" in text_of(app, "#job"))
        assert "second" in app.output.text
        await pilot.press("home")
        await until(lambda: "other" in app.output.text)


@pytest.mark.slow
async def test_a_job_is_explained_held_released_and_cancelled_after_a_question(
    cluster: Daemon,
) -> None:
    first = cluster.submit("exec sleep 600", name="first", tasks=2)
    cluster.wait_for(first, "RUNNING")
    job_id = cluster.submit("exec sleep 600", name="behind")
    async with opened(cluster) as (app, pilot):
        await until(lambda: len(rows(app)) == 2)
        await pilot.press("end", "e")
        await until(lambda: isinstance(app.screen, TextScreen))
        await until(lambda: f"{first} first" in text_of(app, "#text"))
        await pilot.press("escape", "h")
        await until(lambda: "JobHeldUser" in rows(app)[1])
        await pilot.press("r")
        await until(lambda: "JobHeldUser" not in rows(app)[1])
        await pilot.press("c")
        await until(lambda: isinstance(app.screen, Question))
        await until(lambda: f"Cancel job {job_id} behind of " in text_of(app, "#question"))
        await pilot.press("enter", "n")
        assert not isinstance(app.screen, Question)
        assert cluster.state_of(job_id) == "PENDING"
        await pilot.press("c")
        await until(lambda: isinstance(app.screen, Question))
        await pilot.press("y")
        await until(lambda: len(rows(app)) == 1)
        assert cluster.state_of(job_id) == "CANCELLED"
        await pilot.press("h")  # a job that runs is held once it waits again
        await until(lambda: cluster.client.job(first)["requeue_hold"] == "user")


@pytest.mark.slow
async def test_the_view_is_filtered_sorted_and_searched(cluster: Daemon) -> None:
    big = cluster.submit("exec sleep 600", name="big", tasks=2)
    cluster.wait_for(big, "RUNNING")
    small = cluster.submit("true", name="small")
    async with opened(cluster) as (app, pilot):
        await until(lambda: len(rows(app)) == 2)
        await pilot.press("s")
        await until(lambda: names(app) == ["small"])
        await pilot.press("s")
        await until(lambda: names(app) == ["big"])
        await pilot.press("s", "o", "o")
        await until(lambda: {"big", "small"} <= set(names(app)))
        await until(lambda: names(app) == sorted(names(app)))
        await until(lambda: "all, everybody's, by name" in text_of(app, "#status"))
        await pilot.press("a")
        await until(lambda: "mine" in text_of(app, "#status"))
        await pilot.press("slash")
        await until(lambda: bool(app.screen.query(Input)))
        app.screen.query_one(Input).value = "colour:red"
        await pilot.press("enter")
        await until(lambda: "'colour:' is not known" in text_of(app, "#wrong"))
        app.screen.query_one(Input).value = str(small)
        await pilot.press("enter")
        await until(lambda: [one.split("|")[0] for one in rows(app)] == [str(small)])


@pytest.mark.slow
async def test_a_long_queue_is_read_page_by_page(daemon: Daemon) -> None:
    specs = [{"script": "#!/bin/sh\n", "workdir": "/tmp", "conditions": {"hold": True}}]
    daemon.client.submit(specs * 450)
    async with opened(daemon) as (app, pilot):
        await until(lambda: len(rows(app)) == 100)
        assert rows(app)[0].startswith("450|")
        seen = ["450"]
        for first in ("350", "250", "150", "50"):
            await pilot.press("greater_than_sign")
            await until(lambda first=first: rows(app)[0].startswith(f"{first}|"))
            seen.append(first)
        assert len(rows(app)) == 50
        await pilot.press("greater_than_sign")
        await until(lambda: "page 5" in text_of(app, "#status"))
        await pilot.press("less_than_sign")
        await until(lambda: rows(app)[0].startswith("150|"))


@pytest.mark.slow
async def test_hostile_names_and_outputs_reach_no_terminal(cluster: Daemon) -> None:
    cluster.submit(
        f"echo '{HOSTILE}'; printf 'a\\033]0;title\\007\\033[2Jb\\010\\033'; sleep 1;"
        "printf '[31mc\\rd\\nend \\342\\200\\256\\n'; exec sleep 600",
        name=HOSTILE,
    )
    async with opened(cluster) as (app, pilot):
        await until(lambda: "end" in app.output.text)
        assert app.output.text.splitlines() == [HOSTILE, "ab?c", "d", "end ?"]
        assert rows(app)[0].split("|")[1] == f"{HOSTILE[:19]}+"
        await until(lambda: HOSTILE in text_of(app, "#job"))
        await pilot.press("c")
        await until(lambda: isinstance(app.screen, Question))
        await until(lambda: HOSTILE in text_of(app, "#question"))
        await pilot.press("n", "e")
        await until(lambda: isinstance(app.screen, TextScreen))
        await until(lambda: HOSTILE in text_of(app, "#text"))


@pytest.mark.slow
async def test_a_restart_of_the_daemon_is_told_and_survived(daemon: Daemon) -> None:
    job_id = daemon.submit("echo begun; exec sleep 600")
    async with opened(daemon) as (app, _):
        await until(lambda: "begun" in app.output.text)
        daemon.stop()
        await until(lambda: "NO NEWS, trying again" in text_of(app, "#status"))
        assert rows(app)[0].startswith(f"{job_id}|")
        await asyncio.to_thread(daemon.start)
        await until(lambda: "NO NEWS" not in text_of(app, "#status"))
        daemon.submit("true", name="later", conditions={"hold": True})
        await until(lambda: len(rows(app)) == 2)


async def test_a_job_that_is_chosen_while_the_app_ends_is_not_followed(cluster: Daemon) -> None:
    job_id = cluster.submit("echo told; exec sleep 600")
    async with opened(cluster) as (app, _):
        await until(lambda: "told" in app.output.text)
    app.output.follow(str(job_id), "stdout")
    await until(lambda: not [one for one in threading.enumerate() if one.name.startswith("output")])


def test_a_call_into_a_loop_that_has_ended_is_left_out() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    assert not call_in(loop, print)


def test_without_a_terminal_it_says_what_else_to_use(cluster: Daemon) -> None:
    told = cluster.run("rmsd", "top", expect=2)
    assert "this needs a terminal; `rstat` lists the queue" in told.stderr


async def test_nodes_and_help_are_shown(cluster: Daemon) -> None:
    async with opened(cluster, size=(80, 24)) as (app, pilot):
        await pilot.press("n")
        await until(lambda: isinstance(app.screen, NodesScreen))
        await until(lambda: "Nodes: 1" in text_of(app, "#nodes-title"))
        await pilot.press("escape", "question_mark")
        await until(lambda: isinstance(app.screen, TextScreen))
        await until(lambda: "cancel it, after a question" in text_of(app, "#text"))


async def test_without_colours_none_are_written(
    cluster: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    cluster.submit("exec sleep 600")
    async with opened(cluster) as (app, _):
        await until(lambda: len(rows(app)) == 1)
        picture = app.export_screenshot()
    colours = {colour.lower() for colour in re.findall(r"\.\S+-r\d+ \{ fill: (#\w+)", picture)}
    assert len(colours) <= 2  # the terminal's own text and background
