"""The body of every error."""

from __future__ import annotations

import msgspec


class Problem(msgspec.Struct, frozen=True):
    """RFC 9457. `exit_code` is what a command-line client should exit with."""

    title: str
    status: int
    detail: str
    exit_code: int = 1
    type: str = "about:blank"
