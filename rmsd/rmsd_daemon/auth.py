"""Who is calling: SO_PEERCRED on the Unix socket, a bearer token over TCP."""

from __future__ import annotations

import hmac
import os
import pwd
import socket
import struct
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from rmsd_daemon.problems import NOT_PERMITTED, ApiError, not_permitted

_CREDENTIALS = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class Caller:
    """`user` is the name that jobs get. `may_command`: it is the account of the daemon, which is
    not root's, on this machine, so that what the daemon runs for it, it could run itself."""

    user: str
    may_command: bool = False


class TokenError(ValueError):
    """The token file cannot be used; the message says why."""


def read_tokens(path: Path) -> tuple[bytes, ...]:
    """One token per line, `#` comments. Raises TokenError: unreadable, public, or empty."""
    try:
        if path.stat().st_mode & 0o077:
            raise TokenError(f"token file {path} must not be accessible to others; chmod 600 it")
        text = path.read_bytes()
    except OSError as error:
        raise TokenError(f"token file {path}: {error.strerror}") from error
    lines = (line.strip() for line in text.splitlines())
    tokens = tuple(line for line in lines if line and not line.startswith(b"#"))
    if not tokens:
        raise TokenError(f"token file {path} has no token; write one line into it")
    return tokens


def user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


class Authenticator:
    """`tokens` None: TCP callers need none (loopback only)."""

    def __init__(self, tokens: tuple[bytes, ...] | None) -> None:
        self._tokens = tokens
        self._uid = os.getuid()
        self._own = Caller(user_name(self._uid))

    def caller(self, request: web.Request) -> Caller:
        """Raises ApiError: who calls may not, or did not say who they are."""
        if "Origin" in request.headers:
            raise not_permitted("requests from web pages are not served")
        sock = request.transport.get_extra_info("socket") if request.transport else None
        if sock is not None and sock.family == socket.AF_UNIX:
            return self._local(sock)
        if self._tokens is not None:
            self._check_token(request.headers.get("Authorization", ""))
        return self._own

    def _local(self, sock: socket.socket) -> Caller:
        raw = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        _, uid, _ = _CREDENTIALS.unpack(raw)
        if uid == self._uid:
            return Caller(self._own.user, may_command=uid != 0)
        if uid == 0:
            return Caller(user_name(0))
        raise not_permitted(
            f"this daemon runs as {self._own.user} and serves that user alone, not {user_name(uid)}"
        )

    def _check_token(self, header: str) -> None:
        scheme, _, token = header.partition(" ")
        given = token.strip().encode("utf-8", "surrogateescape")
        assert self._tokens is not None
        known = [hmac.compare_digest(given, token) for token in self._tokens]
        if scheme.lower() != "bearer" or not any(known):
            detail = "the token is wrong" if header else "a token is needed (--token-file)"
            raise ApiError(401, detail, NOT_PERMITTED)
