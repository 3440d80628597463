"""Records of long runs: machine-readable files in docs/, with the commit they were made on."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def commit() -> str:
    """What is checked out, marked where it was changed."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    return told.stdout.strip() or "unknown"


def keep(path: Path, schema: str, group: str, names: Iterable[str], more: dict[str, Any]) -> None:
    """Add results to the record at `path`, by name, beside those of other `names` that it has."""
    record = json.loads(path.read_text()) if path.exists() else {}
    results = record.get(group, {}) | more
    kept = {"schema": schema, group: {name: results[name] for name in names if name in results}}
    path.write_text(json.dumps(kept, indent=2) + "\n")
