"""The sources of the packages and of the tests, parsed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = {
    "rmsd_core": "rmsd",
    "rmsd_wire": "rmsd",
    "rmsd_process": "rmsd",
    "rmsd_daemon": "rmsd",
    "rmsd_cli": "rmsd",
    "rmsd_lab": "rmsd",
    "rmsd_lab_cli": "rmsd",
    "rmsd_lab_api": "rmsd",
    "rmsd_ui": "rmsd",
    "rmsd_mcp": "rmsd",
    "rmsd_top": "rmsd",
    "rmsd": "rmsd",
    "rmsd_agent": "agents",
    "rmsd_client": "client",
}


def sources(package: str) -> Iterator[tuple[Path, ast.Module]]:
    yield from parsed(ROOT / FOLDERS[package] / package)


def parsed(folder: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        yield path, _parsed(path)


@cache
def _parsed(path: Path) -> ast.Module:
    """Parse a file once: a thousand files take 2 s, and many tests look at all of them."""
    return ast.parse(path.read_text())


def imported_names(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield the full names of what a module imports, modules and what is in them."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            start = [*above, *filter(None, [node.module])]
            yield from (".".join([*start, alias.name]) for alias in node.names)
