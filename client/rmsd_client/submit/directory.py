"""The working directory, which may have been removed."""

from __future__ import annotations

import os

from rmsd_client.errors import UsageError


def current_dir() -> str:
    """Return the directory of this process; "" if it does not exist any more."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def absolute_dir(chosen: str) -> str:
    """Return the directory of `--chdir`; "" is the current one.

    Raises:
        UsageError: it is relative to a directory that does not exist any more.
    """
    current = current_dir()
    if not current and not chosen.startswith("/"):
        raise UsageError("the current directory does not exist any more; say --chdir=/DIR")
    return os.path.normpath(os.path.join(current, chosen))


def own_umask() -> int:
    """Return the umask of this process, which the system tells only to those that set another."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
