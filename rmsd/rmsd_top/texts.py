"""Texts of users and jobs, made harmless for the terminal."""

from __future__ import annotations

import re

from rich.text import Text

from rmsd_client.console.cli import printable
from rmsd_client.console.terminal import without_escapes

MOST_COLUMNS = 2000
"""Characters of a line of output; a longer one is folded."""
MOST_LINES = 5000
"""The last lines of output that are shown: of a part with more, the others are passed over."""
_UNFINISHED = re.compile(r"\x1b[^@-~]{0,64}\Z|\x1b\[[0-?]{0,64}[ -/]{0,8}\Z|\r\Z")


def cell(text: str, style: str = "") -> Text:
    """Return a text for a cell or a line: on one line, without markup and control characters."""
    return Text(printable(text), style=style, no_wrap=True, end="")


class OutputText:
    """Output of a job as text for the terminal, part by part: without escape sequences, and with
    question marks for other control characters. What was written over (after a carriage return)
    stays on a line of its own. A sequence may be divided between two parts."""

    def __init__(self) -> None:
        self._held = ""
        self._columns = 0  # the length of the unfinished line

    def add(self, text: str) -> str:
        """Return what to show next."""
        text = self._held + text
        unfinished = _UNFINISHED.search(text)
        self._held = unfinished.group() if unfinished else ""
        text = text[: len(text) - len(self._held)]
        text = without_escapes(text).replace("\r\n", "\n").replace("\r", "\n").expandtabs()
        lines = text.split("\n")
        if len(lines) > MOST_LINES:
            lines = ["", *lines[-MOST_LINES:]]
        return "\n".join(
            self._folded(line, continues=number == 0) for number, line in enumerate(lines)
        )

    def _folded(self, line: str, *, continues: bool) -> str:
        """Return a line folded. `continues`: it goes on where the part before has ended."""
        shown = printable(line)
        used = self._columns if continues else 0
        first = max(MOST_COLUMNS - used, 0)
        parts = [shown[:first]]
        parts += [shown[at : at + MOST_COLUMNS] for at in range(first, len(shown), MOST_COLUMNS)]
        self._columns = len(parts[-1]) + (used if len(parts) == 1 else 0)
        return "\n".join(parts)
