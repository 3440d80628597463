"""The notices about jobs: of which events, and the URLs and commands that are told of an end."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from rmsd_daemon.domain.errors import Malformed

OVER = "over"
"""The event of which a URL or a command is told: the job is over."""
BEGIN, END, REQUEUE, NEVER = "begin", "end", "requeue", "never"
"""The events of which mails tell. `never`: the job's dependencies can never be fulfilled. A requeue
has the number of the attempt behind it."""
LIMIT = "limit"
"""The event that a job comes to a part of its time limit: the percents and the number of the
attempt are behind it. It is told once."""
ONCE = (BEGIN, NEVER)
"""The events that may come several times in the life of a job, and are told once."""

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
            f"'notify' is the mail address '{text}'; --mail-type=END --mail-user={text} asks for "
            "a mail, and --notify names a URL or a command"
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
