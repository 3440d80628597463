"""Jobs that are over are told to URLs: real servers, real jobs, and kill -9."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from rmsd_client.errors import ApiError
from tests.live import Daemon, wait_until

pytestmark = pytest.mark.live


class Listener(ThreadingHTTPServer):
    """Answers POSTs with the statuses in `answers`, then with 204; `told` are the jobs it took."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[int] = []
        self.asked = 0
        self.told: list[dict[str, Any]] = []
        self.rude = threading.Event()  # set: hangs up without an answer
        self.url = f"http://127.0.0.1:{self.server_address[1]}/done?who=me"


class _Handler(BaseHTTPRequestHandler):
    server: Listener

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked += 1
        if self.server.rude.is_set():
            return
        status = self.server.answers.pop(0) if self.server.answers else 204
        if status == 204:
            told = json.loads(body)
            assert told["schema"] == "rmsd.job/1"
            self.server.told.append(told["job"] | {"path": self.path})
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def rows(daemon: Daemon) -> int:
    """How many notices the daemon has yet to deliver; it must be stopped."""
    with closing(sqlite3.connect(daemon.state / "rmsd.db")) as database:
        (count,) = database.execute("SELECT count(*) FROM notice").fetchone()
    return int(count)


def test_every_end_is_told(daemon: Daemon, listener: Listener) -> None:
    ends = {
        daemon.submit("exit 3", notify=listener.url): "FAILED",
        daemon.submit("sleep 60", notify=listener.url, time_limit_s=0.5): "TIMEOUT",
        daemon.emulate(0.01, notify=listener.url): "COMPLETED",
        daemon.submit("sleep 60", notify=listener.url): "CANCELLED",
    }
    silent = daemon.submit("true")
    daemon.client.cancel(list(ends)[-1])
    wait_until(lambda: len(listener.told) == 4)
    assert {job["job_id"]: job["state"] for job in listener.told} == ends
    for job in listener.told:
        assert job.pop("path") == "/done?who=me"
        assert job == daemon.client.job(job["job_id"])
    assert daemon.wait(silent)["notify"] == ""
    assert daemon.stop() == 0
    assert (rows(daemon), listener.asked) == (0, 4)


def test_a_failure_is_tried_again_and_a_redirect_is_one(daemon: Daemon, listener: Listener) -> None:
    listener.answers = [302]
    job_id = daemon.submit("true", notify=listener.url)
    wait_until(lambda: [job["job_id"] for job in listener.told] == [job_id])
    assert [job["path"] for job in listener.told] == ["/done?who=me"]
    assert listener.asked == 2


def test_it_is_told_after_a_restart(
    start_daemon: Callable[..., Daemon], listener: Listener
) -> None:
    daemon = start_daemon()
    listener.rude.set()
    job_id = daemon.submit("true", notify=listener.url)
    wait_until(lambda: listener.asked)
    assert daemon.wait(job_id)["state"] == "COMPLETED"  # nothing waits for that server
    daemon.kill()
    assert rows(daemon) == 1
    listener.rude.clear()
    daemon.start()
    wait_until(lambda: [job["job_id"] for job in listener.told] == [job_id])
    assert daemon.stop() == 0
    assert rows(daemon) == 0


def test_what_is_no_url_is_refused(daemon: Daemon) -> None:
    for url in ("mailto:a@b", "http://", "http://h:x/", "ftp://h/", "echo done"):
        with pytest.raises(ApiError, match=r"'notify' is .*; it must be a URL"):
            daemon.submit("true", notify=url)
