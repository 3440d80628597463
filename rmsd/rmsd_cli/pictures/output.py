"""Writing single pictures."""

from __future__ import annotations

import shlex
import sys
from importlib.metadata import version
from pathlib import Path

from rmsd_cli.errors import CommandError
from rmsd_cli.pictures.chart import Chart
from rmsd_cli.pictures.page import Page, html
from rmsd_cli.pictures.svg import drawn, standalone

_PNG_SCALE = 3.0


def write_picture(path: Path, chart: Chart) -> None:
    """As SVG or, by the name of the file, as PNG.

    Raises:
        CommandError: it cannot be written, or what makes PNG is not installed.
    """
    write_svg(path, drawn(chart))


def write_svg(path: Path, element: str) -> None:
    """The same for an `<svg>` element without style."""
    svg = standalone(element)
    content = _png(svg) if path.suffix == ".png" else svg.encode()
    try:
        path.write_bytes(content)
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None


def made_by() -> str:
    """The last line of a page: which command has made it."""
    return f"Made by rmsd {version('rmsd')}: {shlex.join(['rmsd', *sys.argv[1:]])}"


def write_page(path: Path, page: Page) -> None:
    """Raises CommandError: it cannot be written."""
    try:
        path.write_text(html(page), encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None


def _png(svg: str) -> bytes:
    try:
        import resvg_py
    except ImportError:
        raise CommandError(
            "PNG needs a package that is not installed: pip install 'rmsd[lab]'; or write .svg"
        ) from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=_PNG_SCALE))
