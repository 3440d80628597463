"""The limit of open files: ours is raised, that of what we start is as it was."""

from __future__ import annotations

import contextlib
import resource

_given = resource.getrlimit(resource.RLIMIT_NOFILE)


def raise_open_files() -> None:
    """Take as many as the system allows: a link to every shepherd is one."""
    hard = _given[1]
    with contextlib.suppress(ValueError, OSError):  # the system's own maximum may be lower
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def restore_open_files(pid: int) -> None:
    """Give a process that we have just started the limit that we were given."""
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(pid, resource.RLIMIT_NOFILE, _given)
