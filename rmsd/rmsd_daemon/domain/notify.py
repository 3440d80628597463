"""To whom the end of a job is told: a URL or a command."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from rmsd_daemon.domain.errors import Malformed

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_MAIL_ADDRESS = re.compile(r"[^\s/@;|&<>()]+@[^\s/@;|&<>()]+\.[a-z]+", re.IGNORECASE)


def is_command(notify: str) -> bool:
    """Return whether `notify` is a command, and not a URL, a mail address or empty."""
    return bool(notify) and not _SCHEME.match(notify) and not _MAIL_ADDRESS.fullmatch(notify)


def checked_notify(text: str) -> str:
    """Return to whom the end of a job is told, as the submit says it.

    Raises:
        Malformed: it is a mail address, or a URL that is not usable.
    """
    if _MAIL_ADDRESS.fullmatch(text):
        raise Malformed(
            f"'notify' is the mail address '{text}'; the daemon sends no mail itself: give a URL, "
            f"or where commands are allowed, mail -s 'a job is over' {text}"
        )
    if is_command(text) or not text:
        return text
    try:
        parts = urlsplit(text)
        _ = parts.port
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable:
        raise Malformed(f"'notify' is '{text}'; it must be a URL, as https://HOST/PATH")
    return text
