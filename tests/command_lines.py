"""The command lines of processes."""

from __future__ import annotations

import contextlib

import psutil


def words_of(process: psutil.Process) -> list[str]:
    """Return the process's command line; nothing for a process that has just ended."""
    with contextlib.suppress(psutil.Error):
        return process.cmdline()
    return []
