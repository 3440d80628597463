"""Lines that a shepherd writes: to its agent, into its files, into its log."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAX_TEXT = 4096  # characters of what is told to people


def private(path: str, flags: int) -> int:
    """Open a file that other users may not read; an `opener` for `open`."""
    return os.open(path, flags, 0o600)


def cut(text: str) -> str:
    """Return a text that the agent can read, its end included: there stands the reason.

    This is `rmsd_wire.frames.cut` once more, since a shepherd has the standard library alone.
    """
    if len(text) > _MAX_TEXT:
        text = f"{text[: _MAX_TEXT // 2]} [...] {text[-_MAX_TEXT // 4 :]}"
    return text.encode(errors="replace").decode()  # a path may be of bytes that are no text


def line(record: dict[str, Any]) -> bytes:
    """Return a record as JSON."""
    return json.dumps(record).encode() + b"\n"


def log_to(path: str) -> None:
    """Have a file as standard output and standard error from now on, if it can be opened."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:
        return  # the inherited descriptor is as good
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)


def log(text: str) -> None:
    """Write a line to the log that all shepherds of an agent share."""
    try:
        os.write(2, f"shepherd {os.getpid()}: {text}\n".encode())
    except OSError:
        return  # the log is on the same full disk
