"""A class name stands for one thing: no two classes of the packages have the same."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = (
    "rmsd/rmsd_core",
    "rmsd/rmsd_wire",
    "rmsd/rmsd_process",
    "rmsd/rmsd_daemon",
    "agents/rmsd_agent",
    "client/rmsd_client",
    "rmsd/rmsd_cli",
    "rmsd/rmsd_lab",
    "rmsd/rmsd_lab_cli",
    "rmsd/rmsd_lab_api",
    "rmsd/rmsd_ui",
    "rmsd/rmsd_mcp",
    "rmsd/rmsd_top",
    "rmsd/rmsd",
)


def _twice(files: Iterable[Path]) -> dict[str, list[Path]]:
    """Return the names that several classes have, with the files of these classes."""
    places: defaultdict[str, list[Path]] = defaultdict(list)
    for file in files:
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(file)
    return {name: found for name, found in places.items() if len(found) > 1}


def test_no_two_classes_have_the_same_name() -> None:
    files = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
    assert len({file.relative_to(ROOT).parts[1] for file in files}) == len(PACKAGES)
    assert not _twice(files)


def test_a_name_that_stands_twice_is_found(tmp_path: Path) -> None:
    first, second = tmp_path / "a.py", tmp_path / "b.py"
    first.write_text("class Job: ...\nclass Node: ...\n")
    second.write_text("if True:\n    class Job(int):\n        class Piece: ...\n")
    assert _twice([first, second]) == {"Job": [first, second]}
