"""The page of the architecture names what is in the code, and all files of the main packages."""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages import COMMANDS, SPAN, split

ROOT = Path(__file__).parents[1]
ARCHITECTURE = ROOT / "docs/architecture.md"
_MODULES = [
    *(ROOT / "rmsd").glob("rmsd_*"),
    ROOT / "rmsd/rmsd",
    ROOT / "agents/rmsd_agent",
    ROOT / "client/rmsd_client",
]
_BESIDE = [
    ROOT / name
    for name in (
        "",
        "rmsd",
        "agents",
        "client",
        "tests",
        "tests/daemon",
        "tests/core",
        "tests/core/transcripts",
    )
]
_PATH = re.compile(r"[\w-]+(?:/[\w-]+)+/?|[\w-]+/|(?:[\w-]+/)*[\w-]+\.(?:py|md|toml|js|txt)")
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_NOT_OURS = {"control.sock", "running.json", "status.json", "attempt.json", "http.client"}
_AT_ROOT = {
    *("rmsd", "agents", "client", "tests", "deploy", "systemd", "docs", ".ci"),
    *("README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "Makefile", ".gitignore"),
    *("pyproject.toml", "hatch_build.py"),
}
_HEADING = re.compile(r"\| room or file of `(\w+)` \|.*")
_MODULE = re.compile(r"[a-z_]+")
_ROOM_OF_CORE = re.compile(r"\*\*`(\w+)/`\*\*")
_ROOM = re.compile(r"\| `(\w+(?:/\w+)?)/` \| (.*) \|")


def _exists(path: str) -> bool:
    """Return whether a file or a folder, with or without the name's ending, is in the repository:
    below a package at any depth, or beside one."""
    names = (path.rstrip("/"), f"{path}.py")
    below = (found for package in _MODULES for name in names for found in package.rglob(name))
    beside = (root / name for root in _BESIDE for name in names)
    return next(below, None) is not None or any(one.exists() for one in beside)


def _spans() -> set[str]:
    return {span for line in split(ARCHITECTURE)[0] for span in SPAN.findall(line)}


def test_the_architecture_names_files_that_exist() -> None:
    paths = {span for span in _spans() if _PATH.fullmatch(span)}
    assert len(paths) > 100
    assert sorted(one for one in paths if not _exists(one)) == []


def test_the_architecture_names_what_is_in_the_code() -> None:
    """A name without a slash is a module, or a word of the sources: a class, a function, a
    column."""
    sources = [file.read_text() for package in _MODULES for file in package.rglob("*.py")]
    words = set(re.findall(r"\w+", "\n".join(sources)))
    names = {span for span in _spans() if _NAME.fullmatch(span) and not _PATH.fullmatch(span)}
    unknown = {one for one in names - _NOT_OURS if not words.issuperset(one.split("."))}
    assert sorted(one for one in unknown if not _exists(one)) == []


def test_the_map_of_changes_names_what_is_in_the_files_of_its_rows() -> None:
    """A function that has moved to another file is missing in the row that sends a reader there."""
    files = [path for package in _MODULES for path in package.rglob("*.py")]
    files += (ROOT / "tests").rglob("*.py")
    wrong = []
    for line in _map_of_changes():
        spans = SPAN.findall(line)
        ends = [f"/{span}" for span in spans if _PATH.fullmatch(span)]
        found = [one for one in files if any(_is_at(one, end) for end in ends)]
        words = set(re.findall(r"\w+", "\n".join(file.read_text() for file in found)))
        names = {span for span in spans if _NAME.fullmatch(span) and not _PATH.fullmatch(span)}
        names.difference_update(COMMANDS)
        wrong += [(line[:40], one) for one in names if one.rpartition(".")[2] not in words]
    assert wrong == []


def _map_of_changes() -> list[str]:
    """Return the rows of the table that says where a change goes."""
    lines = split(ARCHITECTURE)[0]
    rows = itertools.dropwhile(lambda line: not line.startswith("| change |"), lines)
    found = list(itertools.takewhile(lambda line: line.startswith("|"), rows))[2:]
    assert len(found) > 40
    return found


def _is_at(file: Path, end: str) -> bool:
    """Return whether a path of the table names the file, or a folder in which it is."""
    return file.as_posix().endswith(end) or (end.endswith("/") and end in file.as_posix())


def _rooms() -> Iterator[tuple[Path, str, list[str]]]:
    """Yield the packages and rooms of the tables, with the names in the room's line."""
    package = None
    for line in split(ARCHITECTURE)[0]:
        if heading := _HEADING.fullmatch(line):
            package = next(one for one in _MODULES if one.name == heading[1])
        elif not line.startswith("|"):
            package = None
        elif package is not None and (room := _ROOM.fullmatch(line)):
            yield package, room[1], SPAN.findall(room[2])


def test_a_room_has_the_modules_that_its_line_names() -> None:
    missing = []
    for package, room, names in _rooms():
        for name in filter(_MODULE.fullmatch, names):
            folder = package / room
            found = any((*folder.rglob(f"{name}.py"), *folder.rglob(name)))
            if not found and name not in COMMANDS:
                missing.append((room, name))
    assert missing == []


def test_the_architecture_lists_the_files_of_daemon_agent_and_client() -> None:
    """The shepherd has a table of its own."""
    unlisted = []
    for package, room, names in _rooms():
        if package.name in ("rmsd_daemon", "rmsd_agent", "rmsd_client") and room != "shepherd":
            stems = {file.stem for file in (package / room).glob("*.py")} - {"__init__"}
            unlisted += [f"{package.name}/{room}/{one}" for one in sorted(stems.difference(names))]
    for file in (ROOT / "agents/rmsd_agent/shepherd/standalone").glob("*.py"):
        if file.stem not in _spans() | {"__init__"}:
            unlisted.append(f"standalone/{file.stem}")
    assert unlisted == []


def test_the_architecture_lists_the_files_of_the_core() -> None:
    listed: dict[str, set[str]] = {}
    room = ""
    for line in split(ARCHITECTURE)[0]:
        if line.startswith("#"):
            room = ""
        elif heading := _ROOM_OF_CORE.fullmatch(line):
            room = heading[1]
        elif room:
            found = filter(_MODULE.fullmatch, SPAN.findall(line))
            listed.setdefault(room, set()).update(found)
    core = ROOT / "rmsd/rmsd_core"
    rooms = {file.parent.name for file in core.glob("*/__init__.py")}
    assert listed == {
        one: {file.stem for file in (core / one).glob("*.py")} - {"__init__"} for one in rooms
    }


def test_the_root_has_no_other_files() -> None:
    """Two changes added files that programs had left where they ran."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("this is no checkout of git")
    assert {line.split("/")[0] for line in listed.stdout.splitlines()} == _AT_ROOT
