"""What decides about a job is changed in one place each, and what is recorded decides nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from rmsd_core.jobs.job import Record, Remembered
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


def test_no_decision_depends_on_a_record() -> None:
    """A promise is told with the time that was recorded; it was decided before."""
    found = {
        (str(path.relative_to(CORE)), name)
        for path, tree in parsed(CORE)
        for name in _read_from(tree, "record")
    }
    assert found == {("lifecycle/waiting.py", "reserved_us")}
    assert not vars(Record).keys() & Remembered.__annotations__.keys()


def _read_from(tree: ast.Module, owner: str) -> Iterator[str]:
    """Yield the names of the attributes that a module reads from `owner`, a variable or an
    attribute."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ast.Name(name) | ast.Attribute(attr=name), attr, ast.Load()):
                if name == owner:
                    yield attr


def test_what_is_read_from_a_record_is_found() -> None:
    source = "x = job.record.a\nrecord = job.record\nrecord.b = 1\nf(record.c, self.job.record.d)\n"
    assert list(_read_from(ast.parse(source), "record")) == ["a", "c", "d"]
