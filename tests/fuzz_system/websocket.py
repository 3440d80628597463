"""WebSocket frames byte by byte, good ones and bad ones, from either end of a connection.

Parties that lie need what no library sends: frames that are cut, fragmented, unmasked, of reserved
kinds or of another length than they say.
"""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import struct
from contextlib import suppress

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
COMPRESSED = 0x40
"""The bit of the first byte that says so."""

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_MOST_HEAD_BYTES = 64 << 10


class WebSocketError(OSError):
    """The other end of a connection is gone, or is no WebSocket."""


def frame(
    payload: bytes,
    kind: int = BINARY,
    *,
    final: bool = True,
    masked: bool = True,
    bits: int = 0,
    length: int | None = None,
) -> bytes:
    """Return a frame as it is on the wire. `length` is what it says of itself, if not the truth."""
    said = len(payload) if length is None else length
    first = (0x80 if final else 0) | bits | kind
    mask_bit = 0x80 if masked else 0
    if said < 126:
        head = struct.pack("!BB", first, mask_bit | said)
    elif said < 1 << 16:
        head = struct.pack("!BBH", first, mask_bit | 126, said)
    else:
        head = struct.pack("!BBQ", first, mask_bit | 127, said & ((1 << 64) - 1))
    if not masked:
        return head + payload
    return head + b"\0\0\0\0" + payload  # the mask 0 changes nothing


class Peer:
    """The other end of a connection that has become a WebSocket."""

    def __init__(self, sock: socket.socket, rest: bytes = b"") -> None:
        self.sock = sock
        self._heard = bytearray(rest)

    def send(self, wire: bytes, within_s: float) -> None:
        """Send bytes as they are. Raises OSError."""
        self.sock.settimeout(within_s)
        self.sock.sendall(wire)

    def receive(self, within_s: float) -> tuple[int, bytes] | None:
        """Return the kind and the payload of the next frame, or None if it does not come in time.

        Raises:
            WebSocketError: the other end has closed the connection.
        """
        self.sock.settimeout(within_s)
        while (found := self._parsed()) is None:
            try:
                data = self.sock.recv(1 << 18)
            except TimeoutError:
                return None
            if not data:
                raise WebSocketError("closed")
            self._heard += data
        return found

    def close(self) -> None:
        with suppress(OSError):
            self.sock.close()

    def _parsed(self) -> tuple[int, bytes] | None:
        heard = self._heard
        if len(heard) < 2:
            return None
        size, at = heard[1] & 0x7F, 2
        if size >= 126:
            form = "!H" if size == 126 else "!Q"
            if len(heard) < at + struct.calcsize(form):
                return None
            (size,) = struct.unpack_from(form, heard, at)
            at += struct.calcsize(form)
        mask = b""
        if heard[1] & 0x80:
            mask, at = bytes(heard[at : at + 4]), at + 4
        if len(heard) < at + size:
            return None
        kind, payload = heard[0] & 0x0F, bytes(heard[at : at + size])
        del heard[: at + size]
        return kind, _unmasked(payload, mask) if mask else payload


def _unmasked(payload: bytes, mask: bytes) -> bytes:
    repeated = mask * (len(payload) // 4 + 1)
    number = int.from_bytes(payload, "big") ^ int.from_bytes(repeated[: len(payload)], "big")
    return number.to_bytes(len(payload), "big")


def dial(sock: socket.socket, path: str, headers: str, within_s: float) -> Peer:
    """Upgrade a connection to a server. Raises WebSocketError: it does not want to."""
    key = base64.b64encode(os.urandom(16)).decode()
    request = (
        f"GET {path} HTTP/1.1\r\nHost: rmsd\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n{headers}\r\n"
    )
    sock.settimeout(within_s)
    sock.sendall(request.encode("latin-1"))
    head, rest = _head(sock)
    if b" 101 " not in head.split(b"\r\n", 1)[0]:
        raise WebSocketError(head.split(b"\r\n", 1)[0].decode("latin-1"))
    return Peer(sock, rest)


def accept(sock: socket.socket, within_s: float) -> Peer:
    """Let a client upgrade its connection. Raises WebSocketError: it did not ask for that."""
    sock.settimeout(within_s)
    head, rest = _head(sock)
    keys = [
        line.split(b":", 1)[1].strip()
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"sec-websocket-key:")
    ]
    if not keys:
        raise WebSocketError("no upgrade was asked for")
    answer = base64.b64encode(hashlib.sha1(keys[0] + _GUID).digest())
    sock.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + answer + b"\r\n\r\n"
    )
    return Peer(sock, rest)


def _head(sock: socket.socket) -> tuple[bytes, bytes]:
    heard = b""
    while b"\r\n\r\n" not in heard:
        data = sock.recv(65536)
        if not data or len(heard) > _MOST_HEAD_BYTES:
            raise WebSocketError("closed before the upgrade")
        heard += data
    head, _, rest = heard.partition(b"\r\n\r\n")
    return head, rest
