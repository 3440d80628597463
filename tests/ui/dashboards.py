"""A running `rmsd ui`, asked over HTTP and looked at in a browser, for tests."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from tests.browser import Page
from tests.commands import BIN
from tests.live import Daemon
from tests.waiting import DEADLINE_S, until

HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>\'"&'
AS_ANOTHER_ACCOUNT = """
import asyncio, concurrent.futures.thread, os, pwd, resource, sys
from encodings import ascii, idna, latin_1, unicode_escape
from rmsd_client.console import terminal
from rmsd_client.show import explain_text
from rmsd_client.submit import slurm_requests
from rmsd_ui.server import serve
account = pwd.getpwnam(sys.argv[2])
os.environ["HOME"] = "/nonexistent"
os.setgroups([])
os.setgid(account.pw_gid)
os.setuid(account.pw_uid)
try:
    asyncio.run(serve(sys.argv[1], 0, lambda address: print(address, flush=True)))
except KeyboardInterrupt:
    pass
"""
"""A dashboard of an account that may not run the interpreter of the tests."""
PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


class Answer(NamedTuple):
    """The answer to a request."""

    status: int
    headers: Message
    text: str


class Dashboard:
    """A running `rmsd ui`, with the address that it has printed. `command` stands for it."""

    def __init__(self, daemon: Daemon, *command: str) -> None:
        self.process = subprocess.Popen(
            command or [str(BIN / "rmsd"), "ui"],
            env=daemon.env,
            cwd=daemon.work,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        self.host, _, self.secret = self.address.removeprefix("http://").partition("/open/")

    def get(self, path: str, **headers: str) -> Answer:
        """Ask for a path without a cookie, unless `headers` have one. A page that says that it is
        late is asked for again, as a browser would."""
        deadline_s = time.monotonic() + DEADLINE_S
        while ' data-late="' in (answer := self.once(path, **headers)).text:
            assert time.monotonic() < deadline_s, answer.text
        return answer

    def once(self, path: str, **headers: str) -> Answer:
        """Ask for a path as `get` does, once."""
        connection = HTTPConnection(self.host, timeout=DEADLINE_S)
        with contextlib.closing(connection):
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read().decode())

    def post(self, path: str, fields: dict[str, str], **headers: str) -> Answer:
        """Send a form as a page of the dashboard does, but for the cookie and the token. An empty
        text takes a header away."""
        sent = {
            "Origin": f"http://{self.host}",
            "Content-Type": "application/x-www-form-urlencoded",
            **headers,
        }
        connection = HTTPConnection(self.host, timeout=DEADLINE_S)
        with contextlib.closing(connection):
            kept = {name: text for name, text in sent.items() if text}
            connection.request("POST", path, urlencode(fields), kept)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read().decode())

    def enter(self) -> str:
        """Return the cookie, as a browser would send it."""
        answer = self.get(f"/open/{self.secret}")
        assert (answer.status, answer.headers["Location"]) == (303, "/")
        given = answer.headers["Set-Cookie"]
        assert "HttpOnly" in given
        assert "SameSite=Strict" in given
        return given.partition(";")[0]

    def close(self) -> int:
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=DEADLINE_S)
        return self.process.returncode


class Session:
    """A caller who has opened the address: a cookie, and the token of the forms."""

    def __init__(self, dashboard: Dashboard) -> None:
        self.dashboard = dashboard
        self.cookie = dashboard.enter()
        self.token = hidden(self.get("/submit").text, "token")

    def get(self, path: str) -> Answer:
        return self.dashboard.get(path, Cookie=self.cookie)

    def post(self, path: str, **fields: str) -> Answer:
        return self.dashboard.post(path, {"token": self.token, **fields}, Cookie=self.cookie)

    def done(self, path: str, **fields: str) -> str:
        """Send a form that is carried out; return the page that it leads to."""
        answer = self.post(path, **fields)
        assert answer.status == 303, answer.text
        return self.get(answer.headers["Location"]).text


def hidden(page: str, name: str) -> str:
    """Return the value of a hidden field of a page."""
    found = re.search(f'name="{name}" value="([^"]+)"', page)
    assert found is not None
    return found[1]


@contextlib.contextmanager
def dashboard_of(daemon: Daemon, *command: str) -> Iterator[Dashboard]:
    made = Dashboard(daemon, *command)
    try:
        yield made
    finally:
        assert made.close() == 0


async def visit(page: Page, url: str, *, width: int = 1280, height: int = 800) -> None:
    for domain in ("Runtime", "Log", "Network", "Page"):
        await page.call(f"{domain}.enable")
    await page.resize(width, height)
    await page.call("Page.navigate", url=url)
    await page.until(
        "document.body?.dataset.followed && !('late' in document.getElementById('live').dataset)"
    )


async def until_true(page: Page, expression: str) -> None:
    """Wait until it is true of a page that may meet errors of the network meanwhile."""
    await until(lambda: page.evaluate(expression), expression)
