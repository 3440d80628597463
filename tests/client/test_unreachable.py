"""The client and a daemon that is away, silent, stopped or no daemon."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from rmsd_client.api import Client
from rmsd_client.connection import server as server_module
from rmsd_client.connection import site_file
from rmsd_client.connection.http import Connection
from rmsd_client.connection.server import Address
from rmsd_client.errors import ApiError, Unreachable
from tests.client.small_clients import client_of, connection_to

from .small_server import Answer, Request, json_answer, serve_unix


def test_a_submit_survives_a_server_that_hangs_up(short_dir: Path) -> None:
    path = short_dir / "s"

    def respond(_: Request) -> Answer:
        if len(server.requests) < 3:
            return Answer(raw=b"HTTP/1.1 201 Crea")
        return json_answer({"jobs": [{"job_id": 7}]}, 201)

    server = serve_unix(path, respond)
    with server, client_of(path) as client:
        assert client.submit([{"name": "x"}]) == [{"job_id": 7}]
    keys = [request.headers["Idempotency-Key"] for request in server.requests]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert {request.body for request in server.requests} == {b'{"jobs": [{"name": "x"}]}'}


def test_a_daemon_that_stops_is_asked_again(short_dir: Path) -> None:
    path = short_dir / "s"
    problem = {"title": "Not available", "status": 503, "detail": "stopping", "exit_code": 75}

    def respond(_: Request) -> Answer:
        if len(server.requests) < 3:
            return json_answer(problem, 503)
        return json_answer({"jobs": [{"job_id": 7}]}, 201)

    server = serve_unix(path, respond)
    with server, client_of(path) as client:
        assert client.submit([{"name": "x"}]) == [{"job_id": 7}]
        assert len({request.headers["Idempotency-Key"] for request in server.requests}) == 1
        client.retry_for_s = 0.0
        server.requests.clear()
        with pytest.raises(ApiError, match="stopping"):
            client.nodes()


def test_a_restart_is_waited_for(short_dir: Path) -> None:
    path = short_dir / "s"
    with serve_unix(path, lambda _: Answer(body=b"before")):
        connection = connection_to(path, retry_for_s=30.0)
        assert connection.request("GET", "/").body == b"before"
        connection.close()
    path.unlink()  # a clean stop takes the socket away
    answers: list[bytes] = []
    thread = threading.Thread(target=lambda: answers.append(connection.request("GET", "/").body))
    thread.start()
    with serve_unix(path, lambda _: Answer(body=b"after")):
        thread.join(30)
        connection.close()
    assert answers == [b"after"]


def test_a_socket_that_nobody_serves_is_tried_again(
    short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = short_dir / "s"
    now_s = [0.0]
    time = SimpleNamespace(
        monotonic=lambda: now_s[0], sleep=lambda pause_s: now_s.append(now_s.pop() + pause_s)
    )
    monkeypatch.setattr("rmsd_client.connection.http.time", time)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    notices: list[str] = []
    connection = Connection(Address(path=str(path)), retry_for_s=1.6, notice=notices.append)
    with pytest.raises(
        Unreachable,
        match=r"the daemon is not running: .*Connection refused.*'rmsd start' starts it",
    ) as caught:
        connection.request("GET", "/")
    assert caught.value.exit_code == 75
    assert len(notices) == 1  # the daemon has been away for more than a moment


def test_a_silent_daemon_is_given_up(short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rmsd_client.connection.http.ANSWER_S", 0.1)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(short_dir / "s"))
        silent.listen()
        with Client(f"unix:{short_dir}/s", retry_for_s=0.0) as client:
            with pytest.raises(Unreachable, match="does not answer: it is silent") as caught:
                client.jobs()
            assert "not known" not in str(caught.value)
            with pytest.raises(Unreachable, match="not known whether the job was taken"):
                client.submit([{"name": "x"}])


def test_a_submit_that_never_went_out_was_not_taken(short_dir: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(short_dir / "s"))
    client = Client(f"unix:{short_dir}/s", retry_for_s=0.0)
    with client, pytest.raises(Unreachable, match="not running") as caught:
        client.submit([{"name": "x"}])
    assert "not known" not in str(caught.value)


def test_a_full_backlog_is_tried_again(short_dir: Path) -> None:
    path = short_dir / "s"
    with socket.socket(socket.AF_UNIX) as busy, socket.socket(socket.AF_UNIX) as first:
        busy.bind(str(path))
        busy.listen(0)
        first.connect(str(path))
        with pytest.raises(Unreachable, match="too many connections wait"):
            connection_to(path, retry_for_s=0.0).request("GET", "/")
        bodies: list[bytes] = []
        tried = threading.Event()
        connection = Connection(
            Address(path=str(path)), retry_for_s=60.0, notice=lambda _: tried.set()
        )
        thread = threading.Thread(target=lambda: bodies.append(connection.request("GET", "/").body))
        thread.start()
        assert tried.wait(30)
        busy.accept()[0].close()
        accepted, _ = busy.accept()
        with accepted:
            accepted.recv(1000)
            accepted.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            thread.join(30)
        connection.close()
    assert bodies == [b"ok"]


def test_a_port_where_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        connection = Connection(Address(host="127.0.0.1", port=port), retry_for_s=0.0)
        with pytest.raises(Unreachable, match=f"no daemon listens at https://127.0.0.1:{port}: "):
            connection.request("GET", "/")


def test_a_first_request_waits_for_a_daemon_that_was_stopped(short_dir: Path) -> None:
    path = short_dir / "s"
    (short_dir / "rmsd.db").touch()  # a daemon was here, and a clean stop took its socket away
    told = threading.Event()
    connection = Connection(Address(path=str(path)), None, 30.0, lambda _: told.set())
    answers: list[bytes] = []
    thread = threading.Thread(target=lambda: answers.append(connection.request("GET", "/").body))
    thread.start()
    assert told.wait(30)
    with serve_unix(path, lambda _: Answer(body=b"after")):
        thread.join(30)
        connection.close()
    assert answers == [b"after"]


def test_a_daemon_that_stays_away_after_a_stop(short_dir: Path) -> None:
    (short_dir / "rmsd.db").touch()
    connection = connection_to(short_dir / "s", retry_for_s=0.0)
    with pytest.raises(Unreachable, match=r"the daemon is not running: .*'rmsd start' starts it"):
        connection.request("GET", "/")


def test_a_machine_that_has_no_daemon_is_told_where_to_name_it(
    short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of the public socket is on every machine of a site, also where users log in."""
    path, site = short_dir / "s", short_dir / "client.toml"
    monkeypatch.setattr(server_module, "SYSTEM_SOCKETS", (str(path),))
    monkeypatch.setattr(site_file, "PATH", str(site))
    with pytest.raises(Unreachable, match=f"or, if it is on another machine, names it in {site}"):
        connection_to(path, retry_for_s=0.0).request("GET", "/v1/status")
    site.touch()
    with pytest.raises(Unreachable, match=r"its administrator starts it$"):
        connection_to(path, retry_for_s=0.0).request("GET", "/v1/status")


def test_a_missing_socket_is_told_at_once(short_dir: Path) -> None:
    connection = connection_to(short_dir / "none", retry_for_s=1e9)
    with pytest.raises(Unreachable, match="rmsd start") as caught:
        connection.request("GET", "/")
    assert str(short_dir / "none") in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"SSH-2.0-OpenSSH\r\n\r\n", "not an HTTP answer"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000, "bytes of headers"),
        (b"HTTP/1.1 200 OK\r\n\r\n", "no length"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", "closed before"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "chunk"),
    ],
)
def test_what_is_not_http_is_unreachable(short_dir: Path, raw: bytes, message: str) -> None:
    path = short_dir / "s"
    server = serve_unix(path, lambda _: Answer(raw=raw))
    with server, pytest.raises(Unreachable, match=message):
        connection_to(path, retry_for_s=0.0).request("GET", "/")
