"""The agent's key: what it is known by to a daemon on another machine, and how it gets it.

The agent makes its key and keeps it before it asks the daemon, with a join token, to take it. An
agent that dies in between asks again for the same key, which the daemon takes once.
"""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import aiohttp
import msgspec
import structlog

from rmsd_agent.state.files import private
from rmsd_wire.api.problem import Problem
from rmsd_wire.api.tokens import JoinBody
from rmsd_wire.malformed import MALFORMED
from rmsd_wire.tokens import Token, new_token, parse_token

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()


MOST_ANSWER = 64 * 1024
"""The bytes that are read of an answer: an answer is one sentence."""


class JoinError(Exception):
    """There is no key that opens the daemon, and none to be had; the message says what to do."""


class Membership:
    """The key in `folder`, if there is one, and the join token in `token_file`, which is read when
    it is needed."""

    def __init__(self, folder: Path, agent_id: str, token_file: Path | None) -> None:
        self._path = folder / "key"
        self._agent_id = agent_id
        self._token_file = token_file
        self._key = self._read_key()

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that show the key; there are none without a key."""
        return {"Authorization": f"Bearer {self._key.text}"} if self._key else {}

    async def join(self, http: aiohttp.ClientSession, base: str) -> None:
        """Have the daemon take our key, or a new key if the daemon no longer accepts the old one.

        Raises:
            JoinError: there is no join token, or the daemon does not accept it.
            OSError, aiohttp.ClientError: no answer, or the key cannot be kept.
        """
        join_token = self._read_join_token()
        for _ in range(2):
            key = self._key or self._made()
            status, why = await self._ask(http, base, join_token, key)
            if status < 300:
                log.info("joined", server=base, key=key.id)
                return
            if status != 409:
                break
            self._key = None  # the key was revoked, or belongs to another agent
        raise JoinError(f"{base} does not let this agent join: {why}")

    async def _ask(
        self, http: aiohttp.ClientSession, base: str, join_token: Token, key: Token
    ) -> tuple[int, str]:
        body = JoinBody(
            id=key.id, digest=key.digest, agent_id=self._agent_id, hostname=socket.gethostname()
        )
        headers = {"Authorization": f"Bearer {join_token.text}", "Content-Type": "application/json"}
        async with http.post(
            f"{base}/v1/join", data=msgspec.json.encode(body), headers=headers
        ) as reply:
            try:
                text = await reply.content.readexactly(MOST_ANSWER)
            except asyncio.IncompleteReadError as whole:
                text = whole.partial
            if reply.status < 300:
                return reply.status, ""
            try:
                return reply.status, msgspec.json.decode(text, type=Problem).detail
            except MALFORMED:
                return reply.status, f"it answered {reply.status}"

    def _read_key(self) -> Token | None:
        try:
            return parse_token(self._path.read_text(encoding="ascii", errors="replace"))
        except FileNotFoundError:
            return None

    def _made(self) -> Token:
        key = new_token()
        new = self._path.with_suffix(".new")
        with open(new, "w", encoding="ascii", opener=private) as file:
            file.write(f"{key.text}\n")
            file.flush()
            os.fsync(file.fileno())
        new.rename(self._path)
        self._key = key
        return key

    def _read_join_token(self) -> Token:
        if self._token_file is None:
            what = "this agent's key is not accepted" if self._key else "this agent has no key yet"
            raise JoinError(
                f"{what}; let it join with --token-file and a token of "
                "`rmsd token new --role agent` on the daemon's machine"
            )
        try:
            with self._token_file.open(encoding="ascii", errors="replace") as file:
                if os.fstat(file.fileno()).st_mode & 0o077:
                    raise JoinError(f"{self._token_file} can be read by others; chmod 600 it")
                token = parse_token(file.readline())
        except OSError as error:
            raise JoinError(f"--token-file {self._token_file}: {error.strerror}") from None
        if token is None:
            raise JoinError(f"--token-file {self._token_file}: its first line is not a token")
        return token
