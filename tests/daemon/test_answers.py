"""Answers that are not read: a bounded memory for each caller."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from aiohttp import web

from rmsd_cli.certificates import make
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain.errors import DaemonError as Refusal
from rmsd_daemon.front import connections
from rmsd_daemon.front.answers import LIST_BYTES, OF_ONE_BYTES, Answers
from rmsd_daemon.front.held import HeldBytes
from rmsd_daemon.front.problems import problem_of
from tests.daemon.long_lists import ALL, fill, read_from
from tests.daemon.raw_http import ask, connect, read
from tests.live import Daemon
from tests.tcp import free_port

live = pytest.mark.live


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@live
def test_answers_that_nobody_reads_do_not_fill_the_memory(daemon: Daemon) -> None:
    fill(daemon, 600)
    process = psutil.Process(daemon.pid)
    before = process.memory_info().rss
    with contextlib.ExitStack() as held:
        for _ in range(30):
            sock = held.enter_context(connect(daemon))
            ask(sock, ALL)
            assert sock.recv(12) == b"HTTP/1.1 200"
        # All of them would be 400 MiB.
        assert process.memory_info().rss - before < 100 << 20


@pytest.mark.slow
@live
def test_who_does_not_read_gets_no_more_answers(daemon: Daemon) -> None:
    fill(daemon, 100)
    with contextlib.ExitStack() as held:
        for _ in range(OF_ONE_BYTES // LIST_BYTES):
            sock = held.enter_context(connect(daemon))
            ask(sock, ALL)
            assert sock.recv(12) == b"HTTP/1.1 200"
        refused = read_from(daemon, ALL)
        assert (refused.status, refused.headers["Retry-After"]) == (429, "1")
        assert b"bytes of answers to read" in refused.read()
        sock.close()  # one of them is given up
        assert len(daemon.client.jobs()) == 100  # asked again until then


@pytest.mark.filterwarnings("ignore::aiohttp.web.NotAppKeyWarning")
async def test_an_answer_that_nobody_reads_over_tls_counts_until_it_is_taken(
    tmp_path: Path,
) -> None:
    """TLS takes an answer of any size at once."""
    size = 16 << 20
    guarded = connections.Connections(10, 10)
    answers = Answers(guarded)

    async def handler(request: web.Request) -> web.Response:
        request["caller"], request["still"] = Caller("ann", Role.USER, ""), lambda _: None
        response = web.Response(body=bytes(size))
        await answers.send(request, response)
        return response

    app = web.Application()
    app.router.add_get("/", handler)
    runner = web.AppRunner(app)
    await runner.setup()
    guarded.guard(runner)
    make(tmp_path, ["127.0.0.1"])
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port, ssl_context=server).start()
    trust = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trust, limit=1 << 16)
    try:
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        assert answers.held.of("ann") == size
        await reader.readexactly(size)
    finally:
        writer.close()
        await runner.cleanup()


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@live
@pytest.mark.parametrize("what", ["requests", "answers"])
def test_idle_connections_keep_nothing_of_their_latest(
    start_daemon: Callable[..., Daemon], what: str
) -> None:
    """Fifty of them had 200 MiB of requests, or 100 MiB of answers."""
    daemon = start_daemon(config="allow_root_jobs = true\n")
    job = daemon.submit("head -c 1048576 /dev/zero")
    daemon.wait(job)
    body = b'{"jobs": [], "x": "%s"}' % (b"x" * (4 << 20))
    asked = f"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    if what == "answers":
        asked, body = (
            f"GET /v1/jobs/{job}/output?limit=1048576 HTTP/1.1\r\nHost: x\r\n\r\n".encode(),
            b"",
        )
    process = psutil.Process(daemon.pid)
    before = process.memory_info().rss
    with contextlib.ExitStack() as held:
        for _ in range(50):
            sock = held.enter_context(connect(daemon))
            sock.sendall(asked + body)
            answer = read(sock)
            assert (answer.status, len(answer.read()) >= 1 << 20) == (
                (200, True) if what == "answers" else (400, False)
            )
        assert process.memory_info().rss - before < 40 << 20


def test_a_caller_holds_so_many_bytes_and_all_callers_together() -> None:
    held = HeldBytes(100, "to read", in_all=150)
    with held.held("ann", 60), held.held("ann", 40):
        assert (held.of("ann"), held.in_all) == (100, 100)
        with pytest.raises(Refusal, match="ann has 100 bytes to read") as refused:
            held.check("ann", 1)
        assert (problem_of(refused.value).status, refused.value.retry_after_s) == (429, 1.0)
        with held.held("bob", 49), held.held("bob", 1):
            with pytest.raises(Refusal, match="all callers have 150 bytes") as refused:
                held.check("bob", 1)
            assert problem_of(refused.value).status == 503
            with held.held("eve", 1000):  # holds nothing yet, and is served whoever is greedy
                pass
            with held.held("bob", 7, forced=True):
                assert held.of("bob") == 57
    assert held.in_all == 0


class _Transport(asyncio.Transport):
    """A connection in whose buffer so many bytes wait."""

    unsent = 0

    def get_write_buffer_size(self) -> int:
        return self.unsent


def test_who_reads_slowly_is_not_given_up_and_who_does_not_read_is() -> None:
    transport = _Transport()
    connection = connections.PeerConnection(transport, connections.Peer("ann"))
    taken = connections.TAKEN_BYTES

    def look(now_s: float, given: int, unsent: int) -> bool:
        connection.given, transport.unsent = given, unsent
        return connections.is_stalled(connection, now_s)

    assert not look(0.0, 100_000, 100_000)
    # The bytes that the peer takes are replaced at once, so that as many wait as before.
    for i in range(1, 10):
        assert not look(29.0 * i, 100_000 + taken * i, 100_000)
    begun_s, given = 29.0 * 9, 100_000 + taken * 9
    assert not look(begun_s + 29.9, given + taken - 1, 100_000)
    assert look(begun_s + 30.0, given + taken - 1, 100_000)
    assert not look(begun_s + 30.0, given + taken, 100_000)
    assert not look(begun_s + 60.0, given + taken, 0)  # nothing waits
