"""The reasons for which jobs wait, as users read them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from rmsd_client.show.job_fields import BEFORE_ITS_TURN
from rmsd_client.show.job_text import state_text
from tests.client.shown_jobs import job, waiting

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/user-guide.md").read_text()
GIVEN = {
    "lifecycle/reasons.py": "reason",
    "jobs/conditions.py": "reason",
    "jobs/array.py": "reason",
    "machine/partitions.py": "limit_passed",
}
"""The functions of the core that return Slurm's words for reasons, by file."""


def reasons() -> Iterator[str]:
    """Yield the words that these functions return."""
    for file, name in GIVEN.items():
        tree = ast.parse((ROOT / "rmsd/rmsd_core" / file).read_text())
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and function.name == name:
                for returned in ast.walk(function):
                    if isinstance(returned, ast.Return) and returned.value is not None:
                        for one in ast.walk(returned.value):
                            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                                yield one.value


def test_every_reason_is_explained() -> None:
    known = set(reasons()) - {"None"}
    assert len(known) > 15
    for reason in known:
        shown = job if reason in BEFORE_ITS_TURN else waiting
        text = state_text(shown(reason=reason, trial_end_us=None))
        assert reason not in text or f"({reason}): " in text, text
        assert f"`{reason}`" in GUIDE
