"""The stream of events for Python programs: from a real daemon, and from servers that lie."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from rmsd_client import events
from rmsd_client.api import Client
from rmsd_client.calls.output_length import length_of
from rmsd_client.errors import ApiError, Unreachable
from rmsd_client.events import Event, Events
from rmsd_client.show.job_pages import job_page
from tests.client.small_clients import client_of
from tests.live import Daemon
from tests.waiting import wait_until

from .small_server import Answer, Request, json_answer, serve_unix


@pytest.mark.live
def test_changes_are_heard_and_the_stream_goes_on_where_it_was(daemon: Daemon) -> None:
    with Client(daemon.client.server) as client:
        events = Events(client)
        stream = iter(events)
        assert next(stream) == Event(None)
        first = daemon.submit("true", conditions={"hold": True})
        heard = next(one for one in stream if one.states)
        assert heard.states == {first: "PENDING"}
        stream.close()
        second = daemon.submit("true", conditions={"hold": True})
        assert next(one for one in events if one.states != {}).states == {second: "PENDING"}


@pytest.mark.live
def test_a_stream_is_ended_from_another_thread(daemon: Daemon) -> None:
    heard: list[Event] = []
    errors: list[Exception] = []
    client = Client(daemon.client.server)

    def hear() -> None:
        try:
            for event in Events(client):
                heard.append(event)
        except Unreachable as error:
            errors.append(error)

    thread = threading.Thread(target=hear)
    thread.start()
    wait_until(lambda: heard)
    client.connection.end()
    thread.join(60.0)
    assert "was ended" in str(errors)
    with pytest.raises(Unreachable, match="was ended"):
        client.status()


@pytest.mark.live
def test_a_page_of_jobs_leads_to_the_next(daemon: Daemon) -> None:
    held = {"script": "#!/bin/sh\n", "workdir": "/tmp", "conditions": {"hold": True}}
    daemon.client.submit([{**held, "comment": "long"}] * 5)
    first = job_page(daemon.client, limit=3, states="PD")
    second = job_page(daemon.client, limit=3, states="PD", before=first.before)
    ids = [job["job_id"] for page in (second, first) for job in page.jobs]
    assert ids == [1, 2, 3, 4, 5]
    assert second.before is None
    assert "comment" not in first.jobs[0]


@pytest.mark.parametrize("length", [0, 1, 7, 1 << 20, (1 << 20) + 1, 123_456_789])
def test_the_length_of_an_output_is_found(length: int) -> None:
    asked = []

    def has_byte(offset: int) -> bool:
        asked.append(offset)
        return offset < length

    assert length_of(has_byte, 0) == length
    assert length_of(has_byte, min(length, 5)) == length
    assert len(asked) < 100


def _stream(*parts: bytes) -> Answer:
    return Answer(headers={"Content-Type": "text/event-stream"}, chunks=parts)


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        (_stream(b"event: jobs\ndata: {}\n\n"), "its event has no jobs"),
        (_stream(b"event: jobs\ndata: [[\n\n"), "its event has no jobs"),
        (_stream(b'event: jobs\ndata: {"jobs":[{"job_id":1e999,"state":""}]}\n\n'), "has no jobs"),
        (Answer(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxx\r\n"), "chunk"),
        (Answer(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), "closed"),
        (Answer(raw=b"HTTP/1.1 2"), "closed"),
    ],
)
def test_a_stream_that_is_none_is_an_error(short_dir: Path, answer: Answer, match: str) -> None:
    path = short_dir / "s"
    served = serve_unix(path, lambda _: answer)
    with served, client_of(path) as client, pytest.raises(Unreachable, match=match):
        list(Events(client))


def test_an_event_without_end_is_given_up(short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line is short enough, and no empty one ends the event."""
    monkeypatch.setattr(events, "MOST_DATA", 1000)
    path = short_dir / "s"
    served = serve_unix(path, lambda _: _stream(*[b"data: " + b"x" * 100 + b"\n"] * 11))
    told = pytest.raises(Unreachable, match="its event has more than 1000 characters")
    with served, client_of(path) as client, told:
        list(Events(client))


def test_lines_come_in_any_pieces_and_marks_are_sent_back(short_dir: Path) -> None:
    text = b': hello\n\nid: m\r\nevent: jobs\ndata: {"jobs":[{"job_id":3,"state":"RUNNING"}]}\n\n'
    pieces = tuple(text[at : at + 7] for at in range(0, len(text), 7))
    path = short_dir / "s"
    server = serve_unix(path, lambda _: _stream(*pieces, b"id: evil\x00\n\nid: \xff\n\n"))
    with server, client_of(path) as client:
        events = Events(client)
        assert [one for one in events if one.states] == [Event({3: "RUNNING"})]
        list(events)
    assert [one.headers.get("Last-Event-ID") for one in server.requests] == [None, "m"]


def test_a_refused_stream_is_an_api_error(short_dir: Path) -> None:
    def respond(_: Request) -> Answer:
        return json_answer({"title": "x", "detail": "no such path"}, 404)

    path = short_dir / "s"
    server = serve_unix(path, respond)
    with server, client_of(path) as client, pytest.raises(ApiError, match="no such") as refused:
        next(iter(Events(client)))
    assert refused.value.status == 404
