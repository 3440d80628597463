"""Parts of recipes that third parties provide (docs/recipes.md): other installed distributions, by
entry points, and the files that `RMSD_PARTS` names.

The search costs start time, so it is done only when a recipe is not known otherwise, or when
everything is to be listed. Standard library only: `rmsd simulate` imports it too.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from rmsd_core.recipes.extensions import (
    Correction,
    Order,
    PlannerPart,
    PredictorPart,
    Reserve,
)
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.registration import REGISTERED, register, unregister
from rmsd_core.recipes.text import RecipeError, parse_recipe
from rmsd_process.ownership import check_file

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "rmsd.parts"
FILES = "RMSD_PARTS"
"""The variable of the environment that names files with parts, with colons between them. Programs
that rmsd starts inherit the variable: workers of a study, the daemon of a replay."""

_DIGITS = 16  # hexadecimal digits of a digest
_KINDS = (Order, Reserve, PredictorPart, Correction, PlannerPart)


class ThirdParty(NamedTuple):
    """An entry point, or a part of a file.

    distribution: its name and version, or the name of the file. digest: of the distribution's code,
    since its version stays the same while it is worked on, or of the file. part: as a recipe has
    it, `order=widest`; "" if the part cannot be used. problem: the reason why it cannot; None if it
    can.
    """

    name: str
    distribution: str
    digest: str
    part: str = ""
    problem: str | None = None


def recipe_of(text: str) -> Recipe:
    """Return the recipe that `text` describes, third parties' parts included.

    Raises:
        RecipeError: there is no such recipe.
    """
    try:
        return parse_recipe(text)
    except RecipeError:
        if not load_parts():
            raise
        return parse_recipe(text)


def parts_of(recipe: Recipe) -> list[dict[str, str]]:
    """Return the third parties' parts that the recipe uses, as manifests name them."""
    chosen = {
        f"order={recipe.order}",
        f"order={recipe.backfill}",
        f"reserve={recipe.reserve}",
        f"predict={recipe.predict}",
        f"correct={recipe.correct}",
        f"planner={recipe.planner}",
    }
    return [
        {"part": one.part, "distribution": one.distribution, "digest": one.digest}
        for one in (load_parts() if chosen & REGISTERED else ())
        if one.part in chosen
    ]


def load_parts() -> tuple[ThirdParty, ...]:
    """Load all third-party parts, once. A broken one is reported on standard error and skipped."""
    for path in files_named():
        if path not in _LOADED_FILES:
            for one in load_file(path):
                if one.problem is not None:
                    _report_skipped(f"file {path}", one.problem)
    return (*_installed(), *(one for parts in _LOADED_FILES.values() for one in parts))


def files_named() -> list[Path]:
    """Return the files that `RMSD_PARTS` names."""
    return [Path(name).absolute() for name in os.environ.get(FILES, "").split(os.pathsep) if name]


_LOADED_FILES: dict[Path, tuple[ThirdParty, ...]] = {}


def load_file(path: Path) -> tuple[ThirdParty, ...]:
    """Register the parts that a file has at its top level, and return them. If the file was loaded
    before, its parts of then are forgotten first. A file that cannot be used, or that others can
    change, is one entry with its problem."""
    for one in _LOADED_FILES.pop(path, ()):
        if one.part:
            unregister(one.part)
    found: list[ThirdParty] = []
    digest = ""
    try:
        with path.open("rb") as file:
            check_file(path, os.fstat(file.fileno()))
            source = file.read()
        digest = hashlib.sha256(source).hexdigest()[:_DIGITS]
        parts = list(_parts_in(_executed(path, source)))
        if not parts:
            raise ValueError("it has no Order, Reserve, PredictorPart, Correction or PlannerPart")
        for part in parts:
            text = register(part, path.name)
            found.append(ThirdParty(part.name, path.name, digest, text))
    except Exception as error:  # third-party code may raise anything
        problem = f"{type(error).__name__}: {error}"
        found.append(ThirdParty(path.stem, path.name, digest, problem=problem))
    _LOADED_FILES[path] = tuple(found)
    return _LOADED_FILES[path]


def _executed(path: Path, source: bytes) -> ModuleType:
    """Return the module that a file describes. The source is compiled here: Python would take a
    compiled file for current if the file was edited within a second."""
    module = ModuleType(f"rmsd_parts_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look themselves up there
    exec(compile(source, path, "exec"), vars(module))
    return module


def _parts_in(
    module: ModuleType,
) -> Iterator[Order | Reserve | PredictorPart | Correction | PlannerPart]:
    """Yield the parts at the top level of a module, each once, in their order."""
    seen: set[int] = set()
    for value in vars(module).values():
        if isinstance(value, _KINDS) and id(value) not in seen:
            seen.add(id(value))
            yield value


@cache
def _installed() -> tuple[ThirdParty, ...]:
    """Load the parts of installed distributions, once."""
    from importlib.metadata import entry_points

    entries = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return tuple(_loaded(entry) for entry in entries)


def _loaded(entry: EntryPoint) -> ThirdParty:
    distribution = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "unknown"
    digest = _code_digest(entry)
    try:
        part = register(entry.load(), distribution)
    except Exception as error:  # third-party code may raise anything
        problem = f"{type(error).__name__}: {error}"
        _report_skipped(f"part '{entry.name}' of {distribution}", problem)
        return ThirdParty(entry.name, distribution, digest, problem=problem)
    return ThirdParty(entry.name, distribution, digest, part)


def _report_skipped(what: str, problem: str) -> None:
    print(f"rmsd: {what} is skipped: {problem}", file=sys.stderr)


def _code_digest(entry: EntryPoint) -> str:
    """Return a digest of all files of the entry point's distribution, compiled ones aside."""
    digest = hashlib.sha256()
    for name in sorted(_modules(entry)):
        for folder, path in _files(name):
            digest.update(f"{name}/{path.relative_to(folder)}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:_DIGITS]


def _modules(entry: EntryPoint) -> set[str]:
    """Return the modules and packages of the distribution, by their outermost names.

    A distribution that is installed as editable lists no files of its own; then its entry point and
    `top_level.txt` tell.
    """
    modules = {entry.module.partition(".")[0]}
    if entry.dist is not None:
        modules.update((entry.dist.read_text("top_level.txt") or "").split())
        for file in entry.dist.files or ():
            if file.suffix == ".py" and file.parts[0] != "..":
                modules.add(file.parts[0].removesuffix(".py"))
    return modules


def _files(module: str) -> Iterator[tuple[Path, Path]]:
    """Yield the files of a module or package, each behind the folder that it is found in."""
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return
    if spec is None:
        return
    for folder in map(Path, spec.submodule_search_locations or ()):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield folder, path
    if not spec.submodule_search_locations and spec.origin and Path(spec.origin).is_file():
        yield Path(spec.origin).parent, Path(spec.origin)
