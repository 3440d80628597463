"""Finished runs on disk: a small JSON file each, so that an interrupted command goes on where it
was. The file's name is a digest of everything that the numbers depend on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError

_DIGITS = 32


def default_folder(command: str) -> Path:
    """Return the folder in which the results of `rmsd COMMAND` are kept."""
    cache_home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache_home) / "rmsd" / command


def code_digest(measuring: Iterable[Path]) -> str:
    """Return a digest of the core, of the lab, and of the files that measure: numbers of other code
    are never taken for ours."""
    digest = hashlib.sha256()
    specs = (find_spec(package) for package in ("rmsd_core", "rmsd_lab"))
    folders = (spec.submodule_search_locations for spec in specs if spec is not None)
    packages = (Path(folder[0]) for folder in folders if folder)
    files = (path for package in packages for path in sorted(package.rglob("*.py")))
    for path in (*files, *measuring):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def name_of(made_of: Mapping[str, Any]) -> str:
    """Return the name of a run. Any difference in `made_of` gives another name."""
    text = json.dumps(made_of, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


class KeptResults:
    """The results of finished runs, by what they were made of. `fresh`: what others left is not
    looked at, only what is saved from now on."""

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        """Make the folder of the results. Raises CommandError if the folder cannot be made."""
        self._folder = folder
        self._fresh = fresh
        self._saved: set[Path] = set()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"cannot make {folder}: {error.strerror}") from None

    def load(self, made_of: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of a run; an empty one if the run was never made or its file is not
        usable."""
        path = self._path(made_of)
        if self._fresh and path not in self._saved:
            return {}
        try:
            result = json.loads(path.read_text())["result"]
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        return result if isinstance(result, dict) else {}

    def save(self, made_of: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        """Write the result of a run to its file. Raises CommandError if the file cannot be
        written."""
        path = self._path(made_of)
        half = path.with_suffix(f".{os.getpid()}")
        try:
            half.write_text(json.dumps({"manifest": made_of, "result": result}))
            half.replace(path)
            self._saved.add(path)
        except OSError as error:
            raise CommandError(f"cannot write {path}: {error.strerror}") from None

    def _path(self, made_of: Mapping[str, Any]) -> Path:
        return self._folder / f"{name_of(made_of)}.json"
