"""The connections to the dashboard: every account of the machine can open some, and those of others
leave room for its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from rmsd_ui.peers import owner_of

MOST_OF_OTHERS = 20
"""The connections of other accounts that are open at a time."""


class Doorkeeper:
    """Passes the connections to a port on to a web server.

    server: makes the protocol of a connection. is_own: returns whether an account may have any
    number of connections; None is an account that the kernel does not tell.
    """

    def __init__(
        self, server: Callable[[], asyncio.Protocol], is_own: Callable[[int | None], bool]
    ) -> None:
        self._server = server
        self._is_own = is_own
        self._of_others: list[asyncio.Transport] = []  # the oldest first

    def arriving(self) -> asyncio.Protocol:
        """Return the protocol of a connection that has just been made."""
        return _ArrivingConnection(self)

    def admit(self, transport: asyncio.Transport) -> None:
        """Pass a connection on. The oldest one of other accounts makes room for it, if these have
        too many."""
        names = [transport.get_extra_info(one) for one in ("peername", "sockname")]
        if not self._is_own(owner_of(*names)):
            still_open = [one for one in self._of_others if not one.is_closing()]
            self._of_others = [*still_open, transport]
            if len(self._of_others) > MOST_OF_OTHERS:
                self._of_others.pop(0).abort()
        protocol = self._server()
        transport.set_protocol(protocol)
        protocol.connection_made(transport)


class _ArrivingConnection(asyncio.Protocol):
    def __init__(self, doorkeeper: Doorkeeper) -> None:
        self._doorkeeper = doorkeeper

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._doorkeeper.admit(transport)
