"""TLS connections that may send next to nothing but content.

TLS 1.3 lets either end send messages without content (KeyUpdate) as often as it likes. Each takes
27 bytes and some 10 us of the receiver's processor, and OpenSSL reads all that have come in one
call. A hundred peers that send nothing else, and need no token for that, could occupy an event loop
for good.
"""

from __future__ import annotations

import ssl
from typing import Any

_RECORD_BYTES = 96
"""The most bytes that a record needs beside its content, as TLS 1.2 may."""
_RECORD_BYTES_13 = 32
"""The same of TLS 1.3, which needs 22."""
_MOST_RECORD_BYTES = (16 << 10) + 256 + 5
"""The longest record. It may come in parts, which have no content before the last one has come."""
_AT_ONCE_BYTES = 4 << 10
"""The bytes without content that a connection may have: a server's tickets, and key updates whose
work is about that of the handshake."""
_CONTENT_PER_BYTE = 8
"""A connection that has had as many may have one byte more without content for each of this number
with content."""


class TlsContext(ssl.SSLContext):
    """A context whose connections break off when the peer sends too much without content."""

    def wrap_bio(self, incoming: ssl.MemoryBIO, *rest: Any, **named: Any) -> ssl.SSLObject:
        made = super().wrap_bio(incoming, *rest, **named)
        assert isinstance(made, _Counted)
        made.count(incoming)
        return made


class _Counted(ssl.SSLObject):
    """One end of a connection, which counts the bytes that it reads without content."""

    def count(self, incoming: ssl.MemoryBIO) -> None:
        """Count what is read from `incoming` from now on."""
        self._incoming = incoming
        self._left = self._most = _AT_ONCE_BYTES * _CONTENT_PER_BYTE
        self._open = 0  # bytes that have come, and of which the content may still come

    def read(self, length: int = 1024, buffer: Any = None) -> Any:
        """Return content as `SSLObject.read` does. Raises SSLError, too, if there was too little of
        it."""
        before, content = self._incoming.pending, 0
        try:
            read = super().read(length, buffer)
            content = read if isinstance(read, int) else len(read)
        finally:
            self._check(before - self._incoming.pending, content)
        return read

    def unwrap(self) -> None:
        """Shut the connection down as `SSLObject.unwrap` does, which reads on until the peer does
        the same. Raises SSLError, too, if too much comes meanwhile."""
        before = self._incoming.pending
        try:
            super().unwrap()
        finally:
            self._check(before - self._incoming.pending, 0)

    def _check(self, came: int, content: int) -> None:
        self._open += came - content
        if content:
            free = _RECORD_BYTES_13 if self.version() == "TLSv1.3" else _RECORD_BYTES
            still_open = self.pending()  # the rest of the record
            without = max(0, self._open - free - still_open)
        else:
            still_open = min(self._open, _MOST_RECORD_BYTES)
            without = self._open - still_open
        self._open = still_open
        self._left = min(self._left + content, self._most) - _CONTENT_PER_BYTE * without
        if self._left < 0:
            raise ssl.SSLError("the peer sends messages without content")


TlsContext.sslobject_class = _Counted


def client_context() -> TlsContext:
    """Return the context of a client that trusts the authorities of the system."""
    context = TlsContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_default_certs()
    return context
