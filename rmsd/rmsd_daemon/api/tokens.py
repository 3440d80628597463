"""The tokens of the API: people make, list and revoke them; agents that join exchange them for a
key."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Protocol

import msgspec
import structlog
from aiohttp import web

from rmsd_core.model_time import DAY_US, SECOND_US
from rmsd_daemon.callers.audit import Entry, entry
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.callers.tokens import RENEWABLE_US, Grant, Tokens, now_us
from rmsd_daemon.domain.errors import (
    Conflict,
    Forbidden,
    Malformed,
    NotFound,
    TooMany,
)
from rmsd_daemon.domain.rates import Rates
from rmsd_daemon.front.access import caller_of, check_still
from rmsd_daemon.front.answers import Listed, answer
from rmsd_daemon.front.request_limits import decode, read_body
from rmsd_daemon.store.records import Row
from rmsd_wire.api.tokens import JoinBody, JoinReply, NewToken, TokenReply, TokensReply, TokenView
from rmsd_wire.tokens import DIGEST, ID

log = structlog.get_logger()

_MAX_NAME = 256
_MAX_USES = 100_000
_MOST_NODES = 16
"""The most nodes that are shown with an agent's key."""
_MAX_MAKERS = 10
"""The longest chain of tokens that were each made with the one before; each use looks at all of
them."""
_MAX_S = 100 * 366 * 86400
_NEW_AT_ONCE = 100
_NEW_PER_S = 1 / 60
_RENEWED_US = 90 * DAY_US
"""The time that a renewed token holds from then on."""
_NO_DELAY_S = 0.01
"""The delay of a bucket's last token that may come from rounding."""


class Keep(Protocol):
    """Commits rows of tokens and their audit entry. Raises DaemonError if nothing was stored."""

    async def __call__(self, tokens: list[Row], audit_entry: Entry) -> None: ...


class TokensApi:
    """The handlers of tokens. `revoked` is called with the agent whose key no longer holds."""

    OPERATIONS: ClassVar[tuple[str, ...]] = (
        "make_token",
        "tokens",
        "renew_token",
        "revoke_token",
        "join",
    )
    """The names of its operations, which are those of the handlers, too."""

    def __init__(
        self,
        tokens: Tokens,
        keep: Keep,
        revoked: Callable[[str], None],
        max_life_s: float,
        nodes_by_agent: Callable[[], Mapping[str, Sequence[str]]],
    ) -> None:
        """Serve these tokens. max_life_s: how long a token may hold in all, with its renewals."""
        self._nodes_by_agent = nodes_by_agent
        self._tokens = tokens
        self._max_life_us = round(max_life_s * SECOND_US)
        self._keep = keep
        self._revoked = revoked
        self._new = Rates(_NEW_PER_S, _NEW_AT_ONCE)
        self._one = asyncio.Lock()  # grants must not change between the look at them and the commit

    async def make_token(self, request: web.Request) -> web.Response:
        caller, asked = caller_of(request), decode(await read_body(request), NewToken)
        async with self._one:
            grant = await self._make(caller, asked)
        return answer(TokenReply(self._tokens.view(grant)), 201)

    async def _make(self, caller: Caller, asked: NewToken) -> Grant:
        grant = self._granted(caller, asked)
        if earlier := self._tokens.get(grant.id):
            same = (earlier.digest, earlier.user, earlier.role)
            if same != (grant.digest, grant.user, grant.role):
                raise Conflict(f"there is another token {grant.id}; ask again")
            return earlier  # a repetition
        self._check_rate(caller.user)
        await self._put([grant], entry(caller, "token new", _told(grant)))
        return grant

    def _check_rate(self, user: str) -> None:
        """Count a new token of the user: each stays in the database and in the audit trail.

        Raises:
            DaemonError: the user has made too many of late.
        """
        wait_s = self._new.wait_s(user, 1, asyncio.get_running_loop().time(), _NO_DELAY_S)
        if wait_s > _NO_DELAY_S:
            detail = f"too many new tokens of {user}: {_NEW_AT_ONCE} at once, then one a minute"
            raise TooMany(detail, retry_after_s=wait_s)

    def _granted(self, caller: Caller, asked: NewToken) -> Grant:
        """Return the grant that is asked for. Raises DaemonError if the caller may not give it, or
        if it would be unusable."""
        role, user = Role(asked.role), asked.user or caller.user
        agents = role is Role.AGENT
        if agents:
            user = ""
        if not caller.role.covers(Role.ADMIN):
            if agents or not caller.role.covers(role):
                raise Forbidden(
                    f"{caller.user} has the role '{caller.role}' here, "
                    f"and cannot give the role '{role}'"
                )
            if user != caller.user:
                raise Forbidden(f"'user' is '{user}': only administrators make others' tokens")
        _check_credential(asked.id, asked.digest)
        for field, text in (("name", asked.name), ("user", user)):
            if len(text) > _MAX_NAME or (text and not text.isprintable()):
                raise Malformed(f"'{field}' must be printable, with up to {_MAX_NAME} characters")
        if asked.uses is not None and not (agents and 1 <= asked.uses <= _MAX_USES):
            raise Malformed(f"'uses' is for role agent, and at least 1, at most {_MAX_USES}")
        at_us = now_us()
        grant = Grant(
            id=asked.id,
            digest=asked.digest,
            user=user,
            role=role,
            name=asked.name,
            created_us=at_us,
            created_by=caller.user,
            expires_us=self._expiry_us(caller, asked.expires_s, at_us),
            revoked_us=None,
            uses=(asked.uses or 1) if agents else None,
            agent_id=None,
            made_with=caller.grant,
        )
        if sum(1 for _ in self._tokens.makers(grant)) > _MAX_MAKERS:
            raise Forbidden(
                f"token {caller.grant} comes of {_MAX_MAKERS} others, each made with the one "
                "before; make this one with one of those, or on the daemon's machine"
            )
        return grant

    def _expiry_us(self, caller: Caller, expires_s: float | None, at_us: int) -> int | None:
        """Return when a new token expires, in UTC microseconds: not after the token it is made
        with. None: never."""
        if expires_s is not None and not 0 < expires_s <= _MAX_S:
            raise Malformed(f"'expires_s' is {expires_s}; it must be positive, or null for never")
        wanted = None if expires_s is None else at_us + round(expires_s * SECOND_US)
        maker = self._tokens.get(caller.grant)
        if maker is None or maker.expires_us is None:
            return wanted
        return maker.expires_us if wanted is None else min(wanted, maker.expires_us)

    async def tokens(self, request: web.Request) -> Listed:
        caller = caller_of(request)
        ids = self._tokens.ids(None if caller.role.covers(Role.ADMIN) else caller.user)
        return Listed(TokensReply([]), "tokens", self._views(ids, caller))

    async def _views(self, ids: Sequence[str], caller: Caller) -> AsyncIterator[TokenView]:
        """Yield those of the tokens with these ids that the caller may see."""
        nodes_of = self._nodes_by_agent()
        for token_id in ids:
            grant = self._tokens.get(token_id)
            if grant is not None and _sees(caller, grant):
                view = self._tokens.view(grant)
                nodes = nodes_of.get(grant.agent_id, ()) if grant.agent_id else ()
                yield msgspec.structs.replace(
                    view, nodes=list(nodes[:_MOST_NODES]), node_count=len(nodes)
                )

    async def renew_token(self, request: web.Request) -> web.Response:
        """Let the token that the request comes with hold longer. A repetition changes little: the
        time counts from the request."""
        caller = caller_of(request)
        async with self._one:
            check_still(request)
            grant = self._tokens.get(caller.grant)
            if grant is None:
                raise Conflict(
                    "the request has come without a token of its own, so none is renewed"
                )
            renewed = self._renewed(grant, now_us())
            if renewed.expires_us != grant.expires_us:
                self._check_rate(caller.user)
                await self._put([renewed], entry(caller, "token renew", _told(renewed)))
        return answer(TokenReply(self._tokens.view(renewed)))

    def _renewed(self, grant: Grant, at_us: int) -> Grant:
        """Return the token with its new end, which is never earlier than the old one.

        Raises:
            Conflict: the token was made for a short time, and is not to hold longer.
        """
        if grant.expires_us is None:
            return grant
        if not grant.is_renewable:
            raise Conflict(
                f"token {grant.id} was made for less than {RENEWABLE_US // DAY_US} days, and is "
                "not renewed; ask an administrator for another one"
            )
        ends_us = min(at_us + _RENEWED_US, grant.created_us + self._max_life_us)
        for maker in self._tokens.makers(grant):
            if maker is not None and maker.expires_us is not None:
                ends_us = min(ends_us, maker.expires_us)
        return replace(grant, expires_us=max(ends_us, grant.expires_us))

    async def revoke_token(self, request: web.Request) -> web.Response:
        caller, token_id = caller_of(request), request.match_info["id"]
        async with self._one:
            grant = self._tokens.get(token_id)
            if grant is None or not _sees(caller, grant):
                raise NotFound(f"there is no token {token_id}")
            if grant.revoked_us is None:
                grant = grant.revoked(now_us())
                await self._put([grant], entry(caller, "token revoke", _told(grant)))
        if grant.agent_id:
            self._revoked(grant.agent_id)
        return answer(TokenReply(self._tokens.view(grant)))

    async def join(self, request: web.Request) -> web.Response:
        """Give an agent with a join token a key of its own. A repetition changes nothing and is
        answered alike, also after the last use: the agent makes the key, and keeps it before it
        asks."""
        caller, asked = caller_of(request), decode(await read_body(request), JoinBody)
        async with self._one:
            check_still(request)
            await self._join(caller, asked)
        return answer(JoinReply())

    async def _join(self, caller: Caller, asked: JoinBody) -> None:
        token = self._tokens.get(caller.grant)
        if token is None or token.agent_id is not None:
            raise Forbidden("joining needs a join token: `rmsd token new --role agent`")
        _check_credential(asked.id, asked.digest)
        if not asked.agent_id.isalnum() or len(asked.agent_id) > _MAX_NAME:
            raise Malformed("'agent_id' must have letters and digits alone")
        if earlier := self._tokens.get(asked.id):
            same = (earlier.digest, earlier.agent_id) == (asked.digest, asked.agent_id)
            if not same or self._tokens.state(earlier) != "valid":
                raise Conflict(f"key {asked.id} does not hold; join with another")
            return
        if token.uses == 0:
            raise Forbidden(f"join token {token.id} is used up; `rmsd token new --role agent`")
        if (key := self._tokens.key_of(asked.agent_id)) is not None:
            raise Conflict(f"this agent has key {key.id}; `rmsd token revoke {key.id}` first")
        key = Grant(
            id=asked.id,
            digest=asked.digest,
            user="",
            role=Role.AGENT,
            name=asked.hostname[:_MAX_NAME] if asked.hostname.isprintable() else "",
            created_us=now_us(),
            created_by=f"token {token.id}",
            expires_us=None,
            revoked_us=None,
            uses=None,
            agent_id=asked.agent_id,
            made_with="",
        )
        await self._put([token.used(), key], entry(caller, "join", _told(key)))

    async def _put(self, grants: list[Grant], audit_entry: Entry) -> None:
        await self._keep([grant.row() for grant in grants], audit_entry)
        self._tokens.put(*grants)
        log.info(
            audit_entry["action"].replace(" ", "-"),
            by=audit_entry["user"],
            token=audit_entry["subject"],
        )


def _sees(caller: Caller, grant: Grant) -> bool:
    return caller.role.covers(Role.ADMIN) or (grant.user == caller.user and not grant.agent_id)


def _check_credential(token_id: str, digest: str) -> None:
    if not ID.fullmatch(token_id) or not DIGEST.fullmatch(digest):
        raise Malformed("'id' must have 12 and 'digest' 64 hexadecimal digits, in lower case")


def _told(grant: Grant) -> str:
    whose = f"agent {grant.agent_id}" if grant.agent_id else grant.user or "agents"
    return f"{grant.id} ({grant.role} for {whose})"
