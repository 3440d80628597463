"""Parts of recipes that other installed distributions provide, by entry points (docs/recipes.md).

The search costs start time, so it is done only when a recipe is not known otherwise, or when
everything is to be listed. Standard library only: `rmsd simulate` imports it too.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.registration import REGISTERED, register
from rmsd_core.recipes.text import RecipeError, parse_recipe

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "rmsd.parts"
_DIGITS = 16  # hexadecimal digits of a digest


class ThirdParty(NamedTuple):
    """An entry point.

    distribution: its name and version. digest: of the distribution's code, since its version stays
    the same while it is worked on. part: as a recipe has it, `order=widest`; "" if the part
    cannot be used. problem: the reason why it cannot; None if it can.
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


@cache
def load_parts() -> tuple[ThirdParty, ...]:
    """Load all third-party parts, once. A broken one is reported on standard error and skipped."""
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
        print(f"rmsd: part '{entry.name}' of {distribution} is skipped: {problem}", file=sys.stderr)
        return ThirdParty(entry.name, distribution, digest, problem=problem)
    return ThirdParty(entry.name, distribution, digest, part)


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
