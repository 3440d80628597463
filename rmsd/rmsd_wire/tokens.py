"""Tokens: the secret that a caller shows over TCP, and the digest that the daemon keeps.

A token is `rms_<id>_<secret>`. The secret has 256 random bits, so it cannot be guessed, and the
other side keeps its SHA-256 alone. The user of a token makes it, and tells the daemon id and digest
alone: so a request that is repeated means the same token.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import NamedTuple

ID = re.compile(r"[0-9a-f]{12}")
DIGEST = re.compile(r"[0-9a-f]{64}")
_TOKEN = re.compile(r"rms_([0-9a-f]{12})_([0-9a-f]{64})")


class Token(NamedTuple):
    """A token. `id` is public, `secret` is known to its user alone."""

    id: str
    secret: str

    @property
    def text(self) -> str:
        """Return the content of a token file."""
        return f"rms_{self.id}_{self.secret}"

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the secret, in hexadecimal."""
        return hashlib.sha256(self.secret.encode()).hexdigest()


def new_token() -> Token:
    return Token(secrets.token_hex(6), secrets.token_hex(32))


def parse_token(text: str) -> Token | None:
    """Return the token of a text; None if it is none of rmsd's."""
    found = _TOKEN.fullmatch(text.strip())
    return Token(found[1], found[2]) if found else None
