"""Finished runs of a sweep in a file, so that one that was interrupted goes on where it was."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError

_SCHEMA = "rmsd.runs/1"


class KeptRuns:
    """The runs in a file, and in memory alone if there is none.

    `made_with` has the conditions that a run's figures depend on besides its rate. A run that was
    made under other conditions stays in the file and is not used.
    """

    def __init__(self, path: Path | None, made_with: Mapping[str, Any]) -> None:
        """Read the runs in the file, if there is one. Raises CommandError if the file is of another
        kind."""
        self._path = path
        self._made_with = dict(made_with)
        self._entries: list[dict[str, Any]] = _read(path) if path else []

    def of(self, rate: float) -> list[dict[str, Any]]:
        """Return the runs at a rate, in the order in which they were made."""
        return [
            entry["run"]
            for entry in self._entries
            if entry["rate"] == rate and entry["made_with"] == self._made_with
        ]

    def add(self, rate: float, run: Mapping[str, Any]) -> None:
        """Add a run and write the file. Raises CommandError if the file cannot be written."""
        self._entries.append({"made_with": self._made_with, "rate": rate, "run": dict(run)})
        if self._path:
            _write(self._path, self._entries)


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(path.read_text())
        if content["schema"] != _SCHEMA:
            raise ValueError("its schema is another")
        return [{key: one[key] for key in ("made_with", "rate", "run")} for one in content["runs"]]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise CommandError(
            f"{path} is no {_SCHEMA} file, as --resume writes them; name another file"
        ) from None


def _write(path: Path, entries: list[dict[str, Any]]) -> None:
    """Write the whole file or nothing. An interruption leaves the earlier file."""
    new = path.with_name(f"{path.name}.new")
    try:
        new.write_text(json.dumps({"schema": _SCHEMA, "runs": entries}, indent=1) + "\n")
        os.replace(new, path)
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None
