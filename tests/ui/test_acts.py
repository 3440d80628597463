"""Acts from the dashboard: what they do, whom they obey, and that no other site causes them."""

from __future__ import annotations

import os
import pwd
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape

import pytest

from tests.browser import empty_page
from tests.live import Daemon
from tests.ui.dashboards import (
    AS_ANOTHER_ACCOUNT,
    HOSTILE,
    Dashboard,
    Session,
    dashboard_of,
    hidden,
    visit,
)
from tests.waiting import wait_until

pytestmark = pytest.mark.live

ACTS = ("hold", "release", "requeue", "restart", "suspend", "resume", "cancel", "change")


@pytest.fixture
def session(dashboard: Dashboard) -> Session:
    """Return a session of a dashboard whose daemon other tests have as well."""
    return Session(dashboard)


@pytest.fixture
def acting(seen: Dashboard) -> Session:
    """Return a session of a dashboard whose daemon no other test has."""
    return Session(seen)


def buttons(page: str) -> list[str]:
    """Return the acts that the page of a job offers."""
    return re.findall(r'id="act-([a-z]+)"', page)


@pytest.mark.slow
def test_a_job_is_held_released_changed_and_cancelled(daemon: Daemon, acting: Session) -> None:
    daemon.submit("sleep 600", tasks=8)
    job_id = daemon.submit("sleep 600", tasks=8, name=HOSTILE)
    at = f"/jobs/{job_id}"
    assert buttons(acting.get(at).text) == ["hold"]
    page = acting.done(f"{at}/hold")
    assert "is held" in page
    assert buttons(page) == ["release"]
    assert daemon.client.job(job_id)["conditions"]["held_by"]
    assert "is released" in acting.done(f"{at}/release")
    assert daemon.client.job(job_id)["conditions"] is None
    acting.done(f"{at}/change", time="90m", comment=HOSTILE)
    changed = daemon.client.job(job_id)
    assert (changed["time_limit_s"], changed["comment"]) == (5400.0, HOSTILE)
    acting.done(f"{at}/change", time="+30m")
    assert daemon.client.job(job_id)["time_limit_s"] == 7200.0
    for asks in ("cancel", "change"):
        page = acting.get(f"{at}/{asks}").text
        assert "Leave it as it is" in page
        assert HOSTILE in unescape(page)
        assert "<img" not in page
    assert daemon.state_of(job_id) == "PENDING"
    assert "is cancelled" in acting.done(f"{at}/cancel")
    assert daemon.state_of(job_id) == "CANCELLED"


@pytest.mark.slow
def test_a_job_runs_again(daemon: Daemon, acting: Session) -> None:
    job_id = daemon.submit("sleep 600")
    daemon.wait_for(job_id, "RUNNING")
    assert buttons(acting.get(f"/jobs/{job_id}").text) == ["requeue", "hold", "suspend"]
    assert buttons(acting.done(f"/jobs/{job_id}/hold")) == ["requeue", "release", "suspend"]
    assert daemon.client.job(job_id)["requeue_hold"] == "user"
    acting.done(f"/jobs/{job_id}/release")
    acting.done(f"/jobs/{job_id}/requeue")
    wait_until(lambda: daemon.client.job(job_id)["attempt"] == 2, "a second attempt")
    daemon.client.cancel(job_id)
    daemon.wait(job_id)
    assert buttons(acting.get(f"/jobs/{job_id}").text) == ["restart"]
    acting.done(f"/jobs/{job_id}/restart")
    wait_until(lambda: daemon.client.job(job_id)["attempt"] == 3, "a third attempt")


@pytest.mark.slow
def test_a_node_is_drained_and_resumed(daemon: Daemon, acting: Session) -> None:
    assert 'href="/nodes/e1/drain"' in acting.get("/nodes").text
    refused = acting.post("/nodes/e1/drain", reason=" ")
    assert refused.status == 400
    assert "reason" in refused.text.partition('role="alert">')[2].partition("</p>")[0]
    page = acting.done("/nodes/e1/drain", reason=HOSTILE)
    assert HOSTILE in unescape(page)
    assert "<img" not in page
    [node] = [one for one in daemon.client.nodes() if one["name"] == "e1"]
    assert (node["is_drained"], node["reason"]) == (True, HOSTILE)
    assert "in use again" in acting.done("/nodes/e1/resume")
    assert not any(one["is_drained"] for one in daemon.client.nodes())


@pytest.mark.slow
def test_a_refusal_is_told_in_words(cluster: Daemon, session: Session) -> None:
    job_id = cluster.emulate(0.0)
    cluster.wait(job_id)
    for act, words in (("hold", "only a job that waits"), ("cancel", "already over")):
        answer = session.post(f"/jobs/{job_id}/{act}")
        assert answer.status == 409
        assert words in answer.text
        assert f'href="/jobs/{job_id}"' in answer.text
    answer = session.post(f"/jobs/{job_id}/change", time="soon", nice="3")
    assert answer.status == 400
    assert "is not a time" in answer.text
    assert 'value="3"' in answer.text  # the form keeps what was typed
    assert session.post(f"/jobs/{job_id}/change").status == 400
    assert session.post("/jobs/4711/cancel").status == 404
    assert session.get("/jobs/4711/cancel").status == 404


# ------------------------------------------------------------------ submit


@pytest.mark.slow
def test_a_doubled_click_submits_once(cluster: Daemon, session: Session) -> None:
    form = {
        "key": hidden(session.get("/submit").text, "key"),
        "script": "#!/bin/sh\r\n#RSUB --comment=mine --time=3h\r\nexit 0\r\n",
        "name": "doubled",
        "time": "1h",
        "mem": "64M",
        "workdir": str(cluster.work),
        "act": "submit",
    }
    with ThreadPoolExecutor() as clicks:
        answers = list(clicks.map(lambda _: session.post("/submit", **form), range(2)))
    places = {answer.headers["Location"].partition("?")[0] for answer in answers}
    [place] = places
    job = cluster.wait(int(place.removeprefix("/jobs/")))
    assert (job["state"], job["name"], job["workdir"]) == (
        "COMPLETED",
        "doubled",
        str(cluster.work),
    )
    assert (job["time_limit_s"], job["comment"], job["mem_mib"]) == (3600.0, "mine", 64)
    other = session.post("/submit", **{**form, "name": "another"})
    assert other.headers["Location"].partition("?")[0] not in places
    assert "is submitted" in session.get(other.headers["Location"]).text
    assert (
        "is submitted" not in session.get(other.headers["Location"]).text
    )  # a message is shown once


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("time", "soon", "is not a time"),
        ("mem", HOSTILE, "is not"),
        ("nodes", "0", "is not a number"),
        ("workdir", "here", "does not begin with"),
        ("name", "a\nb", "line"),
        ("script", "echo", "first line must start with #!"),
        ("script", "#!/bin/sh\n#RSUB --time=soon\n", "is not a time"),
        ("ntasks", "99", "can never be met"),
        ("partition", "nowhere", "nowhere"),
    ],
)
def test_an_error_stands_at_its_field_and_keeps_what_was_typed(
    session: Session, field: str, text: str, words: str
) -> None:
    form = {"script": f"#!/bin/sh\n# {HOSTILE}\n", "name": HOSTILE, "workdir": "/", field: text}
    answer = session.post("/submit", **form, act="submit")
    assert answer.status in (400, 422), answer.text
    at = "form" if field in ("ntasks", "partition") else field  # the daemon looks at them all
    problem = answer.text.partition(f'id="wrong-{at}"')[2].partition("</p>")[0]
    assert words in unescape(problem)
    assert "<img" not in answer.text
    for kept in form.values():
        assert kept in unescape(answer.text)


def test_a_test_tells_of_the_start_and_submits_nothing(cluster: Daemon, session: Session) -> None:
    before = len(cluster.client.jobs(states="all"))
    form = {"script": "#!/bin/sh\n", "workdir": "/", "ntasks": "2", "act": "test"}
    answer = session.post("/submit", **form)
    assert answer.status == 200
    told = answer.text.partition('id="tested"')[2].partition("</p>")[0]
    assert "Nothing was submitted." in told
    assert "and start at 20" in told
    assert "with 2 processors, in the partition main" in told
    held = session.post("/submit", **{**form, "script": "#!/bin/sh\n#RSUB --hold\n"})
    assert "would be held" in held.text
    assert len(cluster.client.jobs(states="all")) == before


# ------------------------------------------------------------------ attacks


@pytest.fixture(scope="module")
def victim(cluster: Daemon) -> Iterator[int]:
    """Submit a job that attacks would end, hold or change."""
    job_id = cluster.emulate(600.0, tasks=1)
    cluster.wait_for(job_id, "RUNNING")
    yield job_id
    cluster.client.cancel(job_id)


def _forms(job_id: int) -> dict[str, dict[str, str]]:
    """Return a form for each act that is to be refused."""
    forms: dict[str, dict[str, str]] = {f"/jobs/{job_id}/{act}": {"time": "1h"} for act in ACTS}
    forms["/nodes/e1/drain"] = {"reason": "attack"}
    forms["/nodes/e1/resume"] = {}
    forms["/submit"] = {"script": "#!/bin/sh\n", "workdir": "/", "act": "submit"}
    return forms


def _is_untouched(cluster: Daemon, job_id: int, jobs: int) -> bool:
    job = cluster.client.job(job_id)
    drained = any(one["is_drained"] for one in cluster.client.nodes())
    same = (job["state"], job["attempt"], job["changes"]) == ("RUNNING", 1, [])
    return same and not drained and len(cluster.client.jobs(states="all")) == jobs


@pytest.mark.slow
def test_a_form_without_the_token_does_nothing(
    cluster: Daemon, session: Session, victim: int
) -> None:
    jobs = len(cluster.client.jobs(states="all"))
    with dashboard_of(cluster) as other:
        others = Session(other).token
    for path, form in _forms(victim).items():
        for fields in (form, {**form, "token": others}, {**form, "token": "é"}):
            answer = session.dashboard.post(path, fields, Cookie=session.cookie)
            assert answer.status == 403, path
        assert session.dashboard.post(path, {**form, "token": session.token}).status == 403
    assert _is_untouched(cluster, victim, jobs)


@pytest.mark.slow
def test_a_form_of_another_site_does_nothing(
    cluster: Daemon, session: Session, victim: int
) -> None:
    jobs = len(cluster.client.jobs(states="all"))
    port = session.dashboard.host.partition(":")[2]
    for path, form in _forms(victim).items():
        fields = {**form, "token": session.token}
        for headers in (
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Origin": ""},
            {"Origin": "http://127.0.0.1:1"},
            {"Origin": f"http://localhost:{port}"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
            {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"},
        ):
            answer = session.dashboard.post(path, fields, Cookie=session.cookie, **headers)
            assert answer.status == 403, (path, headers)
    assert _is_untouched(cluster, victim, jobs)


@pytest.mark.slow
def test_no_address_acts(cluster: Daemon, session: Session, victim: int) -> None:
    """A link or a picture of another page makes a browser send a GET."""
    jobs = len(cluster.client.jobs(states="all"))
    for path, form in _forms(victim).items():
        query = "&".join(f"{name}=1" for name in form)
        answer = session.get(f"{path}?token={session.token}&{query}")
        assert answer.status in (200, 405), path
    assert _is_untouched(cluster, victim, jobs)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", ""])
def test_a_body_that_is_no_form_is_refused(session: Session, kind: str) -> None:
    answer = session.dashboard.post(
        "/submit", {"token": session.token}, Cookie=session.cookie, **{"Content-Type": kind}
    )
    assert answer.status == 415


def test_forms_are_bounded(session: Session) -> None:
    assert session.post("/submit", **{f"f{number}": "" for number in range(50)}).status == 400
    assert session.post("/submit", script="x" * (5 << 20)).status == 413


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_another_users_job_is_not_acted_on(daemon: Daemon) -> None:
    daemon.stop()
    daemon.root.chmod(0o755)
    public = daemon.root / "run" / "rmsd.sock"
    daemon.options = (*daemon.options, "--socket", str(public))
    daemon.start()
    job_id = daemon.submit("sleep 600")
    daemon.wait_for(job_id, "RUNNING")
    account = pwd.getpwnam("daemon").pw_name
    command = [sys.executable, "-c", AS_ANOTHER_ACCOUNT, str(public), account]
    with dashboard_of(daemon, *command) as dashboard:
        session = Session(dashboard)
        page = session.get("/nodes").text
        assert "daemon (user)" in page
        assert "drain" not in page
        for act in ACTS:
            answer = session.post(f"/jobs/{job_id}/{act}", time="1h")
            assert answer.status == 404, act
        for page in ("", "/output", "/use", "/script", "/cancel", "/change"):
            assert session.get(f"/jobs/{job_id}{page}").status == 404, page
        drained = session.post("/nodes/e1/drain", reason="mine")
        assert drained.status == 403
        assert "operator" in drained.text
        own = {"script": "#!/bin/sh\n#RSUB --hold\n", "workdir": "/", "act": "submit"}
        page = session.done("/submit", **own)
        assert buttons(page) == ["release"]
    assert daemon.state_of(job_id) == "RUNNING"
    assert daemon.client.job(job_id)["attempt"] == 1
    assert not any(one["is_drained"] for one in daemon.client.nodes())


# ------------------------------------------------------------------ in a browser


@pytest.mark.slow
async def test_a_person_submits_holds_and_cancels(
    daemon: Daemon, seen: Dashboard, browser: int
) -> None:
    """The page keeps what is typed where others are made anew, and each act tells of itself."""
    daemon.submit("sleep 600", tasks=8)
    async with empty_page(browser) as page:
        await visit(page, seen.address)
        await visit(page, f"http://{seen.host}/submit")
        await page.evaluate("document.getElementById('name').value = 'typed'")
        await page.call("Runtime.evaluate", expression="refresh()", awaitPromise=True)
        await page.evaluate(
            "document.getElementById('script').value += 'sleep 600';"
            "document.getElementById('ntasks').value = '8';"
            "document.querySelector('button[value=submit]').click()"
        )
        await page.until("document.getElementById('said')?.innerText.includes('is submitted')")
        assert "typed" in await page.evaluate("document.querySelector('h1').innerText")
        await page.until("!location.search")  # a reload does not ask for the message again
        at = await page.evaluate("location.pathname")
        job_id = int(at.removeprefix("/jobs/"))
        await page.evaluate("document.getElementById('act-hold').click()")
        await page.until("document.getElementById('act-release') != null")
        assert "is held" in await page.evaluate("document.getElementById('said').innerText")
        await page.evaluate("document.querySelector('a[href$=\"/cancel\"]').click()")
        await page.until("document.querySelector('button.grave') != null")
        await page.evaluate("document.querySelector('button.grave').click()")
        await page.until("document.querySelector('.state')?.innerText == 'CANCELLED'")
        assert daemon.state_of(job_id) == "CANCELLED"
        assert page.errors == []
