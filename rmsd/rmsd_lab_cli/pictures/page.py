"""One HTML file with everything in it: tables, charts, and a Gantt chart to move about in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from typing import Any

from rmsd_lab_cli.pictures.chart import Chart
from rmsd_lab_cli.pictures.colours import dark_style, variables

GANTT_SCRIPTS = ("gantt.js", "gantt_jobs.js", "gantt_chart.js")
"""The files that draw a Gantt chart, in the order in which they are run."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of a page. `rows`: the first cell of each is its heading."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(slots=True)
class Page:
    """A page of a report. `about`: lines under the title. `gantt`: what `packed.packed` gives.
    `made`: how the page was made, at its end."""

    title: str
    about: Sequence[str]
    tables: list[PageTable] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    gantt: dict[str, Any] | None = None
    gantt_notes: Sequence[str] = ()
    made: Sequence[str] = ()


def html(page: Page) -> str:
    """Return the whole file."""
    return "".join(_parts(page))


def _parts(page: Page) -> Iterable[str]:
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(page.title)}</title>\n"
        f"<style>\n{variables()}\n{dark_style()}\n{_file('page.css')}{_file('gantt.css')}</style>\n"
        "</head>\n<body>\n"
        f"<header>\n<h1>{escape(page.title)}</h1>\n"
    )
    yield from (f'<p class="about">{escape(line)}</p>\n' for line in page.about)
    yield "</header>\n<main>\n"
    if page.tables:
        yield "<section>\n<h2>Tables</h2>\n"
        yield from map(_table, page.tables)
        yield "</section>\n"
    if page.charts:
        yield '<section>\n<h2>Charts</h2>\n<div class="charts">\n'
        yield from _figures(page.charts)
        yield "</div>\n</section>\n"
    if page.gantt is not None:
        yield from _gantt(page.gantt, page.gantt_notes)
    yield "</main>\n<footer>\n"
    yield from (f"<p>{_breakable(line)}</p>\n" for line in page.made)
    yield "</footer>\n</body>\n</html>\n"


def _breakable(line: str) -> str:
    """Return a line as HTML that may break between the parts of a recipe, which is one long
    word."""
    return re.sub(r",(?=[a-z])", ",<wbr>", escape(line))


def _table(table: PageTable) -> str:
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.head)
    rows = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>\n"
        for row in table.rows
    )
    return (
        f'<div class="wide"><table>\n<caption><span>{escape(table.caption)}</span></caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )


def _figures(charts: Sequence[Chart]) -> Iterable[str]:
    from rmsd_lab_cli.pictures.drawing import drawn  # imports matplotlib
    from rmsd_lab_cli.pictures.picture import svg_element

    for chart in charts:
        yield (
            f"<figure>\n{svg_element(drawn(chart))}\n"
            f"<figcaption>{escape(chart.description)}</figcaption>\n</figure>\n"
        )


def _gantt(gantt: dict[str, Any], notes: Sequence[str]) -> Iterable[str]:
    yield "<section>\n<h2>Gantt chart</h2>\n"
    yield from (f'<p class="about">{escape(note)}</p>\n' for note in notes)
    data = json.dumps(gantt, separators=(",", ":")).replace("<", "\\u003c")
    yield (
        '<div id="gantt"><p>It is drawn when the page has been loaded; that needs JavaScript.</p>'
        f'</div>\n<script type="application/json" id="gantt-data">{data}</script>\n'
        f"<script>\n{''.join(map(_file, GANTT_SCRIPTS))}</script>\n</section>\n"
    )


def _file(name: str) -> str:
    return files("rmsd_lab_cli.pictures").joinpath(name).read_text(encoding="utf-8")
