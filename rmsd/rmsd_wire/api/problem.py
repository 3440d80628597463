"""The body of every error."""

from __future__ import annotations

import msgspec


class Problem(msgspec.Struct, frozen=True):
    """An error by RFC 9457. `exit_code` is the exit code for a command-line client. `field`: the
    field of a submit that alone keeps the job from ever running; "" if it is no one field."""

    title: str
    status: int
    detail: str
    exit_code: int = 1
    type: str = "about:blank"
    field: str = ""
