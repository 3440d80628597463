"""The stream of events over the daemon's sockets: what it says, to whom, and when it ends."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
from collections.abc import Callable, Iterator
from http.client import HTTPResponse
from typing import Any

import pytest

from rmsd_client.api import Client
from rmsd_client.events import Events
from rmsd_daemon.api.events import MOST_STREAMS
from tests.daemon.raw_http import ask, connect, read
from tests.live import Daemon
from tests.tcp import Tcp
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.live


class Stream:
    """An open stream of events."""

    def __init__(self, sock: socket.socket, *headers: str) -> None:
        sock.settimeout(DEADLINE_S)
        ask(sock, "/v1/events", *headers)
        self.answer: HTTPResponse = read(sock)
        self.last_id = ""

    def lines(self) -> Iterator[str]:
        """Yield the lines until the stream ends."""
        while line := self.answer.readline():
            yield line.decode().removesuffix("\n")

    def events(self) -> Iterator[tuple[str, Any]]:
        """Yield each event's name and data, as a browser would, until the stream ends."""
        name, data = "message", ""
        for line in self.lines():
            field, _, value = line.partition(": ")
            if field == "id":
                self.last_id = value
            elif field == "event":
                name = value
            elif field == "data":
                data = value
            elif not line:
                if data:
                    yield name, json.loads(data)
                name, data = "message", ""

    def until(self, job_id: int, state: str) -> set[int]:
        """Return the jobs that are told of until the one is in this state."""
        told = set()
        for name, data in self.events():
            if name == "nodes":
                continue
            assert name == "jobs", (name, data)
            told |= {job["job_id"] for job in data["jobs"]}
            if {"job_id": job_id, "state": state} in data["jobs"]:
                return told
        pytest.fail("the stream has ended")

    def begin(self) -> None:
        """Read the first event, which says to read everything."""
        assert next(self.events()) == ("anew", {})


@pytest.fixture
def streams(daemon: Daemon) -> Iterator[Callable[..., Stream]]:
    with contextlib.ExitStack() as held:
        yield lambda *headers: Stream(held.enter_context(connect(daemon)), *headers)


def test_a_job_is_followed_to_its_end(daemon: Daemon, streams: Callable[..., Stream]) -> None:
    stream = streams()
    assert stream.answer.status == 200
    assert stream.answer.headers["Content-Type"] == "text/event-stream"
    assert stream.answer.headers["Cache-Control"] == "no-store"
    stream.begin()
    job_id = daemon.submit("exit 0")
    assert stream.until(job_id, "COMPLETED") == {job_id}


def test_a_stream_goes_on_where_another_one_ended(
    daemon: Daemon, streams: Callable[..., Stream]
) -> None:
    first = streams()
    first.begin()
    before = daemon.submit("exit 0")
    first.until(before, "COMPLETED")
    first.answer.close()
    missed = daemon.submit("exit 0")
    daemon.wait(missed)
    assert streams(f"Last-Event-ID: {first.last_id}").until(missed, "COMPLETED") == {missed}
    streams("Last-Event-ID: of-another-daemon").begin()


def test_a_change_of_a_node_is_told_without_a_job(
    daemon: Daemon, streams: Callable[..., Stream]
) -> None:
    name = daemon.client.nodes()[0]["name"]
    stream, reader = streams(), Events(Client(f"unix:{daemon.state}/rmsd.sock"))
    stream.begin()
    news = iter(reader)
    assert next(news).states is None
    daemon.client.drain(name, "a fan is broken")
    kind, told = next(stream.events())  # perhaps also of another node, which has just come
    assert kind == "nodes"
    assert name in told["nodes"]
    assert name in next(one for one in news if one.nodes).nodes
    mark = stream.last_id
    daemon.client.resume(name)
    assert next(streams(f"Last-Event-ID: {mark}").events()) == ("nodes", {"nodes": [name]})


@pytest.mark.slow
def test_a_restart_ends_streams_and_has_their_callers_read_everything(
    daemon: Daemon, streams: Callable[..., Stream]
) -> None:
    stream = streams()
    stream.begin()
    daemon.stop()
    assert "".join(stream.lines()).strip("\n") in ("", f"id: {stream.last_id}")
    daemon.start()
    streams(f"Last-Event-ID: {stream.last_id}").begin()


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_streams_of_a_caller_are_bounded(daemon: Daemon, streams: Callable[..., Stream]) -> None:
    opened = [streams() for _ in range(MOST_STREAMS)]
    for one in opened:
        one.begin()
    refused = streams()
    assert refused.answer.status == 429
    assert refused.answer.headers["Retry-After"]
    assert b"close one and try again" in refused.answer.read()
    assert daemon.state_of(daemon.submit("exit 0"))  # other requests are served


def test_a_page_from_elsewhere_gets_no_stream(streams: Callable[..., Stream]) -> None:
    assert streams("Origin: http://elsewhere.example").answer.status == 403


def _over_tcp(held: contextlib.ExitStack, tcp: Tcp, text: str) -> Stream:
    trust = ssl.create_default_context(cafile=str(tcp.ca))
    plain = socket.create_connection(("127.0.0.1", tcp.port), DEADLINE_S)
    sock = held.enter_context(trust.wrap_socket(plain, server_hostname="127.0.0.1"))
    return Stream(sock, f"Authorization: Bearer {text}")


@pytest.fixture
def tcp(start_daemon: Callable[..., Daemon]) -> Tcp:
    config = "allow_root_jobs = true\n"
    daemon = start_daemon("--no-local-node", "--emulate", "1x4", config=config, begin=False)
    tcp = Tcp(daemon)
    daemon.start()
    return tcp


@pytest.mark.slow
def test_a_user_hears_of_no_other_users_jobs_and_nothing_after_the_token_has_ended(
    tcp: Tcp,
) -> None:
    daemon, token = tcp.daemon, tcp.token(user="ann")
    with contextlib.ExitStack() as held:
        stream = _over_tcp(held, tcp, token.text)
        stream.begin()
        daemon.wait(daemon.emulate(0.0, user="bob"))
        own = daemon.emulate(0.0, user="ann")
        assert stream.until(own, "COMPLETED") == {own}
        daemon.client.revoke_token(token.id)
        daemon.wait(daemon.emulate(0.0, user="ann"))
        assert list(stream.events()) == []  # the stream ends


def test_the_token_of_a_job_opens_no_stream(tcp: Tcp) -> None:
    file = tcp.daemon.root / "of-job"
    file.touch(mode=0o600)
    tcp.daemon.submit(f'echo "$RMSD_TOKEN" > {file}; sleep 600')
    wait_until(lambda: file.read_text().endswith("\n"))
    with contextlib.ExitStack() as held:
        answer = _over_tcp(held, tcp, file.read_text().strip()).answer
        assert answer.status == 403
        assert b"is for that job alone" in answer.read()


def test_a_stream_over_tcp_needs_a_token(tcp: Tcp) -> None:
    with contextlib.ExitStack() as held:
        assert _over_tcp(held, tcp, "none").answer.status == 401
