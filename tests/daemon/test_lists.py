"""Lists in parts and pages: whole, as JSON, and no longer than their callers may see them."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from http.client import HTTPResponse
from typing import Any

import pytest

from rmsd_client.calls.calls import ApiCalls
from rmsd_client.errors import ApiError
from rmsd_daemon.front.answers import PART_BYTES, Listed
from rmsd_wire.api.jobs import CancelReply, JobsReply
from tests.daemon.long_lists import ALL, LONG, fill, read_from
from tests.daemon.raw_http import ask, connect, post, read
from tests.live import Daemon
from tests.tcp import Tcp
from tests.waiting import DEADLINE_S

live = pytest.mark.live


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
        ask(sock, ALL)
        answer = read(sock)
        begun = answer.read(1000)
        daemon.client.cancel_all(ids[1:])
        told = [job["job_id"] for job in json.loads(begun + answer.read())["jobs"]]
    assert told == ids[: len(told)]
    assert 0 < len(told) < len(ids)
    shown = daemon.client.jobs(states="all")  # in parts from the database
    assert [job["job_id"] for job in shown] == ids
    assert shown[-1]["comment"] == LONG["comment"]


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
        ask(sock, ALL, f"Authorization: Bearer {token.text}")
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
    body = json.dumps({"jobs": [LONG] * 500}).encode()
    first, again = (post(daemon, "/v1/jobs", body, "Idempotency-Key: k") for _ in range(2))
    assert b"Transfer-Encoding: chunked" in first.partition(b"\r\n\r\n")[0]
    assert first.partition(b"\r\n\r\n")[2] == again.partition(b"\r\n\r\n")[2]
    assert len(daemon.client.jobs()) == 500
    short = post(daemon, "/v1/jobs", json.dumps({"jobs": [LONG]}).encode())
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
@pytest.mark.parametrize("target", ["/v1/jobs", "/v1/nodes", "/v1/plan", ALL])
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
    """This holds where an element looks like the list, and at the size at which a part is full."""
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
