"""The number of connections that fit the limit of open files."""

from __future__ import annotations

import resource

_OWN_FILES = 128
"""The files that the daemon opens for itself: the database, its log, threads' connections."""
MOST_HANDSHAKES = 256
"""Connections over TCP that have not shown yet that they speak TLS."""

_MOST_CONNECTIONS = 1 << 15
"""The most connections, however many files the system allows: an idle one over TCP holds 41 KB, 1.3
GB in all."""


def most_connections() -> int:
    """Return the number of connections that are possible when some files are left for the daemon
    itself."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    others = _OWN_FILES + MOST_HANDSHAKES
    return min(_MOST_CONNECTIONS, max(most - others, most // 2))
