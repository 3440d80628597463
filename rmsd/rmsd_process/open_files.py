"""The limit of open files: raised for this process, unchanged for the processes that it starts."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Sequence

_given = resource.getrlimit(resource.RLIMIT_NOFILE)


def raise_open_files() -> None:
    """Raise the limit to the most that the system allows. A daemon has a file for every client and
    agent, an agent has one for every shepherd."""
    hard = _given[1]
    with contextlib.suppress(ValueError, OSError):  # the system's own maximum may be lower
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def restore_open_files(pid: int) -> None:
    """Give a process that was just started the limit that this process was started with."""
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(pid, resource.RLIMIT_NOFILE, _given)


def with_given_open_files(command: Sequence[str]) -> list[str]:
    """Return the command line that runs a command with the limit that this process was started
    with. An agent needs it at once: it looks at the limit, to give it to jobs, and then raises
    it."""
    soft = _given[0]
    given = "unlimited" if soft == resource.RLIM_INFINITY else str(soft)
    return ["/bin/sh", "-c", 'ulimit -S -n "$0"; exec "$@"', given, *command]
