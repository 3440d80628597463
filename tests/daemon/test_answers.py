"""The sending of answers: lists in parts and pages, and a bounded memory for each caller."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import psutil
import pytest
from aiohttp import web

from rmsd_cli.certificates import make
from rmsd_client.calls import ApiCalls
from rmsd_client.errors import ApiError
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_daemon.api.submit_checks import check_fits
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain import kept, turns
from rmsd_daemon.domain.errors import DaemonError as Refusal
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.front import connections
from rmsd_daemon.front.answers import LIST_BYTES, OF_ONE_BYTES, PART_BYTES, Answers, Listed
from rmsd_daemon.front.held import HeldBytes
from rmsd_daemon.front.problems import problem_of
from rmsd_daemon.store import rows, store
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.failures import SearchError
from rmsd_daemon.store.records import changing_columns, given_columns
from rmsd_daemon.store.tables import ATTEMPT
from rmsd_wire.api.jobs import CancelReply, JobsReply
from tests.daemon.raw_http import ask, connect, post, read
from tests.jobs import over
from tests.live import Daemon
from tests.tcp import Tcp, free_port
from tests.waiting import DEADLINE_S

live = pytest.mark.live
_LONG = {
    "emulate": {"run_s": 1e6},
    "name": "n" * 256,
    "comment": "c" * 4096,
    "workdir": "/" + "w" * 4000,
    "stdout": "/" + "o" * 4000,
    "stderr": "/" + "e" * 4000,
    "notify": "http://127.0.0.1/" + "x" * 4000,
}
"""A job of whose like a list has 24 KB each."""
_ALL = "/v1/jobs?limit=10000"


def fill(daemon: Daemon, count: int) -> list[int]:
    """Have so many long jobs wait; their numbers."""
    told = daemon.client.submit([_LONG] * count)
    return [job["job_id"] for job in told]


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@live
def test_answers_that_nobody_reads_do_not_fill_the_memory(daemon: Daemon) -> None:
    fill(daemon, 600)
    process = psutil.Process(daemon.pid)
    before = process.memory_info().rss
    with contextlib.ExitStack() as held:
        for _ in range(30):
            sock = held.enter_context(connect(daemon))
            ask(sock, _ALL)
            assert sock.recv(12) == b"HTTP/1.1 200"
        # All of them would be 400 MiB.
        assert process.memory_info().rss - before < 100 << 20


@live
def test_who_does_not_read_gets_no_more_answers(daemon: Daemon) -> None:
    fill(daemon, 100)
    with contextlib.ExitStack() as held:
        for _ in range(OF_ONE_BYTES // LIST_BYTES):
            sock = held.enter_context(connect(daemon))
            ask(sock, _ALL)
            assert sock.recv(12) == b"HTTP/1.1 200"
        refused = read_from(daemon, _ALL)
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


def read_from(daemon: Daemon, target: str) -> HTTPResponse:
    """Return the answer to a GET on a connection of its own."""
    with connect(daemon) as sock:
        ask(sock, target)
        return read(sock)


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


@live
def test_a_list_has_pages(daemon: Daemon) -> None:
    ids = [daemon.emulate(1e6) for _ in range(5)]

    def page(query: str) -> tuple[list[int], int | None]:
        answer = json.loads(read_from(daemon, f"/v1/jobs?{query}").read())
        return [job["job_id"] for job in answer["jobs"]], answer["before"]

    for states in ("", "states=all&"):
        assert page(f"{states}limit=2") == (ids[3:], ids[3])
        assert page(f"{states}limit=2&before={ids[3]}") == (ids[1:3], ids[1])
        assert page(f"{states}limit=2&before={ids[1]}") == (ids[:1], None)
        assert page(f"{states}limit=4") == (ids[1:], ids[1])
        assert page(f"{states}limit=5") == (ids, None)
        assert page(f"{states}limit=20000") == (ids, None)
        assert page(f"{states}before=1") == ([], None)
    assert [job["job_id"] for job in daemon.client.jobs(limit=3)] == ids[2:]
    for wrong in ("limit=0", "before=x", "limit=-1"):
        assert read_from(daemon, f"/v1/jobs?{wrong}").status == 400


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@live
def test_the_client_asks_for_all_pages(daemon: Daemon) -> None:
    told = [*daemon.client.submit([{"emulate": {"run_s": 1e6}}] * 1000)]
    assert json.loads(read_from(daemon, "/v1/jobs").read())["before"] is None
    told += daemon.client.submit([{"emulate": {"run_s": 1e6}}])
    answer = json.loads(read_from(daemon, "/v1/jobs").read())
    assert (len(answer["jobs"]), answer["before"]) == (1000, told[1]["job_id"])
    ids = [job["job_id"] for job in told]
    assert [job["job_id"] for job in daemon.client.jobs()] == ids
    assert [job["job_id"] for job in daemon.client.jobs(limit=1001)] == ids
    daemon.client.cancel_all(ids)
    for job_id in ids[:2]:
        daemon.wait(job_id)
    assert [job["job_id"] for job in daemon.client.jobs(states="all")] == ids
    assert [job["job_id"] for job in daemon.client.jobs(ids=ids)] == ids


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@live
def test_a_list_stays_whole_while_its_jobs_end(daemon: Daemon) -> None:
    """Of jobs that end while the list is sent, those that were not sent yet are left out."""
    ids = fill(daemon, 200)
    with connect(daemon) as sock:
        ask(sock, _ALL)
        answer = read(sock)
        begun = answer.read(1000)
        daemon.client.cancel_all(ids[1:])
        told = [job["job_id"] for job in json.loads(begun + answer.read())["jobs"]]
    assert told == ids[: len(told)]
    assert 0 < len(told) < len(ids)
    shown = daemon.client.jobs(states="all")  # in parts from the database
    assert [job["job_id"] for job in shown] == ids
    assert shown[-1]["comment"] == _LONG["comment"]


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@live
def test_a_list_whose_token_ends_is_broken_off(start_daemon: Callable[..., Daemon]) -> None:
    tcp = Tcp(start_daemon("--no-local-node", "--emulate", "1x1", begin=False))
    tcp.daemon.start()
    token = tcp.token(user="olga", role="operator")
    fill(tcp.daemon, 400)
    trust = ssl.create_default_context(cafile=str(tcp.ca))
    with (
        socket.create_connection(("127.0.0.1", tcp.port), DEADLINE_S) as plain,
        trust.wrap_socket(plain, server_hostname="127.0.0.1") as sock,
    ):
        plain_bytes = b""
        ask(sock, _ALL, f"Authorization: Bearer {token.text}")
        plain_bytes += sock.recv(1000)
        tcp.daemon.client.revoke_token(token.id)
        with contextlib.suppress(OSError):
            while data := sock.recv(1 << 20):
                plain_bytes += data
    assert plain_bytes.startswith(b"HTTP/1.1 200")
    assert b"\r\n0\r\n\r\n" not in plain_bytes[-100:]
    assert b'"schema":"rmsd.jobs/1"' not in plain_bytes
    assert "list-broken-off" in tcp.daemon.log.read_text()


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@live
def test_the_answer_to_a_submit_is_a_list_as_well(daemon: Daemon) -> None:
    body = json.dumps({"jobs": [_LONG] * 500}).encode()
    first, again = (post(daemon, "/v1/jobs", body, "Idempotency-Key: k") for _ in range(2))
    assert b"Transfer-Encoding: chunked" in first.partition(b"\r\n\r\n")[0]
    assert first.partition(b"\r\n\r\n")[2] == again.partition(b"\r\n\r\n")[2]
    assert len(daemon.client.jobs()) == 500
    short = post(daemon, "/v1/jobs", json.dumps({"jobs": [_LONG]}).encode())
    assert b"Content-Length: " in short.partition(b"\r\n\r\n")[0]


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@live
def test_who_knows_no_chunks_has_a_list_to_the_end_of_the_connection(daemon: Daemon) -> None:
    ids = fill(daemon, 30)
    with connect(daemon) as sock:
        sock.sendall(b"GET /v1/jobs HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        told = json.loads(read(sock).read())
    assert [job["job_id"] for job in told["jobs"]] == ids


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@live
@pytest.mark.parametrize("target", ["/v1/jobs", "/v1/nodes", "/v1/plan", _ALL])
def test_a_head_has_no_body(daemon: Daemon, target: str) -> None:
    fill(daemon, 30)
    with connect(daemon) as sock:
        for _ in range(2):
            sock.sendall(f"HEAD {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            answer = HTTPResponse(sock, method="HEAD")
            answer.begin()
            assert (answer.status, answer.read()) == (200, b"")


async def _parts_of(listed: Listed) -> list[tuple[bytes, bool]]:
    return [one async for one in listed.parts]


async def _items(*items: Any) -> AsyncIterator[Any]:
    for item in items:
        yield item


async def test_the_parts_of_a_list_are_its_json() -> None:
    """Also where an element looks like the list, and at the size at which a part is full."""
    head = len('{"job_ids":[')
    fits = "x" * (PART_BYTES - head - len('""') - 1)
    for items, parts in (
        ((), 1),
        (('"job_ids":[',), 1),
        ((fits,), 1),
        ((fits + "x",), 2),
        ((fits + "x", "y"), 2),
        (("x" * PART_BYTES, "y" * PART_BYTES), 3),
    ):
        made = await _parts_of(Listed(CancelReply([]), "job_ids", _items(*items)))
        assert [last for _, last in made] == [*[False] * (parts - 1), True]
        assert json.loads(b"".join(part for part, _ in made)) == {
            "job_ids": [*items],
            "schema": "rmsd.cancelled/1",
        }
    [(part, _)] = await _parts_of(Listed(JobsReply([], before=7), "jobs", _items()))
    assert json.loads(part) == {"jobs": [], "before": 7, "schema": "rmsd.jobs/1"}


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


async def test_work_of_one_caller_is_done_one_piece_at_a_time() -> None:
    told: list[str] = []
    all_turns = turns.Turns()

    async def work(caller: str, name: str) -> None:
        with all_turns.of(caller) as turn:
            async with turn:
                told.append(f"{name} begins")
                for _ in range(10):
                    await asyncio.sleep(0)
                told.append(f"{name} ends")

    await asyncio.gather(work("ann", "a1"), work("ann", "a2"), work("bob", "b"))
    assert all_turns.callers == set()
    assert [word for word in told if word[0] == "a"] == [
        "a1 begins", "a1 ends", "a2 begins", "a2 ends",
    ]  # fmt: skip
    assert told.index("b begins") < told.index("a1 ends")


async def test_others_have_their_turn_while_requests_are_compared_with_the_nodes() -> None:
    """A thousand different requests and a thousand nodes keep the loop for 0.2 s and more."""
    requests = [Request((Component(number),)) for number in range(1, 1001)]
    looked_at, most, turn = 0, 0, turns.Turn()

    def never_fits(request: Request) -> str | None:
        nonlocal looked_at
        looked_at += 1
        return "too large" if request.size == 1000 else None

    async with turn:  # another request of the same caller
        checked = asyncio.create_task(check_fits(never_fits, requests, turn))
        await asyncio.sleep(0)
        assert not looked_at
    while not checked.done():
        before = looked_at
        await asyncio.sleep(0)
        most = max(most, looked_at - before)
    assert looked_at == 1000
    with pytest.raises(Refusal, match="too large"):
        checked.result()
    assert most <= 10


async def test_after_long_work_its_caller_rests() -> None:
    for took_s, rests in ((turns.QUICK_S, False), (turns.QUICK_S + 1, True)):
        turn = turns.Turn()
        turn.worked(took_s)
        assert turn.rests is rests


def test_what_is_slow_to_make_is_kept_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s, takes_s, made = 0.0, kept.QUICK_S, 0

    def make() -> int:
        nonlocal now_s, made
        now_s += takes_s
        made += 1
        return made

    monkeypatch.setattr("rmsd_daemon.domain.kept.time.monotonic", lambda: now_s)
    quick = kept.Kept(make)
    assert [quick.get(), quick.get()] == [1, 2]
    takes_s = kept.QUICK_S + 1.0
    slow = kept.Kept(make)
    assert [slow.get(), slow.get()] == [3, 3]
    now_s += 9.9
    assert slow.get() == 3
    now_s += 0.2
    assert slow.get() == 4


def _stored(path: Path, count: int) -> store.Store:
    """Return a database with so many jobs that are over."""
    made = store.Store(path)
    rows = []
    for number in range(1, count + 1):
        job = over(Job(number, "ann", 1, Request((Component(1),)), 1, seq=number))
        rows.append(given_columns(job, Details(f"j{number}", comment="c" * 1000)))
        rows[-1] |= changing_columns(job)
    made.commit(Changes(new_jobs=rows, meta={"last_id": str(count)}))
    return made


def test_a_search_that_takes_too_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = _stored(tmp_path / "rmsd.db", 3000)
    try:
        assert jobs.job_ids(lambda query: query, 2) == [3000, 2999]
        with monkeypatch.context() as patch:
            patch.setattr(rows, "SEARCH_S", 0.0)
            patch.setattr(rows, "STEPS", 100)
            with pytest.raises(SearchError, match="nothing was found within 0 s"):
                jobs.job_ids(lambda query: query.where(store.JOB.c.name == "none"), 2)
            with pytest.raises(SearchError):
                jobs.runs_of("ann", 1 << 60, 5, 4711)
        assert jobs.job_ids(lambda query: query.where(store.JOB.c.name == "j7"), 2) == [7]
    finally:
        jobs.close()


def test_jobs_are_read_until_so_many_bytes_are(tmp_path: Path) -> None:
    jobs = _stored(tmp_path / "rmsd.db", 10)
    try:
        ids = [2, 3, 4, 5, 99]
        for most_bytes, read_to, found in ((0, 2, [2]), (2000, 3, [2, 3]), (10**6, 99, ids[:4])):
            to, some = jobs.jobs_of(ids, most_bytes)
            assert (to, [job.id for job, _ in some]) == (read_to, found)
        assert jobs.whose([1, 99]) == {1: ("ann", False)}
    finally:
        jobs.close()


def test_attempts_are_read_until_so_many_bytes_are(tmp_path: Path) -> None:
    jobs = _stored(tmp_path / "rmsd.db", 1)
    none = {"exit_code": None, "signal": None, "cpu_s": None, "max_rss_mib": None, "cause": None}
    rows = [
        {"job_id": 1, "attempt": number, "start_us": 1, "end_us": None, "allocation": [],
         "message": "m" * 1000, **none}
        for number in range(1, 11)
    ]  # fmt: skip
    try:
        jobs.transact(lambda connection: connection.execute(ATTEMPT.insert(), rows))

        def numbers(found: list[dict[str, Any]]) -> list[int]:
            return [row["attempt"] for row in found]

        assert numbers(jobs.attempts(1, 0, 0)) == [1]
        assert numbers(jobs.attempts(1, 1, 1999)) == [2, 3]
        assert numbers(jobs.attempts(1, 1, 2000)) == [2, 3, 4]
        assert numbers(jobs.attempts(1, 8, 10**6)) == [9, 10]
        assert jobs.attempts(1, 10, 10**6) == []
        assert numbers(jobs.latest_attempts(1, 2000)) == [8, 9, 10]
        found = jobs.attempt(1, 7)
        assert found is not None
        assert (found["attempt"], jobs.attempt(1, 11)) == (7, None)
    finally:
        jobs.close()


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@live
def test_the_audit_trail_has_pages(daemon: Daemon) -> None:
    for _ in range(5):
        daemon.emulate(0.0)
    entries = daemon.client.audit()
    assert len(entries) == 5

    def page(query: str) -> tuple[list[dict[str, Any]], int | None]:
        answer = json.loads(read_from(daemon, f"/v1/audit?{query}").read())
        return answer["entries"], answer["before"]

    assert page("limit=5") == (entries, None)
    assert page("limit=2") == (entries[3:], entries[3]["id"])
    assert page(f"limit=4&before={entries[4]['id']}") == (entries[:4], None)
    assert daemon.client.audit(limit=3) == entries[2:]
    with pytest.raises(ApiError, match="'limit' is 0"):
        ApiCalls(daemon.client.connection).ask("AuditReply", "GET", "/v1/audit?limit=0")
