"""The properties of a terminal: its width, colours, and tables that fit into it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TextIO

from rmsd_client.console.cli import printable

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_CODES = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "grey": "90"}


def wants_colour(choice: str, stream: TextIO | None = None) -> bool:
    """Return whether to colour: `choice` is always, never or auto.

    auto follows NO_COLOR and CLICOLOR_FORCE, then asks whether `stream` (stdout) is a terminal.
    """
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("CLICOLOR_FORCE", "0") != "0":
        return True
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str, colour: str | None) -> str:
    """Return the text in a colour; None leaves it unchanged."""
    return f"\033[{_CODES[colour]}m{text}\033[0m" if colour else text


def or_dash(value: Any, words: Callable[[Any], str]) -> str:
    """Return a value in words; `-` stands for what is not known (None)."""
    return "-" if value is None else words(value)


def without_escapes(text: str) -> str:
    """Return the text without escape sequences of terminals, such as those for colours."""
    return _ESCAPES.sub("", text)


def table_width() -> int | None:
    """Return the number of columns: COLUMNS, else the terminal's; into a pipe None, no bound."""
    if os.environ.get("COLUMNS", "").isdigit():
        return int(os.environ["COLUMNS"]) or None
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


class Column(NamedTuple):
    """A column of a table. A column with `shrink` may be cut, down to this number of characters.

    A column that is not `vital` may be left out.
    """

    title: str
    right: bool = False
    shrink: int | None = None
    vital: bool = True


def format_table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    *,
    header: bool = True,
    width: int | None = None,
    colours: Sequence[Sequence[str | None]] | None = None,
) -> list[str]:
    """Return the lines of a table whose columns are as wide as they must be.

    If that is more than `width`, columns that may shrink do, the widest first; a cut value ends in
    `+`. If that is not enough, columns that are not vital are left out, the last first. `colours`
    has a colour or None for each cell.
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    titles = [column.title for column in columns]
    shown = [titles, *cells] if header else cells
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    widths = widths or [0] * len(columns)  # there is no row
    kept = list(range(len(columns))) if width is None else _fitting(columns, widths, width)
    columns, widths = [columns[i] for i in kept], [widths[i] for i in kept]
    if width is not None:
        _shrink(columns, widths, sum(widths) + len(widths) - 1 - width)
    lines = [_line(columns, [titles[i] for i in kept], widths, None)] if header else []
    for number, row in enumerate(cells):
        paints = [colours[number][i] for i in kept] if colours else None
        lines.append(_line(columns, [row[i] for i in kept], widths, paints))
    return lines


def _fitting(columns: Sequence[Column], widths: Sequence[int], width: int) -> list[int]:
    """Return the indices of the vital columns, and of the other columns that fit at their least
    widths."""
    least = [
        size if column.shrink is None else min(size, column.shrink)
        for column, size in zip(columns, widths, strict=True)
    ]
    kept = list(range(len(columns)))
    for i in reversed(range(len(columns))):
        if sum(least[k] + 1 for k in kept) - 1 <= width:
            break
        if not columns[i].vital:
            kept.remove(i)
    return kept


def _shrink(columns: Sequence[Column], widths: list[int], excess: int) -> None:
    def slack(i: int) -> int:
        least = columns[i].shrink
        return 0 if least is None else widths[i] - least

    for _ in range(excess):
        widest = max(range(len(widths)), key=lambda i: (slack(i) > 0, widths[i]))
        if slack(widest) <= 0:
            return
        widths[widest] -= 1


def _line(
    columns: Sequence[Column],
    row: Sequence[str],
    widths: Sequence[int],
    colours: Sequence[str | None] | None,
) -> str:
    parts = []
    for (_, right, _, _), cell, width in zip(columns, row, widths, strict=True):
        cut = cell if len(cell) <= width else cell[: width - 1] + "+"
        parts.append(cut.rjust(width) if right else cut.ljust(width))
    if colours:
        parts = [paint(part, colour) for part, colour in zip(parts, colours, strict=True)]
    return " ".join(parts).rstrip()
