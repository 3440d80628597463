"""The strangers of a story: which ones come, their tokens, and the limits that hold for them."""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from rmsd_daemon.callers.auth import Role
from rmsd_daemon.callers.tokens import Grant
from rmsd_daemon.setup.config import Config
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.store import Store
from rmsd_wire.tokens import Token

LIAR = "liar"
"""The name of the lying agent's process, and its agent id."""
USER = "mallory"
"""The name of the hostile user."""
MOST_JOBS = 100
"""The most live jobs of one user; the honest people of a story submit fewer."""
MOST_IN_REQUEST = 30
MOST_A_SECOND = 20.0
MOST_BYTES = 1 << 20
"""The most bytes of a request."""

LIARS_KEY = Token("11a000000001", "11a" * 21 + "0")
USERS_TOKEN = Token("bad000000001", "bad" * 21 + "1")
REVOKED_TOKEN = Token("bad000000002", "bad" * 21 + "2")
EXPIRED_TOKEN = Token("bad000000003", "bad" * 21 + "3")

_WITH_A_LIAR = 0.25
_WITH_A_HOSTILE_USER = 0.25


@dataclass(frozen=True, slots=True)
class Strangers:
    """The choice of strangers for a story."""

    liar: bool
    user: bool

    @classmethod
    def drawn(cls, rng: random.Random) -> Strangers:
        return cls(rng.random() < _WITH_A_LIAR, rng.random() < _WITH_A_HOSTILE_USER)

    def let_in(self, config: Config) -> Config:
        """Return a configuration with the daemon's port open, and limits within a story's reach."""
        if not (self.liar or self.user):
            return config
        config.state_dir.mkdir(mode=0o700)
        with closing(Store(config.database_path)) as store:
            store.record(Changes(tokens=[grant.row() for grant in _GRANTS]))
        return replace(
            config,
            listen="localhost:1",  # the world has one port
            max_jobs_per_user=MOST_JOBS,
            max_jobs_per_request=MOST_IN_REQUEST,
            max_request_rate=MOST_A_SECOND,
            max_request_bytes=MOST_BYTES,
        )


def _grant(token: Token, user: str, **more: Any) -> Grant:
    given: dict[str, Any] = {
        "id": token.id,
        "digest": token.digest,
        "user": user,
        "role": Role.USER,
        "name": "",
        "created_us": 1,
        "created_by": "root",
        "expires_us": None,
        "revoked_us": None,
        "uses": None,
        "agent_id": None,
        "made_with": "",
    }
    return Grant(**(given | more))


_GRANTS = (
    _grant(LIARS_KEY, "", role=Role.AGENT, agent_id=LIAR),
    _grant(USERS_TOKEN, USER),
    _grant(REVOKED_TOKEN, USER, revoked_us=2),
    _grant(EXPIRED_TOKEN, USER, expires_us=2),
)
