"""Writing pictures and pages."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rmsd_cli.errors import INSTALL_LAB, CommandError, CommandUsageError
from rmsd_lab_cli import manifest
from rmsd_lab_cli.pictures.chart import Chart
from rmsd_lab_cli.pictures.page import Page, html

if TYPE_CHECKING:
    from rmsd_lab_cli.pictures.picture import Picture

PICTURES = (".svg", ".pdf", ".png")


def write_chart(path: Path, chart: Chart) -> None:
    """Write a chart in the format that the file's name ends in.

    Raises:
        CommandError: it cannot be written.
    """
    from rmsd_lab_cli.pictures.drawing import drawn  # imports matplotlib

    write_picture(path, drawn(chart))


def write_picture(path: Path, picture: Picture) -> None:
    """Write a picture to a file, in the format of the file's ending."""
    from rmsd_lab_cli.pictures.picture import content

    _write(path, content(picture, path.suffix))


def check_output(path: Path, kinds: Sequence[str], hint: str = "", *, draws: bool = True) -> None:
    """Check, before long runs, that a file can be written. `draws`: the file has charts in it.

    Raises:
        CommandUsageError: its name has none of these endings.
        CommandError: there is no such folder, or what draws is not installed.
    """
    if path.suffix not in kinds:
        raise CommandUsageError(f"-o {path}: its name ends in {' or '.join(kinds)}{hint}")
    if not path.parent.is_dir():
        raise CommandError(f"cannot write {path}: there is no folder {path.parent}")
    if draws and find_spec("matplotlib") is None:
        raise CommandError(f"{path}: pictures need matplotlib ({INSTALL_LAB})")


def origin(inputs: Iterable[Path]) -> list[str]:
    """Return the end of a page: the command that made it, the time, and its input files."""
    made = manifest.made_by()
    return [
        f"Made {datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} by rmsd {made['rmsd']} ({made['code']}), "
        f"Python {made['python']}: {shlex.join(['rmsd', *sys.argv[1:]])}",
        *(manifest.fingerprint_line(manifest.fingerprint(path)) for path in inputs),
    ]


def write_page(path: Path, page: Page) -> None:
    """Write a page to a file. Raises CommandError if the file cannot be written."""
    _write(path, html(page).encode())


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None
