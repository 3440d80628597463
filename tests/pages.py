"""Pages of the documents: their prose and their blocks of code."""

from __future__ import annotations

import re
from pathlib import Path

COMMANDS = ("rmsd", "rmsd-agent", "rsub", "rstat", "rdel", "rnode", "rlog", "rrun", "ralloc")
SPAN = re.compile(r"`([^`\n]+)`")

_FENCE = re.compile(r"^\s*```")


def split(page: Path) -> tuple[list[str], list[list[str]]]:
    """Return the lines of a page outside of its code blocks, and the lines of each block."""
    prose: list[str] = []
    blocks: list[list[str]] = []
    inside = False
    for line in page.read_text().splitlines():
        if _FENCE.match(line):
            inside = not inside
            if inside:
                blocks.append([])
        elif inside:
            blocks[-1].append(line)
        else:
            prose.append(line)
    return prose, blocks
