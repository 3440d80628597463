"""Jobs that are over are told to URLs: real servers, real jobs, and kill -9.

Long: daemons and listeners are started, and deliveries waited for.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sqlite3
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rmsd_cli import certificates
from rmsd_client.errors import ApiError
from rmsd_daemon.domain.notify import OVER
from rmsd_daemon.domain.troubles import Troubles
from rmsd_daemon.domain.undelivered import Undelivered
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.notices import notify
from rmsd_daemon.notices.notify import Notifier
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.store.store import Notice
from tests.daemon.silent_names import silence
from tests.key_updates import Records, recorded
from tests.live import Daemon
from tests.tcp import Tcp
from tests.waiting import DEADLINE_S, wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]


class Listener(ThreadingHTTPServer):
    """Answers POSTs with the statuses in `answers`, then with 204; `told` are the jobs it took. An
    answer 200 has a body without end. Each answer sets a cookie; `cookies` are those that came."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[int] = []
        self.asked = 0
        self.told: list[dict[str, Any]] = []
        self.cookies: list[str] = []
        self.rude = threading.Event()  # set: hangs up without an answer
        self.url = f"http://127.0.0.1:{self.server_address[1]}/done?who=me"


class _Handler(BaseHTTPRequestHandler):
    server: Listener

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked += 1
        self.server.cookies += self.headers.get_all("Cookie", [])
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
        self.send_header("Set-Cookie", "whose=theirs")
        self.end_headers()
        if status == 200:
            with suppress(ConnectionError):
                while True:
                    self.wfile.write(bytes(1 << 16))

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def rows(daemon: Daemon) -> int:
    """Return how many notices the daemon has yet to deliver."""
    with closing(sqlite3.connect(daemon.state / "rmsd.db", DEADLINE_S)) as database:
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
    wait_until(lambda: rows(daemon) == 0)  # the daemon hears a little later that a notice was taken
    assert daemon.stop() == 0
    assert (rows(daemon), listener.asked) == (0, 4)


def test_a_failure_is_tried_again_and_a_redirect_is_one(daemon: Daemon, listener: Listener) -> None:
    listener.answers = [302]
    job_id = daemon.submit("true", notify=listener.url)
    wait_until(lambda: [job["job_id"] for job in listener.told] == [job_id])
    assert [job["path"] for job in listener.told] == ["/done?who=me"]
    assert listener.asked == 2


def test_no_cookie_of_an_answer_is_sent_with_another_notice(
    daemon: Daemon, listener: Listener
) -> None:
    url = listener.url.replace("127.0.0.1", "localhost")  # cookies go by name
    for count in (1, 2):
        daemon.emulate(0.01, notify=url)
        wait_until(lambda count=count: len(listener.told) == count)
    assert listener.cookies == []


def test_an_answer_without_end_is_not_read(daemon: Daemon, listener: Listener) -> None:
    listener.answers = [200]
    daemon.emulate(0.01, notify=listener.url)
    wait_until(lambda: listener.asked and not rows(daemon))
    assert listener.asked == 1


def test_a_server_that_sends_key_updates_without_end_is_not_heard(
    start_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    """Such a server kept the daemon's processor for as long as a delivery may take."""
    certificates.make(tmp_path, ["localhost"])
    context = recorded(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), tmp_path / "keys")
    context.num_tickets = 0
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    daemon = start_daemon("--no-local-node", "--emulate", "1x1", begin=False)
    daemon.env["SSL_CERT_FILE"] = str(tmp_path / "ca.pem")
    daemon.start()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        daemon.emulate(0.0, notify=f"https://localhost:{listening.getsockname()[1]}/")
        plain, _ = listening.accept()
        with context.wrap_socket(plain, server_side=True) as sock:
            assert sock.recv(4).startswith(b"POST")
            os.write(sock.fileno(), Records(tmp_path / "keys", "SERVER").key_updates(1000))
            wait_until(lambda: "notice-failed" in daemon.log.read_text())
    assert "no answer within" not in daemon.log.read_text()


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
    wait_until(lambda: rows(daemon) == 0)
    assert daemon.stop() == 0
    assert rows(daemon) == 0


def test_what_is_no_url_is_refused(daemon: Daemon) -> None:
    for url in ("mailto:a@b", "http://", "http://h:x/", "ftp://h/"):
        with pytest.raises(ApiError, match=r"'notify' is .*; it must be a URL"):
            daemon.submit("true", notify=url)


def test_a_mail_address_is_refused_with_what_to_do(daemon: Daemon) -> None:
    told = (
        r"is the mail address 'ann@example.org'; --mail-type=END --mail-user=ann@example.org asks"
    )
    with pytest.raises(ApiError, match=told):
        daemon.submit("true", notify="ann@example.org")


@pytest.mark.long  # a notice is given up after 36 s
def test_a_notice_that_was_given_up_is_told_to_its_user(daemon: Daemon) -> None:
    job_id = daemon.submit("true", notify="http://127.0.0.1:1/")
    daemon.wait(job_id)
    wait_until(lambda: "notice-given-up" in daemon.log.read_text())
    assert "Cannot connect" in daemon.client.job(job_id)["notify_problem"]
    assert "given up: Client" in daemon.run("rstat", str(job_id), expect=0).stdout


# ---------------------------------------------------------------- commands


def test_a_command_is_run_for_the_daemons_own_account_and_never_as_root(daemon: Daemon) -> None:
    told = daemon.work / "told"
    command = f"cat > {told}.new && mv {told}.new {told}"
    if os.getuid() == 0:
        with pytest.raises(ApiError, match="none for root; give a URL instead") as caught:
            daemon.submit("true", notify=command)
        assert caught.value.exit_code == 77
    else:
        job_id = daemon.submit("exit 3", notify=command)
        wait_until(told.exists)
        assert json.loads(told.read_text())["job"] == daemon.client.job(job_id)


def test_a_caller_with_a_token_has_no_command_run(
    start_daemon: Callable[..., Daemon],
) -> None:
    tcp = Tcp(start_daemon(begin=False))
    daemon = tcp.daemon.start()
    spec = {"script": "#!/bin/sh\n", "workdir": "/", "notify": "touch /tmp/no"}
    with (
        tcp.client(tcp.token(role="admin")) as remote,
        pytest.raises(ApiError, match="the socket of root's daemon"),
    ):
        remote.submit([spec])
    assert daemon.client.jobs(states="all", limit=1) == []


class _Stored:
    """Notices, and what the notifier needs besides, in place of scheduler and history."""

    def __init__(self, notices: list[Notice]) -> None:
        self.left = notices
        self.notices = asyncio.Event()
        self.notices.set()
        self.troubles = Troubles()
        self.commits = 0
        self.told: asyncio.Queue[int] = asyncio.Queue()

    async def settle_notices(self, keys: Sequence[tuple[int, str]]) -> None:
        self.commits += 1
        await asyncio.sleep(0)
        self.left = [one for one in self.left if one.key not in keys]
        for job_id, _ in keys:
            self.told.put_nowait(job_id)


async def test_notices_that_are_delivered_together_are_one_commit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each notice had its own commit, and the submits of others waited for all of them."""

    async def delivered(*_: object) -> str:
        return ""

    stored = _Stored([Notice(job, OVER, "ann", "http://x.invalid/") for job in range(1, 9)])

    async def notices(limit: int, without: list[str]) -> list[Notice]:
        return [one for one in stored.left if one.user not in without][:limit]

    history = SimpleNamespace(notices=notices)
    notifier = Notifier(cast("Scheduler", stored), cast("JobHistory", history))
    monkeypatch.setattr(notifier, "try_to_deliver", delivered)
    running = asyncio.create_task(notifier.run())
    try:
        for _ in range(8):
            await asyncio.wait_for(stored.told.get(), DEADLINE_S)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert stored.commits == 1


async def test_a_notice_that_ends_in_an_error_keeps_no_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A mail that could not be written, for the name of its job, kept its place for as long as the
    daemon ran: 32 of them kept all notices of others waiting."""

    async def delivered(*_: object) -> str:
        raise ValueError("it cannot be written")

    stored = _Stored([Notice(job, OVER, "eve", "mailto:eve") for job in range(1, 11)])

    async def notices(limit: int, without: list[str]) -> list[Notice]:
        return [one for one in stored.left if one.user not in without][:limit]

    history = SimpleNamespace(notices=notices, undelivered=Undelivered())
    notifier = Notifier(cast("Scheduler", stored), cast("JobHistory", history))
    monkeypatch.setattr(notifier, "try_to_deliver", delivered)
    running = asyncio.create_task(notifier.run())
    try:
        told = {await asyncio.wait_for(stored.told.get(), DEADLINE_S) for _ in range(10)}
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert told == set(range(1, 11))


async def test_names_that_nobody_answers_for_hold_up_no_notice_of_others(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up, answered = socket.getaddrinfo, threading.Event()

    def slowly(host: Any, *args: Any, **more: Any) -> Any:
        if str(host).startswith("silent"):
            answered.wait(DEADLINE_S)
            raise socket.gaierror(socket.EAI_AGAIN, "nobody answers")
        return look_up(host, *args, **more)

    async def first() -> int:
        url = listener.url.replace("127.0.0.1", "localhost")
        silent = [Notice(job, OVER, "ann", f"http://silent{job}.invalid/") for job in range(1, 9)]
        stored = _Stored([*silent, Notice(9, OVER, "bob", url)])

        async def notices(limit: int, without: list[str]) -> list[Notice]:
            return [one for one in stored.left if one.user not in without][:limit]

        async def body(_: int) -> bytes:
            return b'{"schema": "rmsd.job/1", "job": {}}'

        stored_history = SimpleNamespace(notices=notices)
        notifier = Notifier(cast("Scheduler", stored), cast("JobHistory", stored_history))
        monkeypatch.setattr(notifier, "body", body)
        running = asyncio.create_task(notifier.run())
        try:
            return await asyncio.wait_for(stored.told.get(), DEADLINE_S)
        finally:
            answered.set()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    monkeypatch.setattr(socket, "getaddrinfo", slowly)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(notify, "PAUSES_S", ())  # the first attempt is the last
    assert await first() == 9
    assert len(listener.told) == 1


def test_a_name_that_nobody_answers_for_does_not_keep_the_daemon_from_its_end(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x1", begin=False)
    asked = silence(daemon)
    daemon.start()
    daemon.emulate(0.0, notify="http://silent.invalid/")
    wait_until(asked.exists)
    assert daemon.stop() == 0
    assert rows(daemon) == 1  # the next start tells it
