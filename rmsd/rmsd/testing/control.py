"""Requests to a cluster's supervisor: one line of JSON, answered by another."""

from __future__ import annotations

import json
import socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ENDS = ("timeout", "memory", "preempt", "preempt-cancel")
"""The ways in which a job can be made to end."""

_WITHIN_S = 30.0
_MOST_BYTES = 65536


class ControlError(Exception):
    """The supervisor refuses, or is gone; the message says why."""


def ask(path: str, request: dict[str, Any]) -> None:
    """Have the supervisor at this socket do something, and return once it is done.

    Raises:
        ControlError: it does not.
    """
    with socket.socket(socket.AF_UNIX) as connected:
        connected.settimeout(_WITHIN_S)
        try:
            connected.connect(path)
            connected.sendall(json.dumps(request).encode() + b"\n")
            answer = json.loads(read_line(connected))
        except (OSError, ValueError) as error:
            raise ControlError(f"the cluster of {path} does not answer: {error}") from None
    if answer["error"]:
        raise ControlError(answer["error"])


def read_line(connected: socket.socket) -> bytes:
    """Return the next line that comes, or what came before the end."""
    line = b""
    while not line.endswith(b"\n") and len(line) < _MOST_BYTES:
        chunk = connected.recv(4096)
        if not chunk:
            break
        line += chunk
    return line
