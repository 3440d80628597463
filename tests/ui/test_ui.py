"""`rmsd ui` in a real browser and under attack: what pages show, follow and refuse."""

from __future__ import annotations

import contextlib
import os
import pwd
import socket

import pytest

from rmsd_ui.doorkeeper import MOST_OF_OTHERS
from rmsd_ui.peers import owner_of
from tests.browser import empty_page
from tests.live import Daemon
from tests.ui.dashboards import HOSTILE, PICTURES, Dashboard, until_true, visit
from tests.waiting import DEADLINE_S

pytestmark = pytest.mark.live


PICTURED = ("jobs", "job", "nodes", "submit")
"""The pages of which the documents have pictures."""


@pytest.mark.slow
def test_the_address_opens_once(dashboard: Dashboard) -> None:
    cookie = dashboard.enter()
    again = dashboard.get(f"/open/{dashboard.secret}")
    assert again.status == 403
    assert "Set-Cookie" not in again.headers
    assert dashboard.get("/", Cookie=cookie).status == 200
    assert "<td>gpu:a 0/2</td>" in dashboard.get("/nodes", Cookie=cookie).text


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/", "/nodes", "/jobs/1", "/events", "/static/ui.js", "/open/x"])
def test_without_the_cookie_nothing_is_shown(dashboard: Dashboard, path: str) -> None:
    assert dashboard.get(path).status == 403
    name = dashboard.enter().partition("=")[0]
    assert dashboard.get(path, Cookie=f"{name}=guessed").status == 403


def test_other_names_and_other_sites_are_refused(dashboard: Dashboard) -> None:
    port = dashboard.host.partition(":")[2]
    assert dashboard.get(f"/open/{dashboard.secret}", Host=f"evil.example:{port}").status == 403
    cookie = dashboard.enter()
    for headers in (
        {"Host": f"evil.example:{port}"},
        {"Host": "127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        assert dashboard.get("/", Cookie=cookie, **headers).status == 403
    assert dashboard.get("/", Cookie=cookie, **{"Sec-Fetch-Site": "same-origin"}).status == 200


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_the_cookie_opens_for_the_account_alone_that_has_it(dashboard: Dashboard) -> None:
    """A browser sends its cookies to all ports of the loopback, also to those of other accounts."""
    cookie = dashboard.enter()
    os.seteuid(pwd.getpwnam("daemon").pw_uid)
    try:
        stolen = dashboard.get("/", Cookie=cookie)
    finally:
        os.seteuid(0)
    assert stolen.status == 403
    assert "another account" in stolen.text.lower()
    assert dashboard.get("/", Cookie=cookie).status == 200


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_connections_of_another_account_leave_room_for_those_of_its_own(
    dashboard: Dashboard,
) -> None:
    """Another account had all descriptors of the dashboard with a thousand idle connections, which
    then wrote an error for each round of its loop: megabytes in some seconds."""
    dashboard.enter()
    port = int(dashboard.host.partition(":")[2])

    def idle(count: int) -> list[socket.socket]:
        return [
            open_ones.enter_context(socket.create_connection(("127.0.0.1", port), DEADLINE_S))
            for _ in range(count)
        ]

    def answered(sock: socket.socket) -> bytes:
        with contextlib.suppress(ConnectionError):
            sock.sendall(f"GET / HTTP/1.1\r\nHost: {dashboard.host}\r\n\r\n".encode())
            return sock.recv(12)
        return b""

    with contextlib.ExitStack() as open_ones:
        own = idle(2 * MOST_OF_OTHERS)
        os.seteuid(pwd.getpwnam("daemon").pw_uid)
        try:
            of_others = idle(3 * MOST_OF_OTHERS)
        finally:
            os.seteuid(0)
        refused = b"HTTP/1.1 403"
        assert answered(of_others.pop()) == refused  # the ones before have arrived as well
        found = [answered(one) for one in of_others]
        assert found == [b""] * 2 * MOST_OF_OTHERS + [refused] * (MOST_OF_OTHERS - 1)
        assert [answered(one) for one in own] == [refused] * len(own)


def test_the_owner_of_a_socket_is_told_until_it_is_closed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")):
            client = socket.socket(family)
            client.connect((host, server.getsockname()[1]))
            peer, theirs = server.accept()
            with peer:
                assert owner_of(theirs, peer.getsockname()) == os.geteuid()
                assert owner_of(peer.getsockname(), theirs) == os.geteuid()
                assert owner_of(theirs, ("127.0.0.1", 1)) is None
                client.close()
                assert owner_of(theirs, peer.getsockname()) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "odd", [b"GET /open/\xff", b"GET /open/%FF", b"GET /", b"GET /jobs/\xff", b"\xff"]
)
def test_bytes_that_are_no_text_are_refused(dashboard: Dashboard, odd: bytes) -> None:
    """Such bytes ended requests in tracebacks, before the cookie was looked at."""
    port = int(dashboard.host.partition(":")[2])
    head = f"Host: {dashboard.host}\r\nConnection: close\r\n".encode()
    cookie = f"Cookie: rmsd_ui_{port}=".encode() + b"\xff\xed\xa0\x80\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), DEADLINE_S) as sock:
        sock.sendall(odd + b" HTTP/1.1\r\n" + head + cookie)
        answer = sock.makefile("rb").read()
    assert answer.split()[1] in (b"403", b"400")


@pytest.mark.slow
def test_no_answer_may_be_framed_kept_or_run_foreign_scripts(dashboard: Dashboard) -> None:
    cookie = dashboard.enter()
    for path in ("/", "/nodes", "/jobs/99", "/nowhere", "/static/ui.css", "/open/x"):
        headers = dashboard.get(path, Cookie=cookie).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", ["/jobs/..%2f..%2fv1%2fstatus", "/static/..%2fpages.py", "/static/ui.py", "/jobs/x"]
)
def test_a_path_leads_nowhere_else(dashboard: Dashboard, path: str) -> None:
    assert dashboard.get(path, Cookie=dashboard.enter()).status == 404


@pytest.mark.slow
def test_a_filter_is_passed_on_as_a_value(cluster: Daemon, dashboard: Dashboard) -> None:
    cluster.wait(cluster.emulate(0.0, name="one"))
    cluster.wait(cluster.emulate(0.0, name="two"))
    cookie = dashboard.enter()

    def shown(query: str) -> str:
        return dashboard.get(f"/?{query}", Cookie=cookie).text

    assert "1 job, the" in (page := shown("states=all&name=one"))
    assert ">one<" in page
    assert ">two<" not in page
    assert "No job is like that." in shown("states=all&name=one%26limit%3D1")
    refused = dashboard.get("/?before=x", Cookie=cookie)
    assert refused.status == 400
    assert "before" in refused.text


@pytest.mark.slow
async def test_a_job_is_followed_and_hostile_texts_stay_texts(
    daemon: Daemon, seen: Dashboard, browser: int
) -> None:
    async with empty_page(browser) as page:
        await visit(page, seen.address)
        assert await page.evaluate("document.title") == "Jobs - rmsd"
        job_id = daemon.submit("sleep 600", name=HOSTILE, comment=HOSTILE, tasks=8)
        waits = daemon.submit("true", name="waits", tasks=8)
        row = f"document.querySelector('a[href=\"/jobs/{job_id}\"]')?.closest('tr')"
        await page.until(f"{row}?.innerText.includes('RUNNING')")
        assert await page.evaluate(f"{row}.querySelector('.name').innerText") == HOSTILE
        cells = await page.evaluate(f"[...{row}.cells].map(cell => cell.innerText)")
        assert (cells[4], cells[6]) == ("", "UNLIMITED")  # no reason, and no limit
        await visit(page, f"http://{seen.host}/jobs/{waits}")
        assert "Resources" in await page.evaluate("document.body.innerText")
        await visit(page, f"http://{seen.host}/jobs/{job_id}")
        text = await page.evaluate("document.body.innerText")
        assert text.count(HOSTILE) >= 2  # the name and the comment
        daemon.client.cancel(job_id)
        await page.until("document.querySelector('.state').innerText == 'CANCELLED'")
        assert await page.evaluate("document.title") == f"Job {job_id} - rmsd"
        assert page.errors == []
        assert all(url.startswith(f"http://{seen.host}/") for url in page.requests)


@pytest.mark.long  # restarts a daemon under a browser, which computes for 5 s
async def test_a_page_goes_on_after_a_restart_of_the_daemon(
    daemon: Daemon, seen: Dashboard, browser: int
) -> None:
    async with empty_page(browser) as page:
        await visit(page, seen.address)
        daemon.stop()
        told = "document.getElementById('link').innerText"
        await until_true(page, f"{told}.includes('does not answer')")
        daemon.start()
        daemon.submit("sleep 600", name="stays", tasks=8)
        await until_true(page, "document.getElementById('live').innerText.includes('stays')")
        await until_true(page, f"{told} === ''")  # the stream is asked for again after a pause


@pytest.mark.long  # lays out seven pages in a browser, in two sizes and two schemes
async def test_pages_fit_a_phone_and_have_names(
    daemon: Daemon, seen: Dashboard, browser: int
) -> None:
    """The pages are kept as pictures for the documents if UI_PICTURES is set."""
    for number, tasks in enumerate((2, 4, 8, 1, 8)):
        daemon.submit("sleep 600", name=f"sweep-{number}", tasks=tasks, time_limit_s=7200.0)
    paths = {
        "jobs": "/",
        "job": "/jobs/3",
        "nodes": "/nodes",
        "submit": "/submit",
        "cancel": "/jobs/3/cancel",
        "change": "/jobs/3/change",
        "drain": "/nodes/e1/drain",
    }
    async with empty_page(browser) as page:
        await visit(page, seen.address)
        for name, path in paths.items():
            await visit(page, f"http://{seen.host}{path}", width=390)
            assert await page.evaluate("document.documentElement.scrollWidth") <= 390
            assert await page.evaluate(
                "[...document.querySelectorAll('a,button,input,select,textarea')].every((one) =>"
                " one.type == 'hidden' || one.innerText || one.labels?.[0]?.innerText)"
            )
            for dark in (False, True):
                await page.media(dark=dark)
                await page.resize(1100, 560)
                picture = await page.screenshot()
                assert len(picture) > 1000
                if os.environ.get("UI_PICTURES") and name in PICTURED:
                    scheme = "dark" if dark else "light"
                    (PICTURES / f"ui-{name}-{scheme}.png").write_bytes(picture)
        assert page.errors == []
