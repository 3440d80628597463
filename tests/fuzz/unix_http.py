"""`requests` over a Unix socket, for tools that know HTTP over TCP alone."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool
from urllib3.connection import HTTPConnection

BASE_URL = "http://localhost"
_ANSWER_S = 60.0


def session(path: Path) -> requests.Session:
    """Return a session whose requests all go to this socket."""

    class Connection(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            connected = socket.socket(socket.AF_UNIX)
            connected.settimeout(_ANSWER_S)
            connected.connect(str(path))
            return connected

    class Pool(HTTPConnectionPool):
        ConnectionCls = Connection

    class Adapter(HTTPAdapter):
        pool = Pool("localhost")

        def get_connection_with_tls_context(self, *_: Any, **__: Any) -> HTTPConnectionPool:
            return self.pool

        def close(self) -> None:
            super().close()
            self.pool.close()

    made = requests.Session()
    made.trust_env = False
    made.mount(BASE_URL, Adapter())
    return made
