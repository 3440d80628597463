"""The limit of open files: ours is raised, that of what we start is as it was."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Sequence

_given = resource.getrlimit(resource.RLIMIT_NOFILE)

_OWN_FILES = 128
"""What the daemon opens for itself: the database, its log, threads' connections."""
MOST_HANDSHAKES = 256
"""Connections over TCP that have not shown yet that they speak TLS."""

_MOST_CONNECTIONS = 1 << 15
"""However many files the system allows: an idle one over TCP holds 41 KB, 1.3 GB in all."""


def raise_open_files() -> None:
    """Take as many as the system allows: every client and agent is one."""
    hard = _given[1]
    with contextlib.suppress(ValueError, OSError):  # the system's own maximum may be lower
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def most_connections() -> int:
    """As many as there can be, when something is left for the daemon itself."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    others = _OWN_FILES + MOST_HANDSHAKES
    return min(_MOST_CONNECTIONS, max(most - others, most // 2))


def with_given_open_files(command: Sequence[str]) -> list[str]:
    """The command line that runs a command with the limit that we were given. From its beginning:
    an agent looks at it, to give it to jobs, and then takes more."""
    soft = _given[0]
    given = "unlimited" if soft == resource.RLIM_INFINITY else str(soft)
    return ["/bin/sh", "-c", 'ulimit -S -n "$0"; exec "$@"', given, *command]
