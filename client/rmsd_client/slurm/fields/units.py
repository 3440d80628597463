"""Sizes in the units that `sacct --units` and `--noconvert` ask for."""

from __future__ import annotations

import re

from rmsd_client.slurm.command_lines.ending import SlurmError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_SCALE = "KMGTP"
_SIZE = re.compile(r"(\d+)([KMGTP])", re.ASCII)
_IN_TRES = re.compile(r"\bmem=(\d+)([KMGTP])", re.ASCII)
_OF_PROCESSES = ("MaxRSS", "AveRSS", "TRESUsageIn")
"""The sizes that Slurm counts in bytes; what jobs ask for and have is counted in MiB."""


def unit_of(options: Mapping[str, str]) -> str:
    """Return the unit of --units, `-` for --noconvert, or "".

    Raises:
        SlurmError: there is no such unit.
    """
    if not (text := options.get("units", "")):
        return "-" if "noconvert" in options else ""
    if (unit := text[0].upper()) not in _SCALE:
        raise SlurmError("sacct: fatal: Invalid unit type")
    return unit


def in_unit(name: str, text: str, unit: str) -> str:
    """Return the text of a field with its sizes in a unit, or unconverted with `-`: processes in
    bytes, and the other sizes in MiB."""
    if unit == "-":
        unit = "" if name.startswith(_OF_PROCESSES) else "M"
    if match := _SIZE.fullmatch(text):
        return _converted(match, unit) if name in ("MaxRSS", "AveRSS", "ReqMem") else text
    if "TRES" not in name:
        return text
    return _IN_TRES.sub(lambda match: f"mem={_converted(match, unit)}", text)


def _converted(match: re.Match[str], unit: str) -> str:
    """Return a size in a unit, "" for bytes: with two places if it is no whole number."""
    power = _SCALE.index(match[2]) - (_SCALE.index(unit) if unit else -1)
    size = int(match[1]) * 1024**power
    return f"{int(size)}{unit}" if size == int(size) else f"{size:.2f}{unit}"
