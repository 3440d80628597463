"""A running job on its page: its output as it comes, and what it uses."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest

from rmsd_ui.watching import PART
from tests.browser import empty_page
from tests.live import Daemon
from tests.ui.dashboards import HOSTILE, Dashboard, Session, visit
from tests.waiting import wait_until

pytestmark = pytest.mark.live

OUTPUT = "document.querySelector('details pre').innerText"
NOTE = "document.querySelector('details .note').innerText"


@pytest.mark.slow
async def test_output_is_followed_and_stays_text(
    daemon: Daemon, seen: Dashboard, browser: int
) -> None:
    go = daemon.work / "go"
    texts = daemon.work / "hostile"
    texts.write_text(f"{HOSTILE}\n</pre></details>ä\033[31mred\033[0m\n")
    job_id = daemon.submit(
        f"cat {texts}; cat {texts} >&2; while [ ! -e {go} ]; do sleep 0.1; done; echo the-end",
        stderr="apart.txt",
    )
    async with empty_page(browser) as page:
        await visit(page, seen.address)
        await visit(page, f"http://{seen.host}/jobs/{job_id}")
        await page.until(f"{OUTPUT}.includes('red')")
        assert f"{HOSTILE}\n</pre></details>äred\n" in await page.evaluate(OUTPUT)
        await page.until("document.querySelector('#use td')?.innerText == '1'")
        second = "document.querySelectorAll('details')[1]"
        assert await page.evaluate(f"{second}.querySelector('pre').innerText") == ""
        await page.evaluate(f"{second}.open = true")
        await page.until(f"{second}.querySelector('pre').innerText.includes('red')")
        go.touch()
        await page.until(f"{OUTPUT}.includes('the-end')")
        await page.until(f"{NOTE} == 'The job is over.'")
        await page.until("document.getElementById('use').hidden")
        assert page.errors == []


@pytest.mark.slow
async def test_a_second_attempt_begins_anew(daemon: Daemon, seen: Dashboard, browser: int) -> None:
    job_id = daemon.submit("echo attempt; sleep 600")
    async with empty_page(browser) as page:
        await visit(page, seen.address)
        await visit(page, f"http://{seen.host}/jobs/{job_id}")
        await page.until(f"{OUTPUT}.includes('attempt')")
        await page.evaluate("document.querySelector('pre').append('of-before')")
        daemon.client.change(job_id, "requeue")
        await page.until(f"{OUTPUT}.includes('attempt') && !{OUTPUT}.includes('of-before')")
        daemon.client.cancel(job_id)
        await page.until(f"{NOTE} == 'The job is over.'")


@pytest.mark.slow
async def test_a_long_output_is_bounded_on_the_page(
    daemon: Daemon, seen: Dashboard, browser: int
) -> None:
    job_id = daemon.submit(
        f"for i in 1 2 3 4 5 6 7 8 9 10; do head -c {3 << 20} /dev/zero | tr '\\0' x; echo; done;"
        "echo the-end; sleep 600"
    )
    async with empty_page(browser) as page:
        await visit(page, seen.address)
        await visit(page, f"http://{seen.host}/jobs/{job_id}")
        await page.until(f"{OUTPUT}.includes('the-end')")
        assert await page.evaluate(f"{OUTPUT}.length") <= 4 * PART


@pytest.mark.slow
def test_the_end_of_a_long_output_is_plain_text(daemon: Daemon, seen: Dashboard) -> None:
    session = Session(seen)
    job_id = daemon.submit("seq 400000; echo the-end")  # 2.7 MB
    daemon.wait(job_id)
    whole = Path(daemon.client.job(job_id)["stdout"]).read_text()
    answer = session.get(f"/jobs/{job_id}/output?stream=stdout")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.text == whole[-PART:]
    assert answer.headers["X-RMS-Offset"] == str(len(whole))
    part = session.get(f"/jobs/{job_id}/output?stream=stdout&offset=7&attempt=1")
    assert part.text == whole[7 : 7 + PART]


@pytest.mark.slow
@pytest.mark.parametrize(
    "query", ["stream=../x", "offset=-1", "offset=x", "attempt=%00", "offset=1e9", "stream=stdin"]
)
def test_odd_parts_are_refused(dashboard: Dashboard, query: str) -> None:
    assert Session(dashboard).get(f"/jobs/1/output?{query}").status == 400


@pytest.mark.slow
def test_what_is_not_there_is_told(cluster: Daemon, dashboard: Dashboard) -> None:
    session = Session(dashboard)
    job_id = cluster.emulate(0.0)
    cluster.wait(job_id)
    assert session.get("/jobs/4711/output").status == 404
    assert session.get("/jobs/4711/use").status == 404
    over = session.get(f"/jobs/{job_id}/use")
    assert over.status == 200
    assert "uses nothing now" in over.text


@pytest.mark.slow
def test_the_script_is_a_page(daemon: Daemon, seen: Dashboard) -> None:
    session = Session(seen)
    job_id = daemon.submit(f"\n# {HOSTILE}\n# </pre>\nexit 0")
    daemon.wait(job_id)
    page = session.get(f"/jobs/{job_id}/script").text
    shown = page.partition('dir="ltr">\n')[2].partition("</pre>")[0]
    assert unescape(shown) == f"#!/bin/sh\n\n# {HOSTILE}\n# </pre>\nexit 0\n"
    assert "<img" not in page
    assert session.get("/jobs/4711/script").status == 404
    timer = daemon.emulate(0.0)
    assert "has no script" in session.get(f"/jobs/{timer}/script").text


@pytest.mark.slow
def test_use_is_a_page_as_well(daemon: Daemon, seen: Dashboard) -> None:
    session = Session(seen)
    job_id = daemon.submit("sleep 600")
    daemon.wait_for(job_id, "RUNNING")
    page = wait_until(lambda: (got := session.get(f"/jobs/{job_id}/use")).status == 200 and got)
    assert "on 1 node<" in page.text
