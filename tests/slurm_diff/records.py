"""The records of what a real Slurm has said, which `make slurm-diff` makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).with_name("recorded.json")
"""The answers of the commands in each scenario, at each moment."""
JSON_FORM = Path(__file__).with_name("json_form.json")
"""The types at each path of the output of --json."""


def read(path: Path) -> Any:
    """Return a record."""
    return json.loads(path.read_text())


def write(path: Path, content: Any) -> None:
    """Write a record with a line for each command."""
    text = json.dumps(content, indent=1, sort_keys=True)
    path.write_text(text + "\n")
