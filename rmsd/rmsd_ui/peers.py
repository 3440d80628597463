"""The account at the other end of a connection on the loopback, as the kernel's tables tell it."""

from __future__ import annotations

import ipaddress
import socket
from pathlib import Path
from typing import Any

from aiohttp import web

_TABLES = (
    (Path("/proc/net/tcp"), ""),
    (Path("/proc/net/tcp6"), "0000000000000000FFFF0000"),
)
"""The tables, and what is before an address of version 4 in each."""
_ESTABLISHED = "01"


def account_of(request: web.Request) -> int | None:
    """Return the uid of the process that has sent a request; None if the kernel does not tell."""
    transport = request.transport
    if transport is None:
        return None
    return owner_of(transport.get_extra_info("peername"), transport.get_extra_info("sockname"))


def owner_of(theirs: Any, ours: Any) -> int | None:
    """Return the owner of the socket with the address `theirs` that is connected to `ours`. A
    socket that its process has closed has no owner: the table has root there."""
    if not theirs or not ours:
        return None
    local, remote = _written(theirs), _written(ours)
    for table, prefix in _TABLES:
        try:
            text = table.read_text("ascii")
        except OSError:
            continue
        # Each connection of another account has the whole table looked at: no line is taken apart
        # but the one that is wanted.
        wanted = f": {prefix}{local} {prefix}{remote} {_ESTABLISHED} "
        for after in text.split(wanted)[1:]:
            *_, uid, _, inode = after.split(None, 6)[:6]
            if inode != "0":
                return int(uid)
    return None


def _written(address: tuple[str, int]) -> str:
    """Return an address of version 4 as the table has it."""
    host, port = address
    number = socket.ntohl(int(ipaddress.IPv4Address(host)))
    return f"{number:08X}:{port:04X}"
