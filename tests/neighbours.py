"""Bad neighbours of a daemon: contexts in which something goes on that nobody should do."""

from __future__ import annotations

import asyncio
import contextlib
import math
import resource
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from rmsd_client.api import Client
from rmsd_core.vocabulary import Cause
from rmsd_wire import PROTOCOL, link
from rmsd_wire.link_calls import Reply
from rmsd_wire.node_info import NodeInfo

_PIPELINED = 32
_FLOOD = 20_000
"""Reports in one frame of an agent that floods the daemon."""


def unix(path: Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(str(path))  # a socket with a timeout would not wait for space in the queue
    sock.settimeout(30)
    return sock


@contextlib.contextmanager
def clients_that_never_read(path: Path, count: int = 8) -> Iterator[None]:
    """Run clients that ask for all jobs, many times over, and take none of the answers."""
    request = b"GET /v1/jobs?states=all HTTP/1.1\r\nHost: x\r\n\r\n"
    with contextlib.ExitStack() as held:
        for _ in range(count):
            held.enter_context(unix(path)).sendall(request * _PIPELINED)
        yield


@contextlib.contextmanager
def connections(path: Path, count: int = 10_000) -> Iterator[list[socket.socket]]:
    """Open connections, one after the other, without a word; those that the daemon closes stay open
    here. There are fewer than `count` where a process may not have as many files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(count, hard - 500)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count + 500), hard))
    try:
        with contextlib.ExitStack() as held:
            yield [held.enter_context(unix(path)) for _ in range(count)]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextlib.contextmanager
def trickling_bodies(path: Path, count: int = 200) -> Iterator[None]:
    """Begin submits whose bodies are announced, and never come."""
    head = b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{"
    with contextlib.ExitStack() as held:
        for _ in range(count):
            held.enter_context(unix(path)).sendall(head)
        yield


@contextlib.contextmanager
def half_open_handshakes(port: int, count: int = 500) -> Iterator[None]:
    """Open connections over TCP that begin with TLS, and leave it at that."""
    with contextlib.ExitStack() as held:
        for _ in range(count):
            held.enter_context(_half_open(port))
        yield


@contextlib.contextmanager
def half_open_handshakes_from_everywhere(port: int, count: int) -> Iterator[None]:
    """Open connections, each from another address; none waits until it is taken."""
    with contextlib.ExitStack() as held:
        for number in range(count):
            sock = held.enter_context(socket.socket())
            sock.setblocking(False)
            sock.bind((f"127.1.{number >> 8}.{number & 255}", 0))
            with contextlib.suppress(BlockingIOError):
                sock.connect(("127.0.0.1", port))
        yield


@contextlib.contextmanager
def endless_handshakes(port: int, at_once: int = 300) -> Iterator[None]:
    """Open ever new handshakes, as fast as they are taken, with `at_once` open at a time."""
    stop = threading.Event()

    def open_them() -> None:
        opened: deque[socket.socket] = deque()
        while not stop.is_set():
            with contextlib.suppress(ConnectionError):
                opened.append(_half_open(port))
            if len(opened) > at_once:
                opened.popleft().close()
        for sock in opened:
            sock.close()

    with _threads(open_them, 1, stop):
        yield


def _half_open(port: int) -> socket.socket:
    sock = socket.create_connection(("127.0.0.1", port), 30)
    # the daemon has closed this connection to make space
    with contextlib.suppress(ConnectionError):
        sock.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
    return sock


@contextlib.contextmanager
def agent_that_lies(path: Path, jobs: list[dict[str, Any]]) -> Iterator[Callable[[], int]]:
    """Run an agent that says the worst of `jobs`, which run on the nodes of others, and of jobs
    that do not exist; that makes impossible reports; and that reports too much. It begins anew
    whenever the daemon has had enough. Calling the value tells how often it has."""
    rounds = 0
    stop = threading.Event()

    async def lie() -> None:
        nonlocal rounds
        connector = aiohttp.UnixConnector(str(path))
        async with aiohttp.ClientSession(connector=connector) as http:
            while not stop.is_set():
                for frame in _lies(jobs):
                    with contextlib.suppress(aiohttp.ClientError, ConnectionError, TimeoutError):
                        await _say(http, frame)
                rounds += 1

    with _threads(lambda: asyncio.run(lie()), 1, stop):
        yield lambda: rounds


def _lies(jobs: list[dict[str, Any]]) -> Iterator[bytes]:
    encode = link.encoder.encode
    ended = [
        link.ExitedReport(seq, job["job_id"], attempt, node, Cause.EXIT, exit_code=0)
        for seq, (job, attempt, node) in enumerate(
            (job, attempt, node)
            for job in jobs
            for attempt in (job["attempt"], job["attempt"] + 1)
            for node in (job["nodelist"], "liar", "nowhere")
        )
    ]
    yield encode(ended)
    yield encode(
        [link.LaunchedReport(900 + i, job["job_id"], 1, "liar") for i, job in enumerate(jobs)]
    )
    first = ended[0]
    for spoiled in (
        {"ago_s": math.nan},
        {"ago_s": math.inf},
        {"exit_code": 1 << 60},
        {"cpu_s": math.inf},
        {"max_rss_mib": 1 << 62},
        {"end_us": 1 << 63},
        {"message": "x" * (1 << 20)},
        {"node": ""},
        {"seq": -1},
        {"job_id": (1 << 64) - 1},
    ):
        yield encode([msgspec.structs.replace(first, **spoiled)])
    yield b"\xc1"
    yield b"\x91\x82\xa4type\xa6exited\xa1x" + b"\x91" * 100_000 + b"\xc0"  # nested without end
    yield b""
    yield b"\xdd\xff\xff\xff\xff"
    yield encode([Reply(7, data=b"x" * (8 << 20))])
    yield encode([link.ExitedReport(i, 1 << 40, 1, "liar", Cause.EXIT) for i in range(_FLOOD)])


async def _say(http: aiohttp.ClientSession, frame: bytes) -> None:
    hello = link.Hello(
        protocol=PROTOCOL,
        version="0",
        agent_id="liar",
        epoch=1,
        nodes=[
            NodeInfo(name, "emulated", cores, 1024) for name, cores in (("liar", 0), ("e1", 64))
        ],
        held=[
            link.HeldAttempt(job_id, 1, node)
            for job_id in (1, 2, 1 << 61)
            for node in ("liar", "e1")
        ],
        leaving=["e1", "e2"],
    )
    async with http.ws_connect("http://rmsd/v1/link") as ws:
        await ws.send_bytes(link.encoder.encode([hello]))
        await ws.receive(timeout=30)
        await ws.send_bytes(frame)
        with contextlib.suppress(TimeoutError):
            await ws.receive(timeout=0.05)


@contextlib.contextmanager
def _threads(work: Callable[[], None], count: int, stop: threading.Event) -> Iterator[None]:
    """Run `work` in so many threads until `stop`, which is set in the end."""
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@contextlib.contextmanager
def impatient_clients(server: str, count: int = 4) -> Iterator[None]:
    """Run clients that ask again and again, as fast as answers come."""
    stop = threading.Event()

    def ask() -> None:
        with Client(server) as client:
            while not stop.is_set():
                client.nodes()

    with _threads(ask, count, stop):
        yield


@contextlib.contextmanager
def greedy_clients(path: Path, count: int = 4) -> Iterator[None]:
    """Run clients that ask again and again, and do not wait when they are told to."""
    stop = threading.Event()

    def ask() -> None:
        with unix(path) as sock:
            while not stop.wait(0.01):
                sock.sendall(b"GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n")
                sock.recv(65536)

    with _threads(ask, count, stop):
        yield
