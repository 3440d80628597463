"""The tokens that open the daemon over TCP: whose they are, and which still hold."""

from __future__ import annotations

import hmac
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace

from rmsd_core.model_time import SECOND_US
from rmsd_daemon.callers.auth import Caller, Role, highest
from rmsd_daemon.callers.job_tokens import JobTokens
from rmsd_daemon.domain.errors import DaemonError, Unauthenticated
from rmsd_daemon.store.records import Row
from rmsd_daemon.store.tables import TokenRow
from rmsd_wire.api.tokens import TokenView
from rmsd_wire.tokens import parse_token

_NO_DIGEST = "0" * 64
RENEWABLE_US = 30 * 86400 * SECOND_US
"""The time for which a token must have been made, at least, if its user may renew it. Shorter ones
are for guests."""


@dataclass(frozen=True, slots=True)
class Grant:
    """The rights that a token gives. All times are UTC in microseconds, of the wall clock.

    `digest`: of the token's secret. `expires_us`: None if it never expires. `uses`: the number of
    agents that may still join with a join token. `agent_id`: the agent that an agent's key belongs
    to. `made_with`: the token with which this one was made and without which it does not hold (""
    if it was made on the socket).
    """

    id: str
    digest: str
    user: str
    role: Role
    name: str
    created_us: int
    created_by: str
    expires_us: int | None
    revoked_us: int | None
    uses: int | None
    agent_id: str | None
    made_with: str

    @classmethod
    def of(cls, token: TokenRow) -> Grant:
        """Return the grant that a stored token is."""
        return cls(**{**token.model_dump(), "role": Role(token.role)})

    @property
    def is_renewable(self) -> bool:
        """Return whether `rmsd token renew` can give the token more time: not if it never ends, or
        was made for a short time."""
        return self.expires_us is not None and self.expires_us - self.created_us >= RENEWABLE_US

    def row(self) -> Row:
        return {**asdict(self), "role": self.role.value}

    def revoked(self, at_us: int) -> Grant:
        return replace(self, revoked_us=self.revoked_us or at_us)

    def used(self) -> Grant:
        return replace(self, uses=(self.uses or 0) - 1)


def now_us() -> int:
    """Return UTC in microseconds by the wall clock, which expiry goes by."""
    return time.time_ns() // 1000


class Tokens:
    """All committed grants. `jobs` knows the tokens of jobs."""

    def __init__(self, grants: Iterable[Grant], jobs: JobTokens) -> None:
        self._jobs = jobs
        self._grants: dict[str, Grant] = {}
        self._of_user: dict[str, dict[str, None]] = {}
        self.put(*sorted(grants, key=lambda grant: (grant.created_us, grant.id)))

    def put(self, *grants: Grant) -> None:
        """Add or replace grants that are committed now."""
        for grant in grants:
            self._grants[grant.id] = grant
            if grant.user:
                self._of_user.setdefault(grant.user, {})[grant.id] = None

    def role_of(self, user: str) -> Role:
        """Return the highest role that one of the user's tokens opens."""
        grants = [self._grants[token_id] for token_id in self._of_user.get(user, ())]
        return highest(Role.USER, *(one.role for one in grants if self.state(one) == "valid"))

    def get(self, token_id: str) -> Grant | None:
        return self._grants.get(token_id)

    def ids(self, user: str | None) -> list[str]:
        """Return the ids of a user's tokens, in the order in which they were made; with None, of
        all tokens."""
        return list(self._grants if user is None else self._of_user.get(user, ()))

    def key_of(self, agent_id: str) -> Grant | None:
        """Return the valid key that an agent has; None if it has none."""
        for grant in self._grants.values():
            if grant.agent_id == agent_id and self.state(grant) == "valid":
                return grant
        return None

    def state(self, grant: Grant) -> str:
        """Return "valid", "expired", "revoked", or "used up" (of a join token)."""
        if grant.revoked_us is not None:
            return "revoked"
        if grant.expires_us is not None and grant.expires_us <= now_us():
            return "expired"
        if any(maker is None or maker.revoked_us is not None for maker in self.makers(grant)):
            return "revoked"
        return "used up" if grant.uses == 0 else "valid"

    def makers(self, grant: Grant) -> Iterator[Grant | None]:
        """Yield the grant that the token was made with, the grant that this one was made with, and
        so on. A grant that is not known is None. (None of them expires before the token.)"""
        maker: Grant | None = grant
        while maker is not None and maker.made_with:
            yield (maker := self._grants.get(maker.made_with))

    def caller(self, header: str, address: str) -> Caller:
        """Return the caller for whom an Authorization header from `address` stands.

        Raises:
            Unauthenticated: the header has no token that holds.
        """
        scheme, _, text = header.partition(" ")
        if of_job := self._jobs.caller(text, address):
            return of_job
        token = parse_token(text) if scheme.lower() == "bearer" else None
        if token is None:
            what = "this is not a token" if header else "a token is needed"
            raise _refused(
                f"{what} (--token-file, RMSD_TOKEN_FILE); `rmsd token new` makes one on the "
                "daemon's machine"
            )
        grant = self._grants.get(token.id)
        known = hmac.compare_digest(token.digest, grant.digest if grant else _NO_DIGEST)
        if grant is None or not known:
            raise _refused(f"token {token.id} is not known here")
        self._check(grant.id)
        via = f"token {grant.id}, from {address}"
        return Caller(
            grant.user,
            grant.role,
            via,
            grant=grant.id,
            expires_us=grant.expires_us,
            is_renewable=grant.is_renewable,
            agent_id=grant.agent_id,
        )

    def check(self, caller: Caller) -> None:
        """Raise Unauthenticated if the token that the caller has shown does not hold any more."""
        if caller.grant:
            self._check(caller.grant)
        if caller.job_id is not None and not self._jobs.lasts(caller.job_id, caller.attempt):
            raise _refused(
                f"attempt {caller.attempt} of job {caller.job_id} is over, and so is its token"
            )

    def _check(self, token_id: str) -> None:
        """Raise Unauthenticated if the token does not hold. A used-up token still opens its own
        joins."""
        grant = self._grants.get(token_id)
        state = "unknown" if grant is None else self.state(grant)
        if state not in ("valid", "used up"):
            raise _refused(f"token {token_id} is {state}; `rmsd token new` makes another")

    def view(self, grant: Grant) -> TokenView:
        return TokenView(
            id=grant.id,
            user=grant.user,
            role=grant.role.value,
            name=grant.name,
            state=self.state(grant),
            created_us=grant.created_us,
            created_by=grant.created_by,
            expires_us=grant.expires_us,
            uses=grant.uses,
            agent_id=grant.agent_id,
        )


def _refused(detail: str) -> DaemonError:
    return Unauthenticated(detail)
