"""One end of TLS 1.3 that sends key updates: neither Python nor cryptography has a call for it."""

from __future__ import annotations

import ssl
from pathlib import Path

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA384
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

CIPHER = "TLS_AES_256_GCM_SHA384"
_HANDSHAKE, _CONTENT = b"\x16", b"\x17"
_KEY_UPDATE = b"\x18\x00\x00\x01\x00"  # a key update that asks the other end for none


class Records:
    """The records that a client, or a server, sends after its handshake, with the secret that it
    has written to a file of keys. It must send none itself, so a server has no tickets."""

    def __init__(self, keys: Path, end: str = "CLIENT") -> None:
        (line,) = (one for one in keys.read_text().splitlines() if f"{end}_TRAFFIC_SECRET_0" in one)
        self._secret = bytes.fromhex(line.split()[2])
        self._sent = 0

    def key_updates(self, count: int) -> bytes:
        """Return `count` records with a key update each."""
        records = b""
        for _ in range(count):
            records += self._record(_KEY_UPDATE, _HANDSHAKE)
            self._secret, self._sent = self._expanded("traffic upd", 48), 0
        return records

    def content(self, text: bytes) -> bytes:
        """Return a record with content."""
        return self._record(text, _CONTENT)

    def _record(self, text: bytes, kind: bytes) -> bytes:
        iv = int.from_bytes(self._expanded("iv", 12), "big")
        nonce = (iv ^ self._sent).to_bytes(12, "big")
        head = b"\x17\x03\x03" + (len(text) + 1 + 16).to_bytes(2, "big")
        self._sent += 1
        return head + AESGCM(self._expanded("key", 32)).encrypt(nonce, text + kind, head)

    def _expanded(self, label: str, length: int) -> bytes:
        """Compute HKDF-Expand-Label of RFC 8446."""
        name = f"tls13 {label}".encode()
        info = length.to_bytes(2, "big") + bytes([len(name)]) + name + b"\0"
        return HKDFExpand(SHA384(), length, info).derive(self._secret)


def recorded(context: ssl.SSLContext, keys: Path) -> ssl.SSLContext:
    """Return the context of that end, which writes its secrets to the file."""
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.keylog_filename = str(keys)
    return context
