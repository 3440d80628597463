"""Texts from jobs and users as data for a model: bounded, and without control characters."""

from __future__ import annotations

from typing import Any

from rmsd_client.console.cli import printable
from rmsd_client.console.terminal import without_escapes

MOST_TEXT = 500
"""Characters of a name, a message or a path."""
MOST_ELEMENTS = 200
"""Elements of a list in an answer."""


def line(text: str, most: int = MOST_TEXT) -> str:
    """Return a text on one line. A text that is cut says how much is missing."""
    shown = printable(text)
    left = len(shown) - most
    return shown if left <= 0 else f"{shown[:most]}... ({left:,} more characters)"


def lines(text: str) -> str:
    """Return a text of several lines. Line ends and tabulators stay; other control characters are
    question marks, and escape sequences are left out. Of a line that was written over, as the bars
    of progress are, the last version stays."""
    kept = (one.rstrip("\r").rpartition("\r")[2] for one in without_escapes(text).split("\n"))
    return "\n".join("\t".join(map(printable, one.split("\t"))) for one in kept)


def value(told: Any) -> Any:
    """Return a JSON value whose texts and lists are bounded."""
    if isinstance(told, str):
        return line(told)
    if isinstance(told, list):
        return [value(one) for one in told[:MOST_ELEMENTS]]
    if isinstance(told, dict):
        return {line(str(name)): value(one) for name, one in told.items()}
    return told
