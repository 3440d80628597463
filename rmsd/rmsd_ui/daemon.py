"""The daemon as the dashboard asks it: over its Unix socket, as the account of this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout, UnixConnector

_TIMEOUT = ClientTimeout(total=30.0)
_STREAM = ClientTimeout(total=None, sock_connect=5.0)
_CONNECTIONS = 80


class RefusedError(Exception):
    """The daemon has refused a request, or does not answer. `status` is that of the answer."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class DaemonSocket:
    """Connections to the daemon's socket at `path`."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._session: ClientSession | None = None

    def _connected(self) -> ClientSession:
        if self._session is None:
            connector = UnixConnector(self._path, limit=_CONNECTIONS)
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
        except (ClientError, TimeoutError) as error:
            raise RefusedError(503, f"the daemon does not answer: {error}") from error

    async def stream(self, path: str, headers: Mapping[str, str]) -> ClientResponse:
        """Return the answer to a GET whose body goes on. Raises RefusedError."""
        try:
            response = await self._connected().get(path, headers=headers, timeout=_STREAM)
        except (ClientError, TimeoutError) as error:
            raise RefusedError(503, f"the daemon does not answer: {error}") from error
        if response.status != 200:
            response.close()
            raise RefusedError(response.status, "the daemon refuses a stream of events")
        return response
