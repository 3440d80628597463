"""Requests as a client sends them, one to a connection."""

from __future__ import annotations

import asyncio
import json
from typing import Any


class NoAnswer(Exception):
    """The connection was refused, broke, or nobody answered in time."""


async def ask(
    path: str,
    method: str,
    target: str,
    body: Any,
    key: str | None,
    within_s: float,
    token: str = "",
) -> tuple[int, Any]:
    """Return the status and the decoded body.

    path: the daemon's socket, or port. body: bytes are sent as they are. key: the request's
    idempotency key.

    Raises:
        NoAnswer: it is not known whether the request was carried out.
    """
    try:
        async with asyncio.timeout(within_s):
            reader, writer = await asyncio.open_unix_connection(path)
            try:
                writer.write(request(method, target, body, key, token))
                head, _, rest = (await reader.read()).partition(b"\r\n\r\n")
            finally:
                writer.close()
        content = _content(head, rest)
        return int(head.split(None, 2)[1]), json.loads(content) if content else None
    except (OSError, TimeoutError) as error:
        raise NoAnswer(str(error)) from error


def request(method: str, target: str, body: Any, key: str | None, token: str) -> bytes:
    """Return the request's bytes, see `ask`."""
    if isinstance(body, bytes):
        content = body
    else:
        content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {target} HTTP/1.1", "Host: rmsd", "Connection: close"]
    lines.append(f"Content-Length: {len(content)}")
    if content:
        lines.append("Content-Type: application/json")
    if key:
        lines.append(f"Idempotency-Key: {key}")
    if token:
        lines.append(f"Authorization: Bearer {token}")
    return "\r\n".join([*lines, "\r\n"]).encode() + content


def _content(head: bytes, rest: bytes) -> bytes:
    """Return the body that follows the head of an answer, whose length is told or which is in
    chunks. Raises NoAnswer if it is not whole."""
    lines = (line.partition(b":") for line in head.lower().split(b"\r\n"))
    headers = {name: value.strip() for name, _, value in lines}
    if headers.get(b"transfer-encoding") == b"chunked":
        return _joined(rest)
    if len(rest) != int(headers.get(b"content-length", b"-1")):
        raise NoAnswer("the answer is cut off")
    return rest


def _joined(chunks: bytes) -> bytes:
    """Return what the chunks hold, the last of which must be the empty one."""
    content = bytearray()
    while True:
        length, found, chunks = chunks.partition(b"\r\n")
        size = int(length, 16) if found else -1
        if not 0 <= size <= len(chunks) - 2:
            raise NoAnswer("the answer is cut off")
        if size == 0:
            return bytes(content)
        content += chunks[:size]
        chunks = chunks[size + 2 :]
