"""What decides about a job is changed in one place each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.sources import ROOT, parsed

CORE = ROOT / "rmsd/rmsd_core"
SETTERS = {
    "phase": {"lifecycle/state.py"},
    "expected_end_us": {"lifecycle/state.py", "planning/virtual_easy.py"},  # of virtual jobs
    "prediction_us": {"lifecycle/state.py"},
    "tried": {"lifecycle/trials.py"},
}
"""The files that assign an attribute of jobs. All others call a function there."""


def test_attributes_that_decide_have_one_setter() -> None:
    found: dict[str, set[str]] = {name: set() for name in SETTERS}
    for path, tree in parsed(CORE):
        for name in _assigned(tree):
            if name in found:
                found[name].add(str(path.relative_to(CORE)))
    assert found == SETTERS


def _assigned(tree: ast.Module) -> Iterator[str]:
    """Yield the names of the attributes that a module assigns, in whatever kind of assignment."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def test_each_kind_of_assignment_is_found(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("job.a = 1\njob.b += 1\njob.c: int = 1\n(x, job.d), *job.e = y\nx = job.f\n")
    assert set(_assigned(ast.parse(file.read_bytes()))) == set("abcde")
