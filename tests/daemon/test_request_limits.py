"""The limits of one caller: sizes, rates, jobs, connections, and slowness.

Long: daemons are started, and their limits reached.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import socket
import ssl
import subprocess
from collections.abc import Callable

import pytest

from rmsd_client.api import Client
from rmsd_client.errors import ApiError
from tests.commands import BIN
from tests.daemon.raw_http import connect, connect_to, post
from tests.live import Daemon, other_agent
from tests.neighbours import greedy_clients
from tests.tcp import Tcp
from tests.waiting import wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]

Start = Callable[..., Daemon]
_EMULATED = ("--no-local-node", "--emulate", "1x1")
_READ_AHEAD = 1 << 20
"""More than the kernel and the daemon buffer of a connection that the daemon does not read."""


def one(**fields: object) -> dict[str, object]:
    return {"emulate": {"run_s": 0}, **fields}


@pytest.mark.parametrize(
    ("spec", "detail"),
    [
        ({"args": ["x" * (1 << 17)]}, r"'args\[0\]' has 131073 bytes, more than the limit"),
        ({"env": {"A": "x" * (1 << 17)}}, r"'env.A' has 131075 bytes, more than the limit"),
        ({"args": ["x" * 100_000] * 11}, "'args' and 'env' have 1100099 bytes, more than"),
        ({"env": {f"A{i:05}": "" for i in range(70_000)}}, "'args' and 'env' have 1120000 bytes"),
    ],
)
def test_what_no_process_can_be_given_is_too_large(
    daemon: Daemon, spec: dict[str, object], detail: str
) -> None:
    with pytest.raises(ApiError, match=detail) as refused:
        daemon.client.submit([one(**spec)])
    assert refused.value.status == 413


def test_a_body_has_so_many_bytes_jobs_and_strings(start_daemon: Start) -> None:
    limits = 'max_request_size = "1M"\nmax_jobs_per_request = 10\n'
    daemon = start_daemon(*_EMULATED, config=limits)
    for specs, detail in (
        ([one(comment="x")] * 11, "'jobs' has 11 jobs, more than the limit of 10"),
        ([one()] * 25_000, "'jobs' has 25000 jobs, more than the limit of 10"),
        ([{"args": [""] * 260_000}], "the body has 260[0-9]{3} strings, more than the limit of"),
        ([one()] * 50_000, "the body has 1[0-9]{6} bytes, more than the limit of 1048576"),
    ):
        with pytest.raises(ApiError, match=detail) as refused:
            daemon.client.submit(specs)
        assert refused.value.status == 413
    assert len(daemon.client.submit([one()] * 10)) == 10


def test_a_large_body_is_refused_before_it_is_read(start_daemon: Start) -> None:
    daemon = start_daemon(*_EMULATED, config='max_request_size = "1M"\n')
    with connect(daemon) as sock:
        sock.sendall(b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n")
        assert b"413" in sock.recv(100).split(b"\r\n")[0]
    with pytest.raises(ApiError, match=r"the body has 2\d{6} bytes, more than the limit"):
        daemon.client.submit([one(args=["x" * 100_000] * 20)])


@pytest.mark.parametrize("request_line", [b"POST /v1/jobs", b"GET /v1/status", b"GET /nowhere"])
def test_a_body_in_chunks_is_refused_and_not_read(daemon: Daemon, request_line: bytes) -> None:
    """Fifty connections with chunks of a byte kept the daemon from all others for ten seconds."""
    with connect(daemon) as sock:
        sock.sendall(request_line + b" HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            for _ in range(1000):
                sock.sendall(b"1\r\n \r\n" * 1000)
        answer = sock.recv(4096)
    assert answer.startswith(b"HTTP/1.1 411 ")
    assert b"give its Content-Length" in answer


def test_a_short_body_in_chunks_is_told_why(daemon: Daemon) -> None:
    with connect(daemon) as sock:
        sock.sendall(b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        with contextlib.suppress(ConnectionError):  # the answer may come first, and the end with it
            sock.sendall(b"2\r\n{}\r\n0\r\n\r\n")
        answer = sock.recv(4096)
    assert answer.startswith(b"HTTP/1.1 411 ")


def test_who_asks_too_often_waits_and_goes_on(start_daemon: Start) -> None:
    daemon = start_daemon(*_EMULATED, config="max_request_rate = 5\n")
    told: list[str] = []
    with Client(daemon.client.server, notice=told.append) as client:
        for _ in range(30):
            client.status()
    # 20 at once; the others wait their turn, and are never refused: one at a time is not too many.
    assert told == []
    head = b"GET /v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    socks = [connect(daemon) for _ in range(100)]  # more than there is room for in many seconds
    for sock in socks:
        sock.sendall(head)
    answers = [sock.makefile("rb").read() for sock in socks]
    for sock in socks:
        sock.close()
    refused = [answer for answer in answers if answer.split()[1] == b"429"]
    assert refused
    for answer in refused:
        assert b"Retry-After: 2\r\n" in answer
        assert b"too many requests of" in answer
        assert b"more than 5 a second" in answer


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_who_asks_for_what_is_not_his_waits_as_well(start_daemon: Start) -> None:
    """A refusal costs a look into the database."""
    daemon = start_daemon(*_EMULATED, config="max_request_rate = 5\n", begin=False)
    daemon.root.chmod(0o755)
    path = daemon.root / "run" / "rmsd.sock"
    daemon.options = (*daemon.options, "--socket", str(path))
    daemon.start()
    head = b"GET /v1/jobs/4711 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    os.seteuid(pwd.getpwnam("daemon").pw_uid)
    try:
        socks = [connect_to(path) for _ in range(100)]
    finally:
        os.seteuid(0)
    for sock in socks:
        sock.sendall(head)
    answers = [sock.makefile("rb").read().split()[1] for sock in socks]
    for sock in socks:
        sock.close()
    assert {*answers} == {b"404", b"429"}


def test_rsub_waits_when_it_is_told_to_and_says_so(start_daemon: Start) -> None:
    daemon = start_daemon(*_EMULATED, config="max_request_rate = 2\n")

    def said() -> str:
        """Return what the daemon says when it refuses twice, as it does unless it is lucky."""
        with subprocess.Popen(
            [BIN / "rsub", "--wrap", "true"],
            env=daemon.env, cwd=daemon.work, stderr=subprocess.PIPE, text=True,
        ) as rsub:  # fmt: skip
            assert rsub.stderr is not None
            with greedy_clients(daemon.state / "rmsd.sock"):
                words = rsub.stderr.readline()
            rsub.communicate()
        assert rsub.returncode == 0
        return words if "too many requests of" in words else ""

    assert "trying again" in wait_until(said)


def test_a_user_has_so_many_jobs_waiting_and_running(start_daemon: Start) -> None:
    daemon = start_daemon(*_EMULATED, config="max_jobs_per_user = 3\n")
    first = daemon.client.submit([one(emulate={"run_s": 1000})] * 2, key="mine")
    daemon.client.submit([one(emulate={"run_s": 1000})])
    words = "has 3 jobs waiting or running, and may have 3; submit again when some are over"
    with pytest.raises(ApiError, match="and may have 3; this submit has 2 jobs; submit again"):
        daemon.client.submit([one(emulate={"run_s": 1000})] * 2)
    with pytest.raises(ApiError, match=words) as refused:
        daemon.emulate(0.0)
    assert refused.value.status == 429
    assert daemon.client.submit([one(emulate={"run_s": 1000})] * 2, key="mine") == first
    assert daemon.client.submit([one(user="ann")] * 3)
    daemon.kill()
    daemon.start()
    with pytest.raises(ApiError, match=words):
        daemon.emulate(0.0)
    daemon.client.cancel(first[0]["job_id"])
    daemon.wait(first[0]["job_id"])
    wait_until(lambda: daemon.emulate(0.0))


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_idle_connections_make_room_and_busy_ones_do_not(start_daemon: Start, method: str) -> None:
    daemon = start_daemon(*_EMULATED, config="max_connections = 20\n")
    job_id = daemon.emulate(1000.0)
    daemon.wait_for(job_id, "RUNNING")
    with contextlib.ExitStack() as held:
        idle = [held.enter_context(connect(daemon)) for _ in range(100)]
        assert daemon.state_of(job_id) == "RUNNING"
        wait_until(lambda: sum(map(_is_closed, idle)) >= 80)
        busy = []
        for _ in range(15):  # three quarters of 20
            sock = held.enter_context(connect(daemon))
            target = f"/v1/jobs/{job_id}?wait_s=600"
            sock.sendall(f"{method} {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            busy.append(sock)
        wait_until(lambda: b"429" in _asked(daemon, f"/v1/jobs/{job_id}?wait_s=1"))
        assert b"requests of yours wait for news" in _asked(daemon, f"/v1/jobs/{job_id}?wait_s=1")
        # On a busy machine, the status may be the one of a moment before.
        wait_until(lambda: daemon.client.status()["jobs"].get("RUNNING") == 1)
        assert not any(_is_closed(sock) for sock in busy)
    # A client that has gone waits no more.
    wait_until(lambda: _asked(daemon, f"/v1/jobs/{job_id}?wait_s=0.01").split()[1] == b"200")


def _is_closed(sock: socket.socket) -> bool:
    sock.setblocking(False)
    try:
        return sock.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    finally:
        sock.settimeout(20)


def _asked(daemon: Daemon, target: str) -> bytes:
    """Return all that comes back, also if the connection is refused while we ask."""
    answer = b""
    with connect(daemon) as sock, contextlib.suppress(ConnectionResetError):
        with contextlib.suppress(BrokenPipeError):
            sock.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        while data := sock.recv(65536):
            answer += data
    return answer


def test_who_is_refused_a_connection_is_told_why(start_daemon: Start) -> None:
    daemon = start_daemon(*_EMULATED, config="max_connections = 4\n")
    job_id = daemon.submit("sleep 1000")
    daemon.wait_for(job_id, "RUNNING")
    daemon.client.close()
    with contextlib.ExitStack() as held:

        def refusal() -> bytes:
            # the body never comes: the connection stays busy
            sock = held.enter_context(connect(daemon))
            sock.sendall(b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
            answer = _asked(daemon, "/v1/status")
            return answer if answer.split()[1] == b"429" else b""

        answer = wait_until(refusal)
        assert b"429 Too Many Requests" in answer
        assert b"4 connections of yours are in use" in answer
        for _ in range(50):
            _asked(daemon, "/v1/status")
    assert daemon.client.status()["jobs"] == {"RUNNING": 1}  # the agent's link is another matter
    log = daemon.log.read_text()
    assert "Traceback" not in log
    assert log.count("connection-refused") == 1


def test_who_comes_from_the_same_address_is_served_and_so_is_an_agent(start_daemon: Start) -> None:
    """These callers are on a login host, or on a node with a job of the greedy user. Each of them
    has connections of its own there."""
    tcp = Tcp(start_daemon("--no-local-node", config="max_connections = 4\n", begin=False))
    daemon = tcp.daemon.start()
    greedy, ann, join = tcp.token(user="greedy"), tcp.token(user="ann"), tcp.token(role="agent")
    context = ssl.create_default_context(cafile=str(tcp.ca))
    head = f"Host: x\r\nAuthorization: Bearer {greedy.text}\r\n"
    with contextlib.ExitStack() as held:

        def sent(request: str) -> ssl.SSLSocket:
            plain = held.enter_context(socket.create_connection(("127.0.0.1", tcp.port), 20))
            sock = held.enter_context(context.wrap_socket(plain, server_hostname="127.0.0.1"))
            sock.sendall(request.encode())
            return sock

        def refused() -> bool:
            # The body of the first one never comes, and has minutes because of its size: it stays
            # busy.
            sent(f"POST /v1/jobs HTTP/1.1\r\n{head}Content-Length: {8 << 20}\r\n\r\n{{")
            answer = sent(f"GET /v1/status HTTP/1.1\r\n{head}\r\n").recv(65536)
            return b"4 connections of yours are in use" in answer

        wait_until(refused)
        with Client(tcp.url, str(tcp.file(ann)), str(tcp.ca), retry_for_s=0) as client:
            assert client.status()["jobs"] == {}
        reached = ("--server", tcp.url, "--ca-file", str(tcp.ca))
        joins = (*reached, "--token-file", str(tcp.file(join)), "--emulate", "1x4")
        held.enter_context(other_agent(daemon, *joins))
        wait_until(lambda: daemon.nodes_up() == 1)
        assert refused()


def test_a_bomb_is_not_inflated(daemon: Daemon) -> None:
    answer = post(daemon, "/v1/jobs", b"\x1f\x8b\x08", "Content-Encoding: gzip")
    assert answer.split()[1] == b"400"


@pytest.mark.parametrize("headers", [[2000], [900] * 40], ids=["long", "many"])
def test_headers_that_are_too_large_are_refused_before_they_end(
    daemon: Daemon, headers: list[int]
) -> None:
    lines = [f"X-{at}: {'x' * size}" for at, size in enumerate(headers)]
    with connect(daemon) as sock:
        sock.sendall("\r\n".join(["GET /v1/status HTTP/1.1", "Host: x", *lines, ""]).encode())
        assert sock.recv(12).split()[1] == b"400"


def test_requests_behind_one_that_waits_are_not_read(daemon: Daemon) -> None:
    job_id = daemon.submit("sleep 1000")
    lines = [f"X-{at}: {'x' * 1000}" for at in range(30)]
    head = "\r\n".join([f"GET /?{'x' * 8000} HTTP/1.1", "Host: x", *lines, "", ""]).encode()
    sent, quiet = 0, 0
    with connect(daemon) as sock:
        sock.sendall(f"GET /v1/jobs/{job_id}?wait_s=600 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        sock.setblocking(False)
        while quiet < 3 and sent < _READ_AHEAD:
            try:
                sent += sock.send(head)
                quiet = 0
            except BlockingIOError:
                daemon.client.status()  # the daemon has had its chance to read
                quiet += 1
    assert sent < _READ_AHEAD
    daemon.client.cancel(job_id)
