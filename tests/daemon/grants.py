"""Grants of tokens, as the daemon's tests make them."""

from __future__ import annotations

from typing import Any

from rmsd_daemon.callers.auth import Role
from rmsd_daemon.callers.job_tokens import JobTokens
from rmsd_daemon.callers.tokens import Grant, now_us
from rmsd_wire.tokens import Token

HOUR_US = 3_600_000_000
NO_JOBS = JobTokens(bytes(32), lambda _: None)


def grant(token: Token, **fields: Any) -> Grant:
    """Make the grant of a token: a user's, valid for an hour, unless `fields` say otherwise."""
    given: dict[str, Any] = {
        "id": token.id,
        "digest": token.digest,
        "user": "ann",
        "role": Role.USER,
        "name": "",
        "created_us": now_us(),
        "created_by": "root",
        "expires_us": now_us() + HOUR_US,
        "revoked_us": None,
        "uses": None,
        "agent_id": None,
        "made_with": "",
    }
    return Grant(**{**given, **fields})
