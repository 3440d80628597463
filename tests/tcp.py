"""A daemon that listens on TCP: its certificate, its port, and tokens for it."""

from __future__ import annotations

import contextlib
import random
import socket
from pathlib import Path
from typing import Any

from rmsd_cli.certificates import make
from rmsd_client.api import Client
from rmsd_wire.tokens import Token, new_token
from tests.live import Daemon
from tests.waiting import DEADLINE_S


def free_port() -> int:
    """Choose a port below those that the kernel gives to others, also while a daemon is away from
    its own.

    It is kept until the process ends, from the tests that run beside this one and look for theirs.
    """
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as sock, contextlib.suppress(OSError):
            sock.bind(("127.0.0.1", port))
            # A daemon that sets SO_REUSEADDR as well may bind the port beside this socket, which
            # does not listen.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.detach()
            return port


class Tcp:
    """The access to `daemon`, which must not run yet, over TCP. `folder`: the place of the
    certificate, if not in the state directory."""

    def __init__(self, daemon: Daemon, host: str = "127.0.0.1", folder: Path | None = None) -> None:
        self.daemon = daemon
        self.port = free_port()
        self.url = f"https://{host}:{self.port}"
        if folder is None:
            folder = daemon.state / "tls"
            daemon.state.mkdir(mode=0o700, exist_ok=True)
        else:
            daemon.configure(f'tls_cert = "{folder}/cert.pem"\ntls_key = "{folder}/key.pem"\n')
        make(folder, [host, "localhost"])
        self.ca = folder / "ca.pem"
        daemon.options = (*daemon.options, "--listen", f"{host}:{self.port}")

    def token(self, **asked: Any) -> Token:
        """Return a new token that the daemon has taken from its own account."""
        token = new_token()
        fields = {"id": token.id, "digest": token.digest, "expires_s": 3600.0, **asked}
        self.daemon.client.make_token(fields)
        return token

    def file(self, token: Token) -> Path:
        """Return a token file of one's own."""
        path = self.daemon.root / f"token-{token.id}"
        path.touch(mode=0o600)
        path.write_text(f"{token.text}\n")
        return path

    def client(self, token: Token | None) -> Client:
        token_file = "" if token is None else str(self.file(token))
        return Client(self.url, token_file, str(self.ca), retry_for_s=DEADLINE_S)
