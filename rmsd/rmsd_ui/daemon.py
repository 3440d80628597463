"""The daemon as the dashboard asks it: over its Unix socket, as the account of this process.

Reads are asked on the event loop: many pages wait at a time. Acts are calls of the client library,
in threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from aiohttp import ClientError as HttpError
from aiohttp import ClientResponse, ClientSession, ClientTimeout, UnixConnector

from rmsd_client.api import Client
from rmsd_client.errors import ApiError, ClientError, Unreachable

_Result = TypeVar("_Result")
_RETRY_S = 2.0
_TIMEOUT = ClientTimeout(total=30.0)
_LONG_POLL = ClientTimeout(total=90.0, sock_connect=5.0)
_STREAM = ClientTimeout(total=None, sock_connect=5.0)
_CONNECTIONS = 200


class RefusedError(Exception):
    """The daemon has refused a request, or does not answer. `status` is that of the answer,
    `field` the field of a submit that is refused ("" if it is no one field)."""

    def __init__(self, status: int, detail: str, field: str = "") -> None:
        super().__init__(detail)
        self.status = status
        self.field = field


class DaemonSocket:
    """Connections to the daemon's socket, at `path`. `acted` is called after each act."""

    def __init__(self, path: str) -> None:
        self.acted: Callable[[], None] = lambda: None
        self.path = path
        self._session: ClientSession | None = None

    def _connected(self) -> ClientSession:
        if self._session is None:
            connector = UnixConnector(self.path, limit=_CONNECTIONS)
            self._session = ClientSession("http://localhost", connector=connector)
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def get(self, path: str, query: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return the answer to a GET. Raises RefusedError."""
        try:
            reply = self._connected().get(path, params=query, timeout=_TIMEOUT)
            async with reply as response:
                told: dict[str, Any] = await response.json(content_type=None)
                if response.status != 200:
                    raise RefusedError(response.status, str(told.get("detail", response.reason)))
                return told
        except (HttpError, TimeoutError) as error:
            raise RefusedError(503, f"the daemon does not answer: {error}") from error

    async def read(
        self, path: str, query: Mapping[str, str], most: int
    ) -> tuple[bytes, Mapping[str, str]]:
        """Return the body of the answer to a GET, and its headers. Raises RefusedError, also if
        there are more than `most` bytes."""
        try:
            reply = self._connected().get(path, params=query, timeout=_LONG_POLL)
            async with reply as response:
                if response.status != 200:
                    told = await response.json(content_type=None)
                    raise RefusedError(response.status, str(told.get("detail", response.reason)))
                data = bytearray()
                async for part in response.content.iter_any():
                    data += part
                    if len(data) > most:
                        raise RefusedError(502, "the daemon sends more than was asked for")
                return bytes(data), response.headers
        except (HttpError, TimeoutError, ValueError) as error:
            raise RefusedError(503, f"the daemon does not answer: {error}") from error

    async def stream(self, path: str, headers: Mapping[str, str]) -> ClientResponse:
        """Return the answer to a GET whose body goes on. Raises RefusedError."""
        try:
            response = await self._connected().get(path, headers=headers, timeout=_STREAM)
        except (HttpError, TimeoutError) as error:
            raise RefusedError(503, f"the daemon does not answer: {error}") from error
        if response.status != 200:
            response.close()
            raise RefusedError(response.status, "the daemon refuses a stream of events")
        return response

    async def act(self, call: Callable[[Client], _Result]) -> _Result:
        """Return the result of calls of a client of its own, in a thread. Raises RefusedError,
        with the status 400 for a wrong value."""

        def calls() -> _Result:
            with Client(f"unix:{self.path}", retry_for_s=_RETRY_S) as client:
                return call(client)

        try:
            return await asyncio.to_thread(calls)
        except ApiError as error:
            raise RefusedError(error.status, str(error), error.field) from error
        except Unreachable as error:
            raise RefusedError(503, str(error)) from error
        except ClientError as error:
            raise RefusedError(400, str(error)) from error
        finally:
            self.acted()
