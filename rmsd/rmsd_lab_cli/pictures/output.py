"""Writing single pictures."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from rmsd_cli.errors import INSTALL_LAB, CommandError, UsageError
from rmsd_lab_cli import manifest
from rmsd_lab_cli.pictures.chart import Chart
from rmsd_lab_cli.pictures.page import Page, html
from rmsd_lab_cli.pictures.svg import drawn, standalone

_PNG_SCALE = 3.0


def write_picture(path: Path, chart: Chart) -> None:
    """As SVG or, by the name of the file, as PNG.

    Raises:
        CommandError: it cannot be written.
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


def check_output(path: Path, kinds: Sequence[str], hint: str = "") -> None:
    """Whether such a file can be written, before long runs.

    Raises:
        UsageError: its name has none of these endings.
        CommandError: there is no such folder, or what makes PNG is not installed.
    """
    if path.suffix not in kinds:
        raise UsageError(f"-o {path}: its name ends in {' or '.join(kinds)}{hint}")
    if not path.parent.is_dir():
        raise CommandError(f"cannot write {path}: there is no folder {path.parent}")
    if path.suffix == ".png" and find_spec("resvg_py") is None:
        raise CommandError(
            f"PNG needs a package that is not installed ({INSTALL_LAB}); or write .svg"
        )


def origin(inputs: Iterable[Path]) -> list[str]:
    """The end of a page: what has made it, when, and of which files."""
    made = manifest.made_by()
    return [
        f"Made {datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} by rmsd {made['rmsd']} ({made['code']}), "
        f"Python {made['python']}: {shlex.join(['rmsd', *sys.argv[1:]])}",
        *(manifest.fingerprint_line(manifest.fingerprint(path)) for path in inputs),
    ]


def write_page(path: Path, page: Page) -> None:
    """Raises CommandError: it cannot be written."""
    try:
        path.write_text(html(page), encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None


def _png(svg: str) -> bytes:
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=_PNG_SCALE))
