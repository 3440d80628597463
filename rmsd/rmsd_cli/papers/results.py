"""Finished runs on disk: a small JSON file each, so that an interrupted command goes on where it
was. The file's name is a digest of everything that the numbers depend on."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import rmsd_cli.papers
import rmsd_core
from rmsd_cli.errors import CommandError
from rmsd_cli.papers.execute import Measures
from rmsd_cli.papers.experiment import Simulation
from rmsd_cli.papers.workloads import Source

_MEASURING = ("execute.py", "workloads.py")


def default_folder() -> Path:
    cache_home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache_home) / "rmsd" / "paper"


@cache
def code_digest() -> str:
    """Of the core and of what measures: numbers of other code are never taken for ours."""
    core = Path(rmsd_core.__file__).parent
    papers = Path(rmsd_cli.papers.__file__).parent
    digest = hashlib.sha256()
    for path in [*sorted(core.rglob("*.py")), *(papers / name for name in _MEASURING)]:
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def manifest(simulation: Simulation, source: Source) -> dict[str, Any]:
    """What a run was made of and with."""
    return {
        "rmsd": version("rmsd"),
        "code": code_digest(),
        "trace": source.name,
        "trace_sha256": source.sha256,
        **asdict(simulation),
    }


class Results:
    """The measures of finished runs, by manifest. `fresh`: what others left is not looked at."""

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        """Raises CommandError if the folder cannot be made."""
        self._folder = folder
        self._fresh = fresh
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"cannot make {folder}: {error.strerror}") from None

    def load(self, made_of: dict[str, Any]) -> Measures:
        """What is known of a run; nothing if it was never made, or its file is of no use."""
        if self._fresh:
            return {}
        try:
            stored = json.loads(self._path(made_of).read_text())
            measures: Measures = stored["measures"]
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        return measures

    def save(self, made_of: dict[str, Any], measures: Measures) -> None:
        """Raises CommandError if the file cannot be written."""
        path = self._path(made_of)
        half = path.with_suffix(f".{os.getpid()}")
        try:
            half.write_text(json.dumps({"manifest": made_of, "measures": measures}))
            half.replace(path)
        except OSError as error:
            raise CommandError(f"cannot write {path}: {error.strerror}") from None

    def _path(self, made_of: dict[str, Any]) -> Path:
        text = json.dumps(made_of, sort_keys=True)
        return self._folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.json"
