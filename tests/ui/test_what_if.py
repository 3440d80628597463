"""A what-if from the dashboard: its result, its bounds, and who may begin it."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import psutil
import pytest

from tests.browser import empty_page
from tests.commands import BIN
from tests.live import Daemon
from tests.ui.dashboards import (
    AS_ANOTHER_ACCOUNT,
    HOSTILE,
    Dashboard,
    Session,
    dashboard_of,
    visit,
)
from tests.waiting import wait_until

pytestmark = pytest.mark.live

SLOW = """
import asyncio, sys
from rmsd_ui import what_if
from rmsd_ui.server import serve
program = '''
import json, os, pathlib, sys, time
pathlib.Path("program.pid").write_text(str(os.getpid()))
print(json.dumps({"label": "simulating", "done": 40, "total": 100}), flush=True)
time.sleep(600)
'''
what_if._PROGRAM = (sys.executable, "-c", program)
what_if.MOST_S = float(sys.argv[2])
try:
    asyncio.run(serve(sys.argv[1], 0, lambda address: print(address, flush=True)))
except KeyboardInterrupt:
    pass
"""
"""A dashboard whose simulations do not end."""


@pytest.fixture
def session(seen: Dashboard) -> Session:
    return Session(seen)


@pytest.fixture
def slow(daemon: Daemon) -> Iterator[Session]:
    with dashboard_of(daemon, *_slow(daemon, 600.0)) as dashboard:
        yield Session(dashboard)


def _slow(daemon: Daemon, most_s: float) -> list[str]:
    socket = daemon.client.server.removeprefix("unix:")
    return [sys.executable, "-c", SLOW, socket, str(most_s)]


def _now(session: Session) -> str:
    """Return the page as it is now, though it says that more is to come."""
    return session.dashboard.once("/what-if", Cookie=session.cookie).text


def _program(daemon: Daemon) -> psutil.Process:
    """Return the process of a simulation that does not end."""
    pid = Path(daemon.work, "program.pid")
    wait_until(lambda: pid.exists() and pid.read_text() != "", "the program has begun")
    return psutil.Process(int(pid.read_text()))


def _over(process: psutil.Process) -> None:
    wait_until(lambda: not process.is_running(), "the program is gone")


@pytest.mark.slow
def test_the_result_is_that_of_the_command(daemon: Daemon, session: Session) -> None:
    daemon.submit("sleep 600", tasks=8)
    waits = daemon.submit("sleep 600", tasks=8, name=HOSTILE)
    fields = {"recipes": "fcfs easy", "since": "1d", "assume": "estimate"}
    page = session.done("/what-if", **fields)
    assert "<img" not in page
    shown = unescape(page)
    assert HOSTILE in shown
    command = ("what-if", "--recipe", "fcfs", "--recipe", "easy", "--since", "1d")
    told = subprocess.run(
        [str(BIN / "rmsd"), *command, "--assume", "estimate"],
        env=daemon.env,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for words in ("in force: ", "assumed: ", "2 jobs submitted since ", "1 runs and 1 waits"):
        [line] = [one for one in told if one.startswith(words)]
        assert (line if words != "2 jobs submitted since " else "2 jobs submitted") in shown
    for words in ("happened", "mean wait", "bounded slowdown", "utilization", "WAITED", "fcfs"):
        assert words in shown
        assert any(words in line for line in told)
    assert f'<th scope="row">{waits}</th>' in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"recipes": ""}, "Name a recipe"),
        ({"recipes": "a b c d e"}, "at most 4"),
        ({"recipes": "x" * 300}, "at most 200 characters"),
        ({"recipes": "easy", "since": "9" * 300}, "at most 200 characters"),
        ({"recipes": "easy", "assume": "--server=x"}, "as their users said"),
    ],
)
def test_wrong_fields_begin_nothing(session: Session, fields: dict[str, str], words: str) -> None:
    answer = session.post("/what-if", **{"assume": "prediction", **fields})
    assert answer.status == 400
    assert words in answer.text
    assert "No result" not in session.get("/what-if").text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("recipes", "since", "words"),
    [
        (HOSTILE.replace(" ", ""), "1d", "onerror"),
        ("--server=unix:/elsewhere", "1d", "--server=unix:/elsewhere"),
        ("easy", "--help", "--help"),
        ("easy easy", "1d", "given twice"),
    ],
)
def test_what_the_command_refuses_is_told_in_its_words(
    session: Session, recipes: str, since: str, words: str
) -> None:
    page = session.done("/what-if", recipes=recipes, since=since, assume="prediction")
    assert "No result" in page
    assert words in unescape(page)
    assert "<img" not in page


@pytest.mark.slow
def test_one_runs_at_a_time_until_it_is_stopped(daemon: Daemon, slow: Session) -> None:
    fields = {"recipes": "easy", "since": "1d", "assume": "prediction"}
    assert slow.post("/what-if", **fields).status == 303
    process = _program(daemon)
    wait_until(lambda: "40 of 100 jobs simulated" in _now(slow), "its progress is shown")
    again = slow.post("/what-if", recipes="fcfs", since="2d", assume="prediction")
    assert again.status == 409
    assert "wait for its result, or stop it" in again.text
    assert 'value="fcfs"' in again.text
    assert process.is_running()
    page = slow.done("/what-if/stop")
    assert "It was stopped." in page
    _over(process)
    assert "No simulation is running." in slow.done("/what-if/stop")


@pytest.mark.slow
def test_it_ends_with_the_dashboard_and_after_its_time(daemon: Daemon) -> None:
    fields = {"recipes": "easy", "since": "", "assume": "prediction"}
    with dashboard_of(daemon, *_slow(daemon, 600.0)) as dashboard:
        assert Session(dashboard).post("/what-if", **fields).status == 303
        process = _program(daemon)
    _over(process)
    Path(daemon.work, "program.pid").unlink()
    with dashboard_of(daemon, *_slow(daemon, 0.5)) as dashboard:
        session = Session(dashboard)
        assert session.post("/what-if", **fields).status == 303
        assert "takes more than" in session.get("/what-if").text


@pytest.mark.slow
def test_no_other_site_and_no_address_begins_or_stops_one(daemon: Daemon, slow: Session) -> None:
    fields = {"recipes": "easy", "since": "1d", "assume": "prediction"}
    own, dashboard = {**fields, "token": slow.token}, slow.dashboard
    pid = Path(daemon.work, "program.pid")
    for path in ("/what-if", "/what-if/stop"):
        assert dashboard.post(path, own).status == 403
        assert dashboard.post(path, fields, Cookie=slow.cookie).status == 403
        wrong = {**fields, "token": "x"}
        assert dashboard.post(path, wrong, Cookie=slow.cookie).status == 403
        for headers in ({"Origin": "http://evil.example"}, {"Origin": ""}, {"Origin": "null"}):
            assert dashboard.post(path, own, Cookie=slow.cookie, **headers).status == 403
        assert (
            dashboard.post(path, own, Cookie=slow.cookie, **{"Sec-Fetch-Site": "cross-site"}).status
            == 403
        )
    slow.get(f"/what-if?recipes=easy&token={slow.token}")
    assert slow.get(f"/what-if/stop?token={slow.token}").status == 405
    assert not pid.exists()
    assert slow.post("/what-if", **fields).status == 303
    process = _program(daemon)
    assert dashboard.post("/what-if/stop", {}, Cookie=slow.cookie).status == 403
    assert process.is_running()


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_it_has_the_rights_of_the_caller(daemon: Daemon) -> None:
    """The history of others is not for a user; the program may not even be there to read."""
    daemon.stop()
    daemon.root.chmod(0o755)
    public = daemon.root / "run" / "rmsd.sock"
    daemon.options = (*daemon.options, "--socket", str(public))
    daemon.start()
    daemon.submit("true", name="secret")
    account = pwd.getpwnam("daemon").pw_name
    with dashboard_of(daemon, sys.executable, "-c", AS_ANOTHER_ACCOUNT, str(public), account) as ui:
        session = Session(ui)
        page = session.done("/what-if", recipes="easy", since="1d", assume="prediction")
        assert "No result" in page
        assert "secret" not in page


@pytest.mark.slow
async def test_a_person_tries_a_recipe(daemon: Daemon, seen: Dashboard, browser: int) -> None:
    """The page shows the result by itself, and keeps what is typed meanwhile."""
    daemon.submit("sleep 600", tasks=8)
    daemon.submit("sleep 600", tasks=8, name=HOSTILE)
    async with empty_page(browser) as page:
        await visit(page, seen.address)
        await visit(page, f"http://{seen.host}/what-if")
        await page.evaluate(
            "document.getElementById('recipes').value = 'fcfs';"
            "document.getElementById('act-simulate').click()"
        )
        await page.until("document.querySelector('main table th')?.innerText != null")
        titles = "[...document.querySelectorAll('main thead th')].map((one) => one.innerText)"
        assert "happened" in await page.evaluate(titles)
        assert "fcfs" in await page.evaluate(titles)
        assert await page.evaluate("document.querySelector('main img') == null")
        assert await page.evaluate("document.getElementById('recipes').value") == "fcfs"
        assert page.errors == []
