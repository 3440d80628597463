"""Who is calling, and as what: accounts, their roles, and what a caller is known by."""

from __future__ import annotations

import grp
import os
import pwd
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from aiohttp import web

from rmsd_daemon.callers.sockets import peer_uid
from rmsd_daemon.domain.errors import NotPermitted

_NAME_REMEMBERED_S = 5.0
_ROLE_REMEMBERED_S = 60.0
"""How long an account's name and role are taken for granted: directory services may be slow. The
number of a deleted account may be another's soon."""
_MOST_REMEMBERED = 10_000
"""Operators may name any account in a submit, a thousand in each."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Role(StrEnum):
    """What a caller may do. Each of user, operator and admin may do what the one before may; an
    agent may do nothing of that, and nobody else what an agent may."""

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
    """Of roles of people."""
    return max(roles, key=_LADDER.index)


@dataclass(frozen=True, slots=True)
class Caller:
    """`user` is the name that jobs get; `via` says for people how the caller came.

    `own`: the account of the daemon, or root, on this machine. `may_command`: the account of the
    daemon, which is not root's, so that what the daemon runs for it, it could run itself.
    `grant`: the id of the token that was shown; `agent_id`: of the agent whose key that is;
    `job_id`: of the job whose token it is, which opens that job alone, during this `attempt`.
    """

    user: str
    role: Role
    via: str
    own: bool = False
    may_command: bool = False
    grant: str = ""
    agent_id: str | None = None
    job_id: int | None = None
    attempt: int = 0

    @property
    def name(self) -> str:
        """Whom rates and refusals count for: agents have no user."""
        return self.user or f"agent {self.agent_id or self.grant}"

    def sees(self, job_id: int, user: str) -> bool:
        """Whether the job `job_id` of `user` is this caller's to see and to touch."""
        if self.job_id is not None:
            return job_id == self.job_id
        return user == self.user or self.role.covers(Role.OPERATOR)


def user_name(uid: int) -> str:
    """The account's name, or the number of one that has none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _unshared_name(uid: int) -> str:
    """As `user_name`; "" where that is the name of another account: a number that has no account
    may be somebody's login. Jobs run as the account of their name."""
    name = user_name(uid)
    account = _account(name)
    return name if account is None or account.pw_uid == uid else ""


class _Remembered(Generic[_Key, _Value]):
    """What was looked up, for a while."""

    def __init__(self, look_up: Callable[[_Key], _Value], for_s: float) -> None:
        self._look_up = look_up
        self._for_s = for_s
        self._known: dict[_Key, tuple[float, _Value]] = {}  # until when, on the monotonic clock

    def get(self, key: _Key) -> _Value:
        now_s = time.monotonic()
        known = self._known.get(key)
        if known is None or now_s >= known[0]:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            known = self._known[key] = (now_s + self._for_s, self._look_up(key))
        return known[1]


class Accounts:
    """The roles of accounts, from lists of names and `@groups`. Root and the account of the daemon
    are administrators. An account may have several names: directories may pass over capitals, or
    know what stands for a name, and two entries may have one number."""

    def __init__(self, operators: Sequence[str], admins: Sequence[str]) -> None:
        self._lists = ((Role.ADMIN, admins), (Role.OPERATOR, operators))
        self._known = _Remembered(self._look_up, _ROLE_REMEMBERED_S)

    def role_of(self, user: str) -> Role:
        """The role of an account by its name, which need not be one of this machine."""
        return self._known.get(user)[0]

    def names_of(self, user: str) -> frozenset[str]:
        """The name itself, and what else the account is called here."""
        return self._known.get(user)[1]

    def _look_up(self, user: str) -> tuple[Role, frozenset[str]]:
        uid, names, groups = _identity(user)
        if uid in (0, os.getuid()):
            return Role.ADMIN, names
        for role, listed in self._lists:
            if not (names | groups).isdisjoint(listed):
                return role, names
        return Role.USER, names


def _account(name: str) -> pwd.struct_passwd | None:
    """The account that jobs of this name run as; None: there is none here."""
    try:
        return pwd.getpwnam(name)
    except (KeyError, ValueError):
        return None


def _identity(user: str) -> tuple[int | None, frozenset[str], frozenset[str]]:
    """The uid, if there is such an account here, its names, and its `@groups`.

    A name comes before a number, since a name may be digits: then the number is somebody else.
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


class TokenBook(Protocol):
    """What is asked of those who keep the tokens; both raise Unauthenticated."""

    def caller(self, header: str, address: str) -> Caller:
        """Whom an Authorization header stands for."""

    def check(self, caller: Caller) -> None:
        """Whether the token that the caller has shown still holds."""


class Authenticator:
    """`everybody`: all accounts of this machine are served on the socket, not the daemon's own
    alone."""

    def __init__(self, accounts: Accounts, tokens: TokenBook, *, everybody: bool) -> None:
        self._tokens = tokens
        self._accounts = accounts
        self._everybody = everybody
        self._uid = os.getuid()
        self._names = _Remembered(_unshared_name, _NAME_REMEMBERED_S)

    def caller(self, request: web.Request) -> Caller:
        """Raises DaemonError: who calls may not, or did not say who they are."""
        if "Origin" in request.headers:
            raise NotPermitted("requests from web pages are not served")
        transport = request.transport
        uid = peer_uid(transport.get_extra_info("socket")) if transport else None
        if uid is not None:
            return self._local(uid)
        shown = request.headers.get("Authorization", "")
        return self._tokens.caller(shown, request.remote or "unknown")

    def still(self, caller: Caller) -> None:
        """Raises DaemonError: the caller's token does not hold any more."""
        self._tokens.check(caller)

    def _local(self, uid: int) -> Caller:
        user, via = self._names.get(uid), f"socket, uid {uid}"
        if not user:
            raise NotPermitted(
                f"uid {uid} has no name here that is its own, and jobs run as the account of "
                "their name"
            )
        if uid in (0, self._uid):
            may_command = uid == self._uid != 0
            return Caller(user, Role.ADMIN, via, own=True, may_command=may_command)
        if self._everybody:
            return Caller(user, self._accounts.role_of(user), via)
        own = user_name(self._uid)
        raise NotPermitted(f"this daemon runs as {own} and serves that user alone, not {user}")
