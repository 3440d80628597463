"""SECURITY.md names the test of every promise and of every finding."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
_NAMED = re.compile(r"`(tests/[\w/]+\.py)?(?:::(\w+))?`")


def test_every_test_that_is_named_exists() -> None:
    named: list[tuple[str, str]] = []
    for match in _NAMED.finditer((ROOT / "SECURITY.md").read_text()):
        file, test = match.groups()
        if file or test:
            named.append((file or named[-1][0], test or ""))
    assert len(named) > 100
    sources = {file: (ROOT / file).read_text() for file, _ in named}
    assert [(file, test) for file, test in named if f"def {test}" not in sources[file]] == []
