"""`rstat -i`: what is shown again, and when."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest

from rmsd_client.api import Client
from rmsd_client.errors import ApiError, Unreachable
from rmsd_client.show import live_view, news
from rmsd_client.show.live_view import LiveView
from tests.live import BIN, Daemon
from tests.waiting import wait_until

from .small_server import Answer, Request, SmallServer, json_answer, serve_unix

_ANEW = b"id: e-1\nevent: anew\ndata: {}\n\n"
_QUIET = b":\n\n"


class EndOfTest(Exception):
    """Raised by a list that is shown, to end the view."""


class Stream:
    """A server whose stream of events tells what a test says. None ends the stream."""

    def __init__(self) -> None:
        self.parts: SimpleQueue[bytes | None] = SimpleQueue()
        self.refused: int | None = None

    def respond(self, request: Request) -> Answer:
        if request.target != "/v1/events":
            return json_answer({"title": "stopped", "detail": "it is away", "exit_code": 75}, 503)
        if self.refused is not None:
            return json_answer({"title": "x", "detail": "64 streams"}, self.refused)
        return Answer(headers={"Content-Type": "text/event-stream"}, chunks=self._parts())

    def _parts(self) -> Iterator[bytes]:
        while part := self.parts.get():
            yield part


def _jobs(*numbers: int) -> bytes:
    told = json.dumps({"jobs": [{"job_id": one, "state": "RUNNING"} for one in numbers]})
    return f"event: jobs\ndata: {told}\n\n".encode()


class Shown:
    """A view in a thread, over the stream of a small server. `looks` counts its lists."""

    def __init__(self, path: Path, *, moves: bool = False, error: Exception | None = None) -> None:
        self.looks = 0
        self.told: list[str] = []
        self.is_over = threading.Event()
        self.error = error

        def connect() -> Client:
            return Client(f"unix:{path}", retry_for_s=0.0)

        self._client = connect()
        self.view = LiveView(
            self._client, self._show, connect, every_s=1, moves=moves, tell=self.told.append
        )
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _show(self) -> None:
        if self.error is not None:
            raise self.error
        self.looks += 1

    def _run(self) -> None:
        try:
            self.view.run()
        except Exception as error:
            self.error = error
        self.is_over.set()

    def close(self) -> None:
        self.error = self.error or EndOfTest()
        wait_until(self.is_over.is_set)
        self._thread.join()
        self._client.close()
        wait_until(lambda: all(one.name != "news" for one in threading.enumerate()))


@pytest.fixture(autouse=True)
def short_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_view, "REST_S", 0.01)


@pytest.fixture
def stream(short_dir: Path) -> Iterator[Stream]:
    stream = Stream()
    with serve_unix(short_dir / "s", stream.respond) as server:
        stream.server = server  # type: ignore[attr-defined]
        yield stream
        stream.parts.put(None)


def _asked(stream: Stream) -> list[str]:
    server: SmallServer = stream.server  # type: ignore[attr-defined]
    return [request.target for request in server.requests]


def test_the_list_is_read_when_something_has_changed_and_only_then(
    short_dir: Path, stream: Stream
) -> None:
    stream.parts.put(_ANEW)
    shown = Shown(short_dir / "s")
    wait_until(lambda: shown.looks == 1)
    for _ in range(100):
        stream.parts.put(_QUIET)
    stream.parts.put(_jobs(3))
    wait_until(lambda: shown.looks == 2)
    stream.parts.put(b'event: nodes\ndata: {"nodes":["n1"]}\n\n')
    wait_until(lambda: shown.looks == 3)
    shown.error = EndOfTest()
    stream.parts.put(_jobs(4))
    shown.close()
    assert _asked(stream) == ["/v1/events"]
    assert not shown.told


@pytest.mark.slow
def test_what_changes_by_itself_is_read_every_so_many_seconds(
    short_dir: Path, stream: Stream
) -> None:
    stream.parts.put(_ANEW)
    shown = Shown(short_dir / "s", moves=True)
    wait_until(lambda: shown.looks == 3)
    shown.close()
    assert not shown.told


@pytest.mark.slow
@pytest.mark.parametrize(("status", "why"), [(404, "this daemon has no events"), (429, "64 str")])
def test_a_refused_stream_is_told_and_comes_back_by_itself(
    short_dir: Path, stream: Stream, monkeypatch: pytest.MonkeyPatch, status: int, why: str
) -> None:
    monkeypatch.setattr(news, "REFUSED_PAUSE_S", 0.01)
    monkeypatch.setattr(Client, "status", lambda _: {})
    stream.refused = status
    shown = Shown(short_dir / "s")
    wait_until(lambda: shown.looks == 3)
    [told] = shown.told
    assert told.startswith(f"no news of changes: {why}")
    assert told.endswith("; looking every 1 second until there is")
    stream.refused = None
    stream.parts.put(_ANEW)
    wait_until(lambda: len(shown.told) == 2)
    assert shown.told[1] == "the daemon tells of changes again"
    shown.error = EndOfTest()
    stream.parts.put(_jobs(4))
    shown.close()


@pytest.mark.slow
def test_a_daemon_that_is_away_is_told_once_and_waited_for(
    short_dir: Path, stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news, "PAUSE_S", 0.01)
    stream.parts.put(_ANEW)
    shown = Shown(short_dir / "s")
    wait_until(lambda: shown.looks == 1)
    stream.refused = 503
    stream.parts.put(None)
    wait_until(lambda: _asked(stream).count("/v1/status") == 3)
    assert shown.looks == 1
    assert len(shown.told) == 1
    stream.refused = None
    monkeypatch.setattr(Client, "status", lambda _: {})
    stream.parts.put(_ANEW)
    wait_until(lambda: shown.looks > 1)
    wait_until(lambda: shown.told[1:] == ["the daemon tells of changes again"])
    shown.error = ApiError(401, "your token has ended", 77)
    stream.parts.put(_jobs(4))
    shown.close()
    assert isinstance(shown.error, ApiError)


def test_a_daemon_that_is_away_at_the_first_look_is_an_error(short_dir: Path) -> None:
    shown = Shown(short_dir / "missing", error=Unreachable("no daemon"))
    wait_until(shown.is_over.is_set)
    shown.close()
    assert isinstance(shown.error, Unreachable)


@pytest.mark.live
@pytest.mark.slow
def test_a_queue_is_followed_over_a_restart_of_the_daemon(daemon: Daemon) -> None:
    command = [str(BIN / "rstat"), "-i", "1", "-h", "-o", "job %i %t"]
    with subprocess.Popen(
        command, env=daemon.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        first = daemon.submit("true", conditions={"hold": True})
        while process.stdout.readline() != f"job {first} PD\n":
            pass
        daemon.stop()
        daemon.start()
        second = daemon.submit("true", conditions={"hold": True})
        while process.stdout.readline() != f"job {second} PD\n":
            pass
        assert process.stderr is not None
        assert process.stderr.readline().startswith("rstat: no news of changes: ")
        assert process.stderr.readline() == "rstat: the daemon tells of changes again\n"
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == 130
