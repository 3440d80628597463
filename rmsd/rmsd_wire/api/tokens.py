"""Bodies about tokens, and about agents that join with one."""

from __future__ import annotations

from typing import Literal

import msgspec


class NewToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """POST /v1/tokens: `id` and `digest` of a token that the caller has made (`rmsd_wire.tokens`).

    `user` "": the caller. `expires_s` is real time from now on, None: never. `uses`: how many
    agents may join with it, for the role agent alone (None: one).
    """

    id: str
    digest: str
    user: str = ""
    role: Literal["user", "operator", "admin", "agent"] = "user"
    name: str = ""
    expires_s: float | None
    uses: int | None = None


class TokenView(msgspec.Struct, frozen=True, kw_only=True):
    """A token, or the key of an agent (`agent_id`). `state`: valid, expired, revoked, or used up.
    `uses`: how many agents may still join with it. Times are UTC of the wall clock."""

    id: str
    user: str
    role: str
    name: str
    state: str
    created_us: int
    created_by: str
    expires_us: int | None
    uses: int | None
    agent_id: str | None
    nodes: list[str] = []  # the first nodes of the agent whose key it is, by name, in lists alone
    node_count: int = 0  # all of its nodes


class TokensReply(msgspec.Struct, frozen=True):
    """GET /v1/tokens: the caller's own tokens; for administrators, all."""

    tokens: list[TokenView]
    schema: str = "rmsd.tokens/1"


class TokenReply(msgspec.Struct, frozen=True):
    """POST /v1/tokens, POST /v1/renew-token, DELETE /v1/tokens/{id}."""

    token: TokenView
    schema: str = "rmsd.token/1"


class JoinBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """POST /v1/join: `id` and `digest` of the key that an agent has made and kept."""

    id: str
    digest: str
    agent_id: str
    hostname: str = ""


class JoinReply(msgspec.Struct, frozen=True):
    """POST /v1/join."""

    schema: str = "rmsd.joined/1"
