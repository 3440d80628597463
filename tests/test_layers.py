"""The layout shows the architecture: who may import whom, and what the core must not touch."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rmsd_daemon.domain import errors
from rmsd_daemon.front.problems import ANSWERS

ROOT = Path(__file__).parent.parent
FOLDERS = {
    "rmsd_core": "rmsd",
    "rmsd_wire": "rmsd",
    "rmsd_daemon": "rmsd",
    "rmsd_cli": "rmsd",
    "rmsd_lab": "rmsd",
    "rmsd_lab_cli": "rmsd",
    "rmsd_agent": "agents",
    "rmsd_client": "client",
}

MAY_IMPORT: dict[str, set[str]] = {
    "rmsd_core": {"rmsd_core"},
    "rmsd_lab": {"rmsd_lab", "rmsd_core"},
    "rmsd_wire": {"rmsd_wire", "rmsd_core.vocabulary", "msgspec"},
    "rmsd_daemon": {"rmsd_daemon", "rmsd_core", "rmsd_wire"}
    | {"aiohttp", "alembic", "cryptography", "msgspec", "sqlmodel", "sqlalchemy", "structlog"},
    "rmsd_agent": {"rmsd_agent", "rmsd_wire", "rmsd_core.vocabulary"}
    | {"aiohttp", "msgspec", "psutil", "structlog"}
    | {"accounts", "cgroups", "outputs", "processes", "user_paths"},  # beside the shepherd
    "rmsd_client": {"rmsd_client", "rmsd_core.vocabulary"}
    | {"rmsd_wire.durations", "rmsd_wire.sizes", "rmsd_wire.hostlist"},
    "rmsd_cli": {"rmsd_cli", "rmsd_daemon", "rmsd_core", "rmsd_wire", "rmsd_client"}
    | {"cryptography", "msgspec", "rich", "sqlalchemy"},
}

ROOMS: dict[str, list[str]] = {
    "rmsd_core": [
        "vocabulary",
        "model_time",
        "jobs",
        "recipes",
        "machine",
        "planning",
        "lifecycle",
    ],
    "rmsd_daemon": [
        "setup",
        "domain",
        "store",
        "callers",
        "loop",
        "queries",
        "notices",
        "front",
        "agents",
        "api",
        "offline",
        "server",
    ],
    "rmsd_lab": [
        "schedule",
        "workloads",
        "simulation",
        "measures",
        "charts",
        "traces",
        "anomalies",
    ],
}
"""The rooms of a package, the ground floor first: folders, and files that stand beside them. A room
imports none above it."""

IMPURE = {"asyncio", "os", "io", "pathlib", "socket", "subprocess", "threading", "time"} | {
    "datetime",
    "sqlite3",
    "logging",
}
IMPURE_CALLS = {"open", "print", "input"}


def sources(package: str) -> Iterator[tuple[Path, ast.Module]]:
    yield from parsed(ROOT / FOLDERS[package] / package)


def parsed(folder: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        yield path, ast.parse(path.read_text())


def imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module or ""


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_imports_only_what_it_may(package: str) -> None:
    allowed = MAY_IMPORT[package]
    for path, tree in sources(package):
        for name in imports(tree):
            top = name.partition(".")[0]
            if top in sys.stdlib_module_names or top == "__future__":
                continue
            known = (
                name in allowed or top in allowed or any(name.startswith(f"{a}.") for a in allowed)
            )
            assert known, f"{path.relative_to(ROOT)} imports {name}"


@pytest.mark.parametrize("package", ROOMS)
def test_a_room_imports_none_above_it(package: str) -> None:
    floors = {f"{package}.{room}": floor for floor, room in enumerate(ROOMS[package])}
    root = ROOT / FOLDERS[package] / package
    for path, tree in sources(package):
        if path == root / "__init__.py":
            continue
        here = ".".join((package, path.relative_to(root).with_suffix("").parts[0]))
        for name in imports(tree):
            if name.startswith(f"{package}."):
                there = ".".join(name.split(".")[:2])
                assert floors[there] <= floors[here], f"{path.relative_to(ROOT)} imports {name}"


def test_http_stays_at_the_edge() -> None:
    """Who decides and who stores raise errors of the domain, and `front.problems` says what they
    are in HTTP."""
    inner = {"setup", "domain", "store", "loop", "queries"}
    for path, tree in sources("rmsd_daemon"):
        room = path.relative_to(ROOT / "rmsd" / "rmsd_daemon").parts[0]
        if room in inner:
            assert "aiohttp" not in {name.partition(".")[0] for name in imports(tree)}, path


def test_every_error_of_the_daemon_has_an_answer() -> None:
    said = vars(errors).values()
    kinds = {one for one in said if isinstance(one, type) and issubclass(one, errors.DaemonError)}
    assert set(ANSWERS) == kinds - {errors.DaemonError}


@pytest.mark.parametrize("package", ["rmsd_core", "rmsd_lab"])
def test_what_is_pure_does_no_io_and_reads_no_clock(package: str) -> None:
    for path, tree in sources(package):
        for name in imports(tree):
            assert name.partition(".")[0] not in IMPURE, f"{path.name} imports {name}"
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in IMPURE_CALLS, f"{path.name} calls {node.func.id}"
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "random.Random":
                assert node.args, f"{path.name} draws without a seed"
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "random":
                assert node.attr == "Random", f"{path.name} uses the shared random.{node.attr}"


def test_files_of_tests_and_of_fixtures_are_imported_by_nobody() -> None:
    """What tests share stands in modules that are named after what it is. A fixture that is
    imported comes twice; a helper in a test file is found by nobody."""
    for path, tree in parsed(ROOT / "tests"):
        for module in imports_in_tests(path, tree):
            top, *rest = module.split(".")
            private = any(part.startswith("test_") or part == "conftest" for part in rest)
            assert top != "tests" or not private, f"{path.relative_to(ROOT)} imports {module}"


def imports_in_tests(path: Path, tree: ast.Module) -> Iterator[str]:
    """The full names of what a module of the tests imports, modules and what is in them."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            start = [*above, *filter(None, [node.module])]
            yield from (".".join([*start, alias.name]) for alias in node.names)
