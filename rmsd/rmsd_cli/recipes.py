"""List the recipes: each is a scheduler of the literature as a combination of parts.

Without arguments: the presets, with the parts that differ among them. NAME: all facts about one
recipe, which may have overrides after commas (`easy++,window=5`). --parts: the parts that can be
overridden, with their values, and what cannot be combined. --new-part: write a file with an order,
a predictor and a planner, to begin your own with; RMSD_PARTS names such files.

order is the order of the queue. reserve says which jobs are promised a start, and backfill how the
other jobs are tried. predict is the source of the expected run time, and correct the replacement of
an expired prediction. The user's estimate is the kill time under every recipe. docs/recipes.md says
more.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.tables import grid
from rmsd_core.recipes.parameters import PARAMETERS
from rmsd_core.recipes.presets import ALIASES, PRESETS, TRIAL_US
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import CONTRADICTIONS, RecipeError, written_out
from rmsd_daemon.setup.third_party import FILES, ThirdParty, load_parts, recipe_of

EPILOG = """\
sources:
  thesis     D. Tsafrir, Modeling, Evaluating, and Improving the Performance of Supercomputer
             Scheduling, 2006
  Selective  S. Srinivasan et al., Selective Reservation Strategies for Backfill Job
             Scheduling, 2002
  Timed      O. Thebe et al., Scheduling Restartable Jobs with Short Test Runs, 2009
  dynP       A. Streit, On Job Scheduling for HPC-Clusters and the dynP Scheduler

environment:
  RMSD_PARTS  files with parts of your own, with colons between them; all commands read them

exit codes:
  0  done
  1  a file cannot be written
  2  usage: there is no such recipe

examples:
  rmsd recipes
  rmsd recipes timed-easy++,trial=60
  rmsd recipes --parts
  rmsd recipes --new-part mine.py
  rmsd simulate trace.swf --recipe selective,threshold=5
"""

_WIDTH = 100
_COLUMNS = ("order", "reserve", "backfill", "predict", "correct")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recipe", nargs="?", metavar="NAME", help="explain this recipe")
    parser.add_argument("--parts", action="store_true", help="list parts and parameters")
    parser.add_argument(
        "--new-part",
        type=Path,
        metavar="FILE",
        help="write a file to begin parts of your own with",
    )
    parser.add_argument("--json", action="store_true", help="print one rmsd.recipes/1 object")


def run(args: argparse.Namespace) -> int:
    if args.recipe and args.parts:
        raise CommandUsageError("NAME and --parts are two different lists; give one")
    if args.new_part:
        if args.recipe or args.parts or args.json:
            raise CommandUsageError("--new-part writes a file, and lists nothing; give it alone")
        _write_template(args.new_part)
        return 0
    third_party = load_parts()
    recipes = [_recipe_named(args.recipe)] if args.recipe else list(PRESETS.values())
    if args.json:
        print(json.dumps(_listed(recipes, third_party), indent=2))
        return 0
    if args.parts:
        lines = _parts(third_party)
    else:
        lines = _explained(recipes[0]) if args.recipe else _presets(recipes)
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in lines)
    return 0


def _write_template(path: Path) -> None:
    """Write the file to begin with.

    Raises:
        CommandUsageError: its name does not end in .py.
        CommandError: it is there already, or cannot be written.
    """
    if path.suffix != ".py":
        raise CommandUsageError(f"--new-part {path}: its name ends in .py")
    template = Path(__file__).with_name("part_template.py").read_text(encoding="utf-8")
    try:
        with path.open("x", encoding="utf-8") as out:
            out.write(template.replace("FILE", path.name))
    except FileExistsError:
        raise CommandError(f"{path} is there already; nothing was written") from None
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None
    print(f"{path}: change it, then `export {FILES}={shlex.quote(str(path.absolute()))}`")


def _recipe_named(name: str) -> Recipe:
    try:
        return recipe_of(name)
    except RecipeError as error:
        raise CommandUsageError(str(error)) from None


# ---------------------------------------------------------------- for people


def _presets(recipes: list[Recipe]) -> Iterator[str]:
    rows = [["RECIPE", *(name.upper() for name in _COLUMNS), "WHAT; SOURCE"]]
    for recipe in recipes:
        values = {name: PARAMETERS[name].text(recipe) for name in _COLUMNS}
        if recipe.times != 1:
            values["predict"] += f" x{PARAMETERS['times'].text(recipe)}"
        rows.append([recipe.name, *values.values(), recipe.source])
    yield grid(rows, left=range(len(rows[0])), gap=1, wrap=True)
    yield ""
    trial_s = TRIAL_US // 1_000_000
    yield f"timed-X is X with trial runs of {trial_s} s, for every X (Timed 2)."
    yield f"Other names: {', '.join(f'{alias} for {name}' for alias, name in ALIASES.items())}."
    yield "Overrides come after commas: selective,threshold=5; see `rmsd recipes --parts`."


def _explained(recipe: Recipe) -> Iterator[str]:
    yield f"{recipe.name}: {recipe.source}"
    yield ""
    for parameter in PARAMETERS.values():
        if parameter.matters(recipe):
            value = parameter.text(recipe)
            words = parameter.words()
            meaning = f": {words[value]}" if value in words else ""
            yield from _wrapped(f"  {parameter.name:<10} {value:<14} ", parameter.meaning + meaning)
    yield ""
    yield from _wrapped("  the same   ", written_out(recipe).replace(",", ", "))
    yield from _wrapped("  users      ", "must be named" if recipe.needs_users else "not needed")
    yield from _wrapped("  live       ", recipe.why_not_live() or "yes")


def _parts(third_party: tuple[ThirdParty, ...]) -> Iterator[str]:
    for parameter in PARAMETERS.values():
        needs = f"; needs {parameter.group.needs}" if parameter.group else ""
        head = f"{parameter.name} {parameter.takes}".strip()
        yield from _wrapped(f"{head:<23} ", f"{parameter.meaning}{needs} [{parameter.source}]")
        for word, meaning in parameter.words().items():
            yield from _wrapped(f"  {word:<21} ", meaning)
    yield ""
    yield "Not together:"
    for contradiction in CONTRADICTIONS:
        yield from _wrapped("  ", f"{contradiction.what}: {contradiction.why}")
    if third_party:
        yield ""
        yield "Third parties:"
    for part in third_party:
        yield from _wrapped("  ", f"{part.name} ({part.distribution}){_broken(part)}")


def _wrapped(head: str, text: str) -> list[str]:
    indent = " " * len(head) if head.strip() else head * 2
    return textwrap.wrap(text, _WIDTH, initial_indent=head, subsequent_indent=indent)


def _broken(part: ThirdParty) -> str:
    return f", skipped: {part.problem}" if part.problem else ""


# ---------------------------------------------------------------- for programs


def _listed(recipes: list[Recipe], third_party: tuple[ThirdParty, ...]) -> dict[str, Any]:
    return {
        "schema": "rmsd.recipes/1",
        "recipes": [
            {
                "name": recipe.name,
                "source": recipe.source,
                "parts": {
                    name: parameter.text(recipe)
                    for name, parameter in PARAMETERS.items()
                    if parameter.matters(recipe)
                },
                "written_out": written_out(recipe),
                "needs_users": recipe.needs_users,
                "why_not_live": recipe.why_not_live(),
            }
            for recipe in recipes
        ],
        "aliases": ALIASES,
        "parts": [
            {
                "name": parameter.name,
                "meaning": parameter.meaning,
                "source": parameter.source,
                "words": dict(parameter.words()),
                "takes": parameter.takes or None,
                "needs": parameter.group.needs if parameter.group else None,
            }
            for parameter in PARAMETERS.values()
        ],
        "contradictions": [
            {"what": contradiction.what, "why": contradiction.why}
            for contradiction in CONTRADICTIONS
        ],
        "third_party": [part._asdict() for part in third_party],
    }
