"""The attributes that decide about jobs are changed in one place each; records decide nothing."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import fields
from pathlib import Path

from rmsd_core.jobs.job import RECORDED, REMEMBERED, Job, Record, Remembered
from tests.sources import FOLDERS, ROOT, parsed, sources

CORE = ROOT / "rmsd/rmsd_core"
_STATE, _TRIALS = "rmsd_core/lifecycle/state.py", "rmsd_core/lifecycle/trials.py"
SETTERS = {
    "phase": [_STATE],
    "expected_end_us": [_STATE, _STATE, "rmsd_core/planning/virtual_easy.py"],
    "prediction_us": [_STATE, "rmsd_core/planning/remaining_beside.py"],
    "tried": [_TRIALS, _TRIALS],
}
"""The files that assign an attribute of jobs, one for each place. All others call a
function there. The virtual EASY and the order of what remains have jobs of their own, which no
planner knows."""


_L, _ROWS = (
    "rmsd_core/lifecycle/",
    ("rmsd_daemon/store/live_rows.py", "rmsd_daemon/store/records.py"),
)
OTHER_SETTERS = {
    "attempt": {f"{_L}adopting.py", f"{_L}starting.py"},
    "deadline_us": {f"{_L}updates.py"},
    "eligible_us": {f"{_L}eligibility.py", f"{_L}tasks.py"},
    "estimate_us": {f"{_L}updates.py"},
    "name": {f"{_L}eligibility.py"},
    "nice": {f"{_L}updates.py"},
    "partition": {f"{_L}adopting.py", f"{_L}starting.py", *_ROWS},
    "refusals": {f"{_L}refusals.py"},
    "request": {f"{_L}refusals.py", f"{_L}updates.py", f"{_L}waiting.py", _ROWS[1]},
    "requeue": {f"{_L}updates.py"},
    "requeue_hold": {f"{_L}holds.py", _STATE},
    "reservation": {f"{_L}updates.py"},
    "seq": {f"{_L}waiting.py"},
    "size": {f"{_L}updates.py"},
    "task": {_ROWS[0]},
}
"""The files that assign the other attributes of a variable `job`, `task` or `parent`. Those of the
store make jobs of rows."""


def test_no_other_file_changes_a_job() -> None:
    found: dict[str, set[str]] = {}
    names = {one.name for one in fields(Job)} - SETTERS.keys()
    for package in ("rmsd_core", "rmsd_daemon", "rmsd_lab"):
        for path, tree in sources(package):
            for name in names.intersection(_assigned(tree, of=("job", "task", "parent"))):
                place = str(path.relative_to(ROOT / FOLDERS[package]))
                found.setdefault(name, set()).add(place)
    assert found == OTHER_SETTERS


def test_attributes_that_decide_have_one_setter() -> None:
    """No job comes into a phase by a way that the table does not have, and what comes with duties
    is changed where these are done."""
    found: dict[str, list[str]] = {name: [] for name in SETTERS}
    for package in FOLDERS:
        for path, tree in sources(package):
            for name in _assigned(tree):
                if name in found:
                    found[name].append(str(path.relative_to(ROOT / FOLDERS[package])))
    assert found == SETTERS


def _assigned(tree: ast.Module, of: Collection[str] = ()) -> Iterator[str]:
    """Yield the names of the attributes that a module assigns or deletes, in whatever way; `of`
    variables of these names alone, if it has some."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value, attr, ast.Store() | ast.Del()):
                yield from [attr] * (not of or ast.unparse(value) in of)


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


def test_the_names_of_facts_are_those_of_all_facts() -> None:
    assert tuple(Record.__annotations__) == RECORDED
    assert tuple(Remembered.__annotations__) == REMEMBERED


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
