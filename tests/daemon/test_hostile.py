"""Requests that no well-behaved client makes: refused, and the daemon goes on.

Long: daemons are started, and sent many requests.
"""

from __future__ import annotations

import asyncio
import contextlib
import json

import pytest
from aiohttp.base_protocol import BaseProtocol
from aiohttp.streams import StreamReader
from aiohttp.test_utils import make_mocked_request

from rmsd_daemon.front.http_log import http_logger
from rmsd_daemon.front.request_limits import read_body
from rmsd_wire.tokens import new_token
from tests.daemon.raw_http import connect, post
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.mark.parametrize("task", [-1, 1 << 31, 1 << 70])
def test_a_task_number_out_of_range_does_not_cut_the_agent_off(daemon: Daemon, task: int) -> None:
    job_id = daemon.submit("sleep 60")
    daemon.wait_for(job_id, "RUNNING")
    node = daemon.client.job(job_id)["nodelist"]
    body = json.dumps({"node": node, "step": "s", "task": task, "argv": ["true"]}).encode()
    assert post(daemon, f"/v1/jobs/{job_id}/tasks", body).split()[1] == b"400"
    after = daemon.submit("true")
    assert daemon.wait(after)["state"] == "COMPLETED"
    daemon.client.cancel(job_id)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_body_that_is_not_what_it_says_is_a_bad_request(daemon: Daemon, encoding: str) -> None:
    answer = post(daemon, "/v1/jobs", b'{"jobs":[]}', f"Content-Encoding: {encoding}")
    assert answer.split()[1] == b"400"


def test_a_client_that_leaves_in_the_middle_is_no_error_of_ours(daemon: Daemon) -> None:
    with connect(daemon) as sock:
        sock.sendall(b'POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"jobs"')
    job_id = daemon.submit("true")
    assert daemon.wait(job_id)["state"] == "COMPLETED"
    assert "request-failed" not in daemon.log.read_text()


def test_what_is_no_http_fills_no_log_and_is_not_in_it(daemon: Daemon) -> None:
    """Such text may be a token with a slip of the hand, or a script that was longer than was
    said."""
    for line in (b"X: " + b"\x01" * 7000, b"Authorization : Bearer rms_secret") * 100:
        with connect(daemon) as sock, sock.makefile("rb") as answer:
            sock.sendall(b"GET /v1/status HTTP/1.1\r\nHost: x\r\n" + line + b"\r\n\r\n")
            assert answer.readline().split()[1] == b"400"
    log = daemon.log.read_text()
    assert "request-not-http" in log
    assert "Traceback" not in log
    assert "rms_secret" not in log
    assert len(log) < 50_000
    assert daemon.client.status()["version"]


def test_the_bodies_of_one_caller_fill_so_much_memory(daemon: Daemon) -> None:
    most = 16 << 20
    head = f"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: {most}\r\n\r\n".encode()
    with contextlib.ExitStack() as stack:
        socks = [stack.enter_context(connect(daemon)) for _ in range(4)]
        for sock in socks:
            sock.sendall(head + b"{")
        late = stack.enter_context(connect(daemon))

        def refused() -> bool:
            answer = post(daemon, "/v1/jobs", b"{}" + b" " * 100)
            return answer.split()[1] == b"429" and b"in other requests" in answer

        wait_until(refused)
        late.sendall(head + b"{")
        assert late.recv(100).split()[1] == b"429"
    wait_until(lambda: post(daemon, "/v1/jobs", b"{}").split()[1] == b"400")


@pytest.mark.parametrize("key", [b"\xff", b"\xc3\xa9", b"a\x7fb", b"x" * 300])
def test_a_key_that_cannot_be_stored_is_a_bad_request(daemon: Daemon, key: bytes) -> None:
    """Such a key fails nobody else's commit."""
    body = b'{"jobs": [{"emulate": {"run_s": 1}}]}'
    head = b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nConnection: close\r\nIdempotency-Key: "
    with connect(daemon) as sock, sock.makefile("rb") as answer:
        sock.sendall(head + key + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        assert answer.read().split()[1] == b"400"
    assert daemon.wait(daemon.submit("true"))["job_id"] == 1
    log = daemon.log.read_text()
    assert "pass-failed" not in log
    assert "commit-failed" not in log


def test_who_leaves_while_a_token_is_revoked_leaves_nothing_half_done(daemon: Daemon) -> None:
    """What is committed holds at once, also when nobody waits for the answer."""
    tokens = [new_token() for _ in range(20)]
    for token in tokens:
        fields = {"id": token.id, "digest": token.digest, "role": "user", "expires_s": 600.0}
        daemon.client.make_token(fields)
    for token in tokens:
        with connect(daemon) as sock:
            head = f"DELETE /v1/tokens/{token.id}?wait_s=5 HTTP/1.1\r\nHost: x\r\n\r\n"
            sock.sendall(head.encode())

    def revoked() -> int:
        entries = daemon.client.audit()
        return sum(entry["action"] == "token revoke" for entry in entries)

    wait_until(lambda: revoked() == len(tokens))
    # Once that is stored they are revoked, though the trail may be read a moment sooner.
    wait_until(lambda: {one["state"] for one in daemon.client.tokens()} == {"revoked"})


async def test_a_body_whose_connection_is_lost_before_it_is_read_is_the_clients_fault() -> None:
    """A request that waited behind another one on its connection may begin after the loss."""
    loop = asyncio.get_running_loop()
    lost = BaseProtocol(loop)  # the protocol has no transport
    payload = StreamReader(lost, 1 << 16, loop=loop)
    with pytest.raises(ConnectionResetError):
        await read_body(make_mocked_request("POST", "/v1/jobs", payload=payload))


def test_who_leaves_before_the_daemon_can_answer_is_no_failure(
    capfd: pytest.CaptureFixture[str],
) -> None:
    logger = http_logger()
    for error in (ConnectionResetError("gone"), ValueError("ours")):
        logger.error("Error handling request from %s", "1.2.3.4", exc_info=error)
    said = capfd.readouterr()
    assert "ours" in said.out + said.err
    assert "gone" not in said.out + said.err


@pytest.mark.parametrize("version", ["", " HTTP/0.9", " HTTP/2.0"])
def test_other_versions_of_http_are_not_served(daemon: Daemon, version: str) -> None:
    with connect(daemon) as sock, sock.makefile("rb") as answer:
        sock.sendall(f"GET /v1/status{version}\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        assert answer.readline().split()[1] == b"400"
