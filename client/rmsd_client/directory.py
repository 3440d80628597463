"""The working directory, which somebody may have removed."""

from __future__ import annotations

import os

from rmsd_client.errors import UsageError


def current_dir() -> str:
    """Where this process is; "" if that is not there any more."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def absolute_dir(chosen: str) -> str:
    """The directory of `--chdir`; "" is the current one.

    Raises:
        UsageError: it is relative to what is not there any more.
    """
    current = current_dir()
    if not current and not chosen.startswith("/"):
        raise UsageError("the current directory does not exist any more; say --chdir=/DIR")
    return os.path.normpath(os.path.join(current, chosen))
