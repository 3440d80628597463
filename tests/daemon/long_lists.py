"""Lists of jobs that are long, and requests that read them."""

from __future__ import annotations

from http.client import HTTPResponse

from tests.daemon.raw_http import ask, connect, read
from tests.live import Daemon

LONG = {
    "emulate": {"run_s": 1e6},
    "name": "n" * 256,
    "comment": "c" * 4096,
    "workdir": "/" + "w" * 4000,
    "stdout": "/" + "o" * 4000,
    "stderr": "/" + "e" * 4000,
    "notify": "http://127.0.0.1/" + "x" * 4000,
}
"""A job of whose like a list has 24 KB each."""
ALL = "/v1/jobs?limit=10000"


def fill(daemon: Daemon, count: int) -> list[int]:
    """Have so many long jobs wait; their numbers."""
    told = daemon.client.submit([LONG] * count)
    return [job["job_id"] for job in told]


def read_from(daemon: Daemon, target: str) -> HTTPResponse:
    """Return the answer to a GET on a connection of its own."""
    with connect(daemon) as sock:
        ask(sock, target)
        return read(sock)
