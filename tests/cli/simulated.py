"""The trace that most tests of `rmsd simulate` use, and the schedules that come of it."""

from __future__ import annotations

import csv
from pathlib import Path

SWF = """\
; MaxProcs: 4
1 0 -1 100 4 -1 -1 4 200 -1 1 1 -1 -1 -1 -1 -1 -1
2 10 -1 50 2 -1 -1 2 40 -1 1 1 -1 -1 -1 -1 -1 -1
3 20 -1 10 2 -1 -1 2 10 -1 1 2 -1 -1 -1 -1 -1 -1
4 30 -1 10 9 -1 -1 9 10 -1 1 2 -1 -1 -1 -1 -1 -1
"""


def rows(path: Path) -> list[list[str]]:
    """Return the rows of a schedule file, the first of which names the columns."""
    with path.open() as lines:
        return list(csv.reader(lines))
