"""The identity of a caller: account, role, and the token that was shown."""

from __future__ import annotations

import grp
import os
import pwd
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Generic, NamedTuple, Protocol, TypeVar

import structlog

from rmsd_daemon.domain.errors import Forbidden
from rmsd_daemon.setup.unknown_names import is_known

log = structlog.get_logger()

_NAME_REMEMBERED_S = 5.0
_ROLE_REMEMBERED_S = 60.0
"""The time for which an account's name and role are remembered: directory services may be slow. The
number of a deleted account may soon be another's."""
MOST_REMEMBERED = 10_000
"""The most accounts that are remembered: operators may name any account in a submit, a thousand in
each."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Role(StrEnum):
    """The rights of a caller. Each of user, operator and admin includes the rights of the one
    before. An agent has rights of its own: none of the other roles' rights, and no other role has
    its rights."""

    AGENT = "agent"
    USER = "user"
    OPERATOR = "operator"
    ADMIN = "admin"

    def covers(self, least: Role) -> bool:
        if Role.AGENT in (self, least):
            return self is least
        return _LADDER.index(self) >= _LADDER.index(least)


_LADDER = (Role.USER, Role.OPERATOR, Role.ADMIN)


def highest(*roles: Role) -> Role:
    """Return the highest of these roles of people."""
    return max(roles, key=_LADDER.index)


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller whose identity is known. `user` is the name that jobs get; `via` says for people how
    the caller came.

    `own`: the account of the daemon, or root, on this machine. `may_command`: an account on this
    machine that is not root, and for which the daemon runs commands of notices: its own account, or
    with `notify_commands` every account. What the daemon runs for it, it could run directly.
    `listed`: the lists of the configuration give the caller its role, and can take it back.

    `grant`: the id of the token that was shown. `expires_us`: when it ends (UTC; None: never).
    `is_renewable`: `rmsd token renew` can give it more time.
    `agent_id`: the agent, if the token is an agent's key. `job_id` and `attempt`: the job, if the
    token is a job's; it opens that job alone, during this attempt.
    """

    user: str
    role: Role
    via: str
    own: bool = False
    may_command: bool = False
    listed: bool = False
    grant: str = ""
    expires_us: int | None = None
    is_renewable: bool = False
    agent_id: str | None = None
    job_id: int | None = None
    attempt: int = 0

    @property
    def name(self) -> str:
        """Return the name under which rates and refusals are counted. Agents have no user."""
        return self.user or f"agent {self.agent_id or self.grant}"

    def sees(self, job_id: int, user: str) -> bool:
        """Return whether the caller may see and change the job `job_id` of `user`."""
        if self.job_id is not None:
            return job_id == self.job_id
        return user == self.user or self.role.covers(Role.OPERATOR)


def user_name(uid: int) -> str:
    """Return the account's name, or its number if it has no name."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _unshared_name(uid: int) -> str:
    """Return the account's name as `user_name` does, or "" if another account has that name. The
    number of an account without a name may be the login of another account. Jobs run as the account
    of their name."""
    name = user_name(uid)
    account = _account(name)
    return name if account is None or account.pw_uid == uid else ""


class KeptLookUps(Generic[_Key, _Value]):
    """Results of look-ups, kept for a while."""

    def __init__(self, look_up: Callable[[_Key], _Value], for_s: float) -> None:
        self._look_up = look_up
        self._for_s = for_s
        # Each entry has the end of its validity, on the monotonic clock.
        self._known: dict[_Key, tuple[float, _Value]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: _Key) -> _Value:
        now_s = time.monotonic()
        known = self._known.get(key)
        if known is None or now_s >= known[0]:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            known = self._known[key] = (now_s + self._for_s, self._look_up(key))
        return known[1]


class Accounts:
    """The roles of accounts, from lists of names and `@groups`. Root and the account of the daemon
    are administrators. An account may have several names: directories may pass over capitals, or
    know what stands for a name, and two entries may have one number."""

    def __init__(self, operators: Sequence[str], admins: Sequence[str]) -> None:
        self.set_lists(operators, admins)

    def set_lists(self, operators: Sequence[str], admins: Sequence[str]) -> None:
        """Replace the lists, and forget which account has which role. Log names that no account or
        group of this machine has: users with tokens may have them, or they are misspelled."""
        self.operators, self.admins = tuple(operators), tuple(admins)
        self.unknown = [name for name in dict.fromkeys((*operators, *admins)) if not is_known(name)]
        if self.unknown:
            log.warning("accounts-unknown", names=self.unknown)
        self._lists = ((Role.ADMIN, self.admins), (Role.OPERATOR, self.operators))
        self._operators = frozenset(operators)
        self._known = KeptLookUps(self._look_up, _ROLE_REMEMBERED_S)

    def role_of(self, user: str) -> Role:
        """Return the role of an account by its name, which need not be one of this machine."""
        return self._known.get(user)[0]

    def names_of(self, user: str) -> frozenset[str]:
        """Return the name itself and the other names of the account on this machine."""
        return self._known.get(user)[1]

    def is_operator(self, user: str) -> bool:
        """Return whether `operators` lists the account, by a name or a group."""
        return self._known.get(user)[2]

    def is_listed(self, user: str, listed: Sequence[str]) -> bool:
        """Return whether the account is on a list of names and `@groups`."""
        _, names, _, groups = self._known.get(user)
        return not (names | groups).isdisjoint(listed)

    def _look_up(self, user: str) -> tuple[Role, frozenset[str], bool, frozenset[str]]:
        uid, names, groups = _identity(user)
        is_operator = not (names | groups).isdisjoint(self._operators)
        if uid in (0, os.getuid()):
            return Role.ADMIN, names, is_operator, groups
        for role, listed in self._lists:
            if not (names | groups).isdisjoint(listed):
                return role, names, is_operator, groups
        return Role.USER, names, is_operator, groups


def _account(name: str) -> pwd.struct_passwd | None:
    """Return the account that jobs of this name run as; None if this machine has none."""
    try:
        return pwd.getpwnam(name)
    except (KeyError, ValueError):
        return None


def _identity(user: str) -> tuple[int | None, frozenset[str], frozenset[str]]:
    """Return the uid, or None if this machine has no such account; its names; and its `@groups`.

    A name is tried before a number, since a name may consist of digits: the account with that
    number is another one.
    """
    account = _account(user)
    if account is None and user.isdecimal():
        try:
            account = pwd.getpwuid(int(user))
        except (KeyError, ValueError, OverflowError):
            return int(user), frozenset((user,)), frozenset()
    if account is None:
        return None, frozenset((user,)), frozenset()
    groups = []
    for gid in os.getgrouplist(account.pw_name, account.pw_gid):
        try:
            groups.append(f"@{grp.getgrgid(gid).gr_name}")
        except KeyError:
            continue
    names = frozenset((user, account.pw_name, user_name(account.pw_uid)))
    return account.pw_uid, names, frozenset(groups)


class Shown(NamedTuple):
    """The facts of a request that tell who its caller is.

    `uid`: the account at the other end of a Unix socket, None over TCP. `authorization`: the header
    of that name. `is_of_a_page`: a browser sends the request for a web page.
    """

    uid: int | None
    authorization: str
    address: str
    is_of_a_page: bool = False


class TokenBook(Protocol):
    """The questions that an authenticator asks about tokens. Both methods raise Unauthenticated."""

    def caller(self, header: str, address: str) -> Caller:
        """Return the caller for whom an Authorization header stands."""

    def check(self, caller: Caller) -> None:
        """Raise Unauthenticated if the token that the caller has shown does not hold any more."""


class Authenticator:
    """Finds out which user sends a request. `everybody`: the socket serves all accounts of this
    machine, and not only the daemon's own. `users_commands`: the daemon runs commands of notices as
    their users.
    """

    def __init__(
        self,
        accounts: Accounts,
        tokens: TokenBook,
        *,
        everybody: bool,
        users_commands: bool = False,
    ) -> None:
        self._users_commands = users_commands
        self._tokens = tokens
        self._accounts = accounts
        self._everybody = everybody
        self._uid = os.getuid()
        self._names = KeptLookUps(_unshared_name, _NAME_REMEMBERED_S)

    def caller(self, shown: Shown) -> Caller:
        """Return the caller of a request. Raises DaemonError if the caller is unknown or not
        permitted."""
        if shown.is_of_a_page:
            raise Forbidden("requests from web pages are not served")
        if shown.uid is not None:
            return self.caller_of(shown.uid)
        return self._raised(self._tokens.caller(shown.authorization, shown.address))

    def still(self, caller: Caller) -> None:
        """Raise DaemonError if the caller's token does not hold any more, or if its account has
        lost the role."""
        self._tokens.check(caller)
        if not caller.listed:
            return
        if caller.grant:
            still_has_it = self._accounts.is_operator(caller.user)
        else:
            still_has_it = self._accounts.role_of(caller.user).covers(caller.role)
        if not still_has_it:
            raise Forbidden(f"{caller.user} does not have the role '{caller.role}' any more")

    def _raised(self, caller: Caller) -> Caller:
        """Return the caller of a token as an operator, if the configuration says so of its user. A
        job's token stays the job's."""
        if caller.role is not Role.USER or caller.job_id is not None:
            return caller
        if not self._accounts.is_operator(caller.user):
            return caller
        return replace(caller, role=Role.OPERATOR, listed=True)

    def caller_of(self, uid: int) -> Caller:
        user, via = self._names.get(uid), f"socket, uid {uid}"
        if not user:
            raise Forbidden(
                f"uid {uid} has no name here that is its own, and jobs run as the account of "
                "their name"
            )
        if uid in (0, self._uid):
            may_command = uid == self._uid != 0
            return Caller(user, Role.ADMIN, via, own=True, may_command=may_command)
        if self._everybody:
            role = self._accounts.role_of(user)
            may_command, listed = self._users_commands, role is not Role.USER
            return Caller(user, role, via, may_command=may_command, listed=listed)
        own = user_name(self._uid)
        raise Forbidden(f"this daemon runs as {own} and serves that user alone, not {user}")
