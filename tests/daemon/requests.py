"""Requests as handlers get them, without a server around them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from aiohttp import StreamReader
from aiohttp.base_protocol import BaseProtocol

from rmsd_daemon.callers.auth import Caller
from rmsd_daemon.domain.turns import Turn
from rmsd_daemon.front.answers import TURN


class Request(dict[Any, Any]):
    """A request of a caller that has come in."""

    def __init__(self, caller: Caller, **body: object) -> None:
        super().__init__({"caller": caller, "still": lambda _: None, TURN: Turn()})
        self.headers: dict[str, str] = {}
        self.client_max_size = 1 << 20
        self.content_length = len(json.dumps(body))
        loop = asyncio.get_running_loop()
        self.content = StreamReader(BaseProtocol(loop), self.content_length, loop=loop)
        self.content.feed_data(json.dumps(body).encode())
        self.content.feed_eof()
