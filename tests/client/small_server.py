"""A small HTTP server on a Unix socket or TCP, for tests of the client's side of the protocol."""

from __future__ import annotations

import json
import os
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from rmsd_cli.certificates import make


class Request(NamedTuple):
    """A request as it arrived. `connection` numbers the connections."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    connection: int


class Answer(NamedTuple):
    """An answer to give. `chunks`: with this transfer coding, each sent as it comes; `raw`: these
    bytes, then hang up."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = MappingProxyType({})
    chunks: Iterable[bytes] = ()
    raw: bytes | None = None


def json_answer(value: Any, status: int = 200) -> Answer:
    return Answer(status, json.dumps(value).encode())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: SmallServer

    def setup(self) -> None:
        super().setup()
        self.number = self.server.count_connection()

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        request = Request(
            self.command, self.path, dict(self.headers), self.rfile.read(length), self.number
        )
        self.server.requests.append(request)
        answer = self.server.respond(request)
        if answer.raw is not None:
            self.wfile.write(answer.raw)
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.chunks:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for chunk in answer.chunks:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

    do_GET = do_POST = do_DELETE = answer

    def address_string(self) -> str:
        return "unix"

    def log_message(self, *_: Any) -> None:
        pass


class SmallServer(socketserver.ThreadingMixIn, socketserver.BaseServer):
    """Serves in threads of its own until the `with` statement ends."""

    daemon_threads = True
    requests: list[Request]

    def begin(self, respond: Callable[[Request], Answer]) -> Self:
        self.respond = respond
        self.requests = []
        self._connections = 0
        self._count_lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def count_connection(self) -> int:
        with self._count_lock:
            self._connections += 1
            return self._connections

    def handle_error(self, *_: Any) -> None:
        pass  # a client that hangs up is part of the tests

    def __exit__(self, *_: Any) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class UnixServer(SmallServer, socketserver.UnixStreamServer):
    daemon_threads = True


class TcpServer(SmallServer, socketserver.TCPServer):
    daemon_threads = True
    allow_reuse_address = True


def serve_unix(path: Path, respond: Callable[[Request], Answer]) -> SmallServer:
    """Return a server on a socket at `path`, which is replaced if it is there."""
    if path.exists():
        os.unlink(path)
    return UnixServer(str(path), _Handler).begin(respond)


def serve_tls(respond: Callable[[Request], Answer], folder: Path) -> tuple[SmallServer, str]:
    """Return a server with TLS on a free port of loopback, and its URL; `ca.pem` in `folder` is for
    its clients."""
    make(folder, ["127.0.0.1"])
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    server = TcpServer(("127.0.0.1", 0), _Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    return server.begin(respond), f"https://127.0.0.1:{server.server_address[1]}"
