"""Answers of HTTP in the client, from who may be no daemon at all."""

from __future__ import annotations

import socket
from contextlib import suppress

from rmsd_client.api import Client
from rmsd_client.connection.http import Connection
from rmsd_client.connection.server import Address
from rmsd_client.errors import ClientError
from tests.fuzz.harness import Harness

_MOST_BYTES = 64 << 10
"""The most bytes of an answer that waits in a socket before it is asked for."""


class Prepared(Address):
    """A server that has said all that it will say, once."""

    def __init__(self, answer: bytes) -> None:
        super().__init__(path="/prepared")
        self._answer: bytes | None = answer[:_MOST_BYTES]

    def connect(self, timeout_s: float) -> socket.socket:
        if self._answer is None:
            raise ConnectionRefusedError("gone")
        near, far = socket.socketpair()
        with far:
            far.sendall(self._answer)
            self._answer = None
            far.shutdown(socket.SHUT_WR)
            near.settimeout(timeout_s)
            self.far = far.dup()  # takes what is said to it
        return near

    def close(self) -> None:
        if self._answer is None:
            self.far.close()


def response(answer: bytes) -> None:
    """Expect an answer of HTTP or a ClientError."""
    address = Prepared(answer)
    connection = Connection(address, retry_for_s=0.0)
    try:
        with suppress(ClientError):
            found = connection.request("GET", "/")
            assert 200 <= found.status <= 999
            assert all(name == name.lower() for name in found.headers)
    finally:
        connection.close()
        address.close()


def status(answer: bytes) -> None:
    """Expect the answer of a daemon or a ClientError with words for the user."""
    if b"429" in answer:
        return  # the client would wait for the answer
    address = Prepared(answer)
    client = Client("unix:/prepared", retry_for_s=0.0)
    client.connection.address = address
    said = None
    try:
        assert isinstance(client.status(), dict)
    except ClientError as error:
        said = error
    finally:
        client.close()
        address.close()
    if said is not None:
        assert str(said)
        assert 0 < said.exit_code < 256


def check(data: bytes) -> None:
    response(data)
    status(data)


_PROBLEM = b'{"title":"Not found","status":404,"detail":"no job 7","exit_code":1}'

HARNESS = Harness(
    what="answers of HTTP in the client",
    check=check,
    readers=("rmsd_client.connection.http",),
    seeds=(
        b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n" + b'{"trouble":0}',
        b"HTTP/1.1 404 Not found\r\nContent-Length: %d\r\n\r\n%b" % (len(_PROBLEM), _PROBLEM),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\n{}\r\n0\r\nX: y\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No content\r\nConnection: close\r\n\r\n",
        b"HTTP/1.1 429 Too many\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n",
        b"HTTP/1.1 002 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: \xb2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n" + b"[" * 4000,
        b"HTTP/1.1 400 No\r\nContent-Length: 4000\r\n\r\n" + b"[" * 4000,
        b"HTTP/1.1 400 No\r\nContent-Length: 32\r\n\r\n" + b'{"detail":[1],"exit_code":1e999}',
    ),
)
