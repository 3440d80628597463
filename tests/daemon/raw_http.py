"""Requests as bytes on the daemon's socket, which no client of ours would send."""

from __future__ import annotations

import socket
from http.client import HTTPResponse
from pathlib import Path

from tests.live import Daemon


def connect(daemon: Daemon) -> socket.socket:
    return connect_to(daemon.state / "rmsd.sock")


def connect_to(path: Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.settimeout(20)
    sock.connect(str(path))
    return sock


def post(daemon: Daemon, target: str, body: bytes, *headers: str) -> bytes:
    """Send a POST, and return all that comes back."""
    lines = [f"POST {target} HTTP/1.1", "Host: x", "Connection: close", *headers]
    head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""])
    with connect(daemon) as sock, sock.makefile("rb") as answer:
        sock.sendall(head.encode() + body)
        return answer.read()


def ask(sock: socket.socket, target: str, *headers: str) -> None:
    """Send a GET, of which nothing is read."""
    sock.sendall("\r\n".join([f"GET {target} HTTP/1.1", "Host: x", *headers, "", ""]).encode())


def read(sock: socket.socket) -> HTTPResponse:
    """Return the head of the answer; its body can be read from it."""
    answer = HTTPResponse(sock)
    answer.begin()
    return answer
