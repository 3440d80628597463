"""The limit of open files: raised for the daemon, unchanged for the processes that it starts."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Sequence

_given = resource.getrlimit(resource.RLIMIT_NOFILE)

_OWN_FILES = 128
"""The files that the daemon opens for itself: the database, its log, threads' connections."""
MOST_HANDSHAKES = 256
"""Connections over TCP that have not shown yet that they speak TLS."""

_MOST_CONNECTIONS = 1 << 15
"""The most connections, however many files the system allows: an idle one over TCP holds 41 KB, 1.3
GB in all."""


def raise_open_files() -> None:
    """Raise the limit to the most that the system allows: every client and agent takes one file."""
    hard = _given[1]
    with contextlib.suppress(ValueError, OSError):  # the system's own maximum may be lower
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def most_connections() -> int:
    """Return the number of connections that are possible when some files are left for the daemon
    itself."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    others = _OWN_FILES + MOST_HANDSHAKES
    return min(_MOST_CONNECTIONS, max(most - others, most // 2))


def with_given_open_files(command: Sequence[str]) -> list[str]:
    """Return the command line that runs a command with the limit that the daemon was started with.
    An agent needs it at once: it looks at the limit, to give it to jobs, and then raises it."""
    soft = _given[0]
    given = "unlimited" if soft == resource.RLIM_INFINITY else str(soft)
    return ["/bin/sh", "-c", 'ulimit -S -n "$0"; exec "$@"', given, *command]
