"""Tables for people, drawn by rich: fitted to a terminal, plain text into a pipe.

rich takes a tenth of a second to import, so it is imported when a table is drawn. The clients do
without it, and so does `rmsd status`.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING

from rmsd_client.console.cli import printable
from rmsd_client.console.terminal import table_width, wants_colour

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_WRAPPED = 14  # least width of a column that is wrapped
_UNBOUNDED = 100_000  # columns of a pipe: no row is broken or cut


def grid(
    rows: Sequence[Sequence[str]],
    *,
    left: Container[int] = (0,),
    indent: int = 0,
    gap: int = 2,
    head: bool = True,
    wrap: bool = False,
) -> str:
    """Return rows as lines: the columns `left` are aligned to the left, the others to the right.

    The first row is the `head`, which a terminal shows bold. Columns for which a terminal is too
    narrow stand in a part below, which begins with the first column again. The last column is
    wrapped if it may (`wrap`), and the first if it does not fit otherwise.
    """
    from rich.padding import Padding

    cells = [[printable(cell) for cell in row] for row in rows]
    console = _console()
    with console.capture() as captured:
        for at, columns in enumerate(_parts(cells, console.width - indent, gap, wrap)):
            if at:
                console.print()
            table = _table(cells, columns, left, gap, head=head, wrap=wrap)
            console.print(Padding.indent(table, indent))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _console() -> Console:
    from rich.console import Console

    return Console(
        width=table_width() or _UNBOUNDED,
        color_system="standard" if wants_colour("auto") else None,
        force_terminal=sys.stdout.isatty(),
        force_jupyter=False,  # in a notebook rich would display the table
        highlight=False,
    )


def _table(
    cells: Sequence[Sequence[str]],
    columns: Sequence[int],
    left: Container[int],
    gap: int,
    *,
    head: bool,
    wrap: bool,
) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=None, show_header=head, header_style="bold", padding=(0, gap, 0, 0), pad_edge=False
    )
    for column in columns:
        table.add_column(
            Text(cells[0][column]),
            justify="left" if column in left else "right",
            no_wrap=column > 0 and not (wrap and column == len(cells[0]) - 1),
            overflow="fold",
        )
    for row in cells[head:]:
        table.add_row(*(Text(row[column]) for column in columns))
    return table


def _parts(cells: Sequence[Sequence[str]], width: int, gap: int, wrap: bool) -> Iterator[list[int]]:
    """Yield which columns stand beside each other: all, if they fit."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    if wrap:
        widths[-1] = min(widths[-1], _WRAPPED)
    part, taken = [0], widths[0]
    for column in range(1, len(widths)):
        needed = gap + widths[column]
        if taken + needed > width and len(part) > 1:
            yield part
            part, taken = [0], widths[0]
        part.append(column)
        taken += needed
    yield part
