"""Text as roff, the language of man pages: what a help text shows by its layout becomes macros."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_HEADING = re.compile(r"[A-Za-z][^`]*:")
_MACRO = re.compile(r"^(?=[.'])", re.MULTILINE)


def escaped(text: str) -> str:
    """Return lines that roff prints as they are: a hyphen stays one that can be copied."""
    return _MACRO.sub(r"\\&", _characters(text))


def _characters(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    return text.replace("^", "\\(ha").replace("~", "\\(ti")


def bold(text: str) -> str:
    return f"\\fB{_characters(text)}\\fR"


def italic(text: str) -> str:
    return f"\\fI{_characters(text)}\\fR"


def prose(text: str) -> str:
    """Return a paragraph of Markdown on one line: code is bold, and links are their text."""
    parts = _CODE.split(" ".join(_LINK.sub(r"\1", text).split()))  # every second one is code
    told = (bold(part) if n % 2 else _characters(part) for n, part in enumerate(parts))
    return _MACRO.sub(r"\\&", "".join(told))


def verbatim(lines: Sequence[str]) -> str:
    """Return lines that are shown as they are."""
    text = textwrap.dedent("\n".join(lines)).strip("\n")
    return f".EX\n{escaped(text)}\n.EE"


def definition(term: str, explanation: str) -> str:
    """Return an entry of a list. Both are roff already."""
    return f".TP\n{term}\n{explanation}"


def sections(text: str) -> list[tuple[str, str]]:
    """Return the parts of a help text with their headings; the first heading may be empty.

    A heading is a line of its own that ends with a colon, before lines that are indented.
    """
    found: list[tuple[str, list[str]]] = [("", [])]
    lines = text.strip("\n").splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        if _HEADING.fullmatch(line) and following.startswith(" "):
            found.append((line[:-1], []))
        else:
            found[-1][1].append(line)
    return [
        (heading, body(lines, verbatim_only=heading.startswith("example")))
        for heading, lines in found
        if any(lines)
    ]


def body(lines: Sequence[str], *, verbatim_only: bool = False) -> str:
    """Return paragraphs, lists and examples as they follow one another."""
    parts: list[str] = []
    for block in _blocks(lines):
        if not block[0].startswith(" "):
            parts.append(f".PP\n{prose(' '.join(block))}")
        elif verbatim_only:
            parts.append(verbatim(block))
        else:
            parts.append(_entries(block))
    return "\n".join(parts)


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield runs of lines that are all indented, or all not; an empty line ends a run of prose."""
    block: list[str] = []
    for line in [*lines, ""]:
        ends = not line.strip() or (bool(block) and line[0].isspace() != block[0][0].isspace())
        if ends and block:
            yield block
            block = []
        if line.strip():
            block.append(line)


def _entries(block: Sequence[str]) -> str:
    """Return a block of two columns as a list, and any other one as it is."""
    indent = min(len(line) - len(line.lstrip()) for line in block)
    column = _column(block, indent)
    if column is None:
        return verbatim(block)
    entries: list[tuple[str, list[str]]] = []
    for line in block:
        term = line[indent:column]
        if line[indent] == " ":
            if not entries:
                return verbatim(block)
            entries[-1][1].append(line.strip())
        elif _begins(line, column):
            entries.append((term.strip(), [line[column:].strip()]))
        else:
            entries.append((line.strip(), []))
    return "\n".join(_entry(term, " ".join(text)) for term, text in entries)


def _entry(term: str, text: str) -> str:
    return definition(bold(term), prose(text)) if text else f".PP\n{prose(term)}"


def _column(block: Sequence[str], indent: int) -> int | None:
    """Return where the second column begins: after the widest gap that the first entry leaves."""
    for line in block:
        if match := re.match(rf" {{{indent}}}\S+(?: \S+)*?  +(?=\S)", line):
            return match.end()
    return None


def _begins(line: str, column: int) -> bool:
    return len(line) > column and line[column] != " " and line[column - 1] == " "
