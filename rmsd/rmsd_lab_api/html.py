"""Small tables in HTML, which notebooks show of a result, whatever is in it.

Names of users and traces come from files and from other people, so that all text is escaped, and
cut if it is long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from html import escape
from io import StringIO
from typing import Any

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")

_ROWS = 8
_COLUMNS = 16
_CHARACTERS = 48


def cell(value: object) -> str:
    """Return a value as it stands in a cell."""
    if value is None:
        return "-"
    text = f"{value:,.2f}".removesuffix(".00") if isinstance(value, float) else str(value)
    if len(text) > _CHARACTERS:
        text = f"{text[: _CHARACTERS - 1]}…"
    return escape("".join(one if one.isprintable() else "�" for one in text))


def facts(title: str, values: Mapping[str, object]) -> str:
    """Return a title, and a table of names and values."""
    rows = "".join(
        f"<tr><th>{cell(name)}</th><td>{cell(value)}</td></tr>" for name, value in values.items()
    )
    return f"<strong>{cell(title)}</strong><table>{rows}</table>"


def table_html(table: Any) -> str:
    """Return the first rows and columns of an Arrow table, and how many there are."""
    names = table.column_names[:_COLUMNS]
    shown = table.slice(0, _ROWS).select(names).to_pylist()
    more = []
    if table.num_rows > len(shown):
        more.append(f"{len(shown)} of {table.num_rows:,} rows")
    if table.num_columns > len(names):
        more.append(f"{len(names)} of {table.num_columns:,} columns")
    return grid_html(names, [[row[name] for name in names] for row in shown]) + (
        f"<p>{', '.join(more)}</p>" if more else ""
    )


def grid_html(heads: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """Return a table with a line of heads."""
    head = "".join(f"<th>{cell(one)}</th>" for one in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell(one)}</td>" for one in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def plain(text: Callable[[], str]) -> str:
    """Return text of a command as the command writes it into a pipe: without colours, and as wide
    as it needs. Jupyter asks all programs for colours (CLICOLOR_FORCE), and its stream says that it
    is a terminal."""
    with redirect_stdout(StringIO()):
        return _COLOURS.sub("", text())


def text_html(text: str) -> str:
    """Return text of a command, whose columns stand below each other."""
    lines = [line[:160] for line in text.splitlines()[:60]]
    if len(text.splitlines()) > len(lines):
        lines.append("…")
    return f"<pre>{escape(chr(10).join(lines))}</pre>"
